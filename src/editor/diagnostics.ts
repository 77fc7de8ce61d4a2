// Shows the problems of a task's last verdict, and of the task file itself, in the Problems view.
import * as vscode from 'vscode';
import type { Problem } from './problems.js';
import { underline } from './problems.js';

const SEVERITY = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
};

export class Problems implements vscode.Disposable {
  private readonly shown = vscode.languages.createDiagnosticCollection('kernelseek');
  /** Per task what it has to say: several tasks may speak of one file. */
  private readonly byTask = new Map<string, Problem[]>();

  /** Replaces all that `task` had said. */
  async set(task: vscode.Uri, problems: Problem[]): Promise<void> {
    const before = this.byTask.get(task.toString()) ?? [];
    if (problems.length > 0) this.byTask.set(task.toString(), problems);
    else this.byTask.delete(task.toString());
    const files = new Set([...before, ...problems].map((p) => p.file));
    await Promise.all([...files].map((file) => this.show(vscode.Uri.file(file))));
  }

  /** Forgets what `task` had said about one file. */
  async clear(task: vscode.Uri, file: string): Promise<void> {
    const before = this.byTask.get(task.toString()) ?? [];
    if (before.some((p) => p.file === file)) {
      await this.set(
        task,
        before.filter((p) => p.file !== file),
      );
    }
  }

  /** Forgets tasks that are gone. */
  async retain(tasks: ReadonlySet<string>): Promise<void> {
    const gone = [...this.byTask.keys()].filter((task) => !tasks.has(task));
    await Promise.all(gone.map((task) => this.set(vscode.Uri.parse(task), [])));
  }

  dispose(): void {
    this.shown.dispose();
  }

  private async show(uri: vscode.Uri): Promise<void> {
    const problems = [...this.byTask.values()].flat().filter((p) => p.file === uri.fsPath);
    const lines = problems.length > 0 ? await linesOf(uri) : [];
    this.shown.set(
      uri,
      problems.map((p) => {
        const diagnostic = new vscode.Diagnostic(rangeOf(p, lines), p.message, SEVERITY[p.severity]);
        diagnostic.source = 'KernelSeek';
        if (p.code !== undefined) diagnostic.code = p.code;
        if (p.related.length > 0) {
          diagnostic.relatedInformation = p.related.map(
            (r) =>
              new vscode.DiagnosticRelatedInformation(
                new vscode.Location(vscode.Uri.file(r.file), new vscode.Position(r.line, r.column ?? 0)),
                r.message,
              ),
          );
        }
        return diagnostic;
      }),
    );
  }
}

function rangeOf(place: Pick<Problem, 'line' | 'column' | 'length'>, lines: readonly string[]): vscode.Range {
  // A file may have become shorter since it was compiled.
  const line = Math.max(0, Math.min(place.line, lines.length - 1));
  const { start, end } = underline(lines[line] ?? '', place.column);
  return new vscode.Range(line, start, line, place.length === undefined ? end : start + place.length);
}

async function linesOf(uri: vscode.Uri): Promise<string[]> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).getText().split(/\r\n|\r|\n/);
  } catch {
    // Not text, or gone: the problem is still worth showing at its line.
    return [];
  }
}
