// Writes a task file for a kernel, says in it what was guessed and what is missing, and measures its tolerance.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Editor } from './context.js';
import type { Problems } from './diagnostics.js';
import type { Tolerance } from './measure-tolerance.js';
import { offer } from './messages.js';
import { unsavedTexts } from './overlay.js';
import type { Problem } from './problems.js';
import { requireTrust } from './trust.js';

export class NewTask {
  constructor(
    private readonly editor: Editor,
    private readonly problems: Problems,
    private readonly tolerance: Tolerance,
  ) {}

  register(): vscode.Disposable {
    return vscode.commands.registerCommand('kernelseek.newTask', async (target: unknown, kernel: unknown) => {
      const source = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
      if (source?.scheme !== 'file') {
        void vscode.window.showInformationMessage('A task is written beside its source: save the file first.');
        return;
      }
      await this.create(source, typeof kernel === 'string' ? kernel : undefined);
    });
  }

  private async create(source: vscode.Uri, kernel: string | undefined): Promise<void> {
    if (!(await requireTrust())) return;
    try {
      const engine = this.editor.engine();
      const draft = await engine.draft(this.editor.dist, source.fsPath, unsavedTexts(), kernel);
      for (const warning of draft.warnings) this.editor.log.warn(warning);
      const uri = await placeFor(draft.taskFile, source, kernel);
      if (await exists(uri)) {
        await vscode.window.showTextDocument(uri, { preview: false });
        return;
      }
      const { proposal } = draft;
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(engine.taskText(proposal)));
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document, { preview: false });
      await this.problems.set(
        uri,
        proposal.missing.map((m) => this.missing(document, m)),
      );
      if (proposal.missing.length === 0) await this.tolerance.measure(document, proposal);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.editor.log.error(`New task for ${source.fsPath}: ${message}`);
      offer(`New task: ${message}`, 'Show Log', () => this.editor.log.show());
    }
  }

  private missing(document: vscode.TextDocument, { path: at, what }: { path: string; what: string }): Problem {
    const place = this.editor.engine().locateJsonPath(document.getText(), at);
    const start = document.positionAt(place?.offset ?? 0);
    const [file, severity] = [document.uri.fsPath, 'warning'] as const;
    return { file, line: start.line, column: start.character, severity, message: `${at}: ${what}`, related: [] };
  }
}

/** `NAME.task.json`; where that is taken, and it is about one kernel of several, `NAME.KERNEL.task.json`. */
async function placeFor(taskFile: string, source: vscode.Uri, kernel: string | undefined): Promise<vscode.Uri> {
  const usual = vscode.Uri.file(taskFile);
  if (kernel === undefined || !(await exists(usual))) return usual;
  const stem = path.basename(source.fsPath, path.extname(source.fsPath));
  return vscode.Uri.joinPath(source, '..', `${stem}.${kernel}.task.json`);
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
