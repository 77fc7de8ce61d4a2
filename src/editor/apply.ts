// Puts the best candidate into the files, as one edit that undo takes back, and never over edits made meanwhile.
import * as vscode from 'vscode';
import { gainText } from '../report/gain.js';
import { type Candidates, taskOf } from './candidates.js';
import type { TaskPicker } from './pick-task.js';
import type { Best, Sessions } from './sessions.js';
import type { TaskEntry } from './tasks.js';
import { replacementOf } from './text-change.js';

export class Apply {
  constructor(
    private readonly sessions: Sessions,
    private readonly candidates: Candidates,
    private readonly picker: TaskPicker,
  ) {}

  register(): vscode.Disposable {
    const withBest = (act: (task: TaskEntry, best: Best) => Promise<void>) => async (target: unknown) => {
      const task = await this.picker.pick(taskOf(target) ?? target, (t) => this.sessions.best(t.uri) !== undefined);
      if (!task) return;
      await this.sessions.find(task);
      const best = this.sessions.best(task.uri);
      if (best) await act(task, best);
    };
    return vscode.Disposable.from(
      vscode.commands.registerCommand(
        'kernelseek.applyBest',
        withBest((task, best) => this.apply(task, best)),
      ),
      vscode.commands.registerCommand(
        'kernelseek.discardBest',
        withBest(async (task, best) => {
          this.sessions.discard(best);
          await this.candidates.close(task.uri);
        }),
      ),
    );
  }

  private async apply(task: TaskEntry, best: Best): Promise<void> {
    if (!best.confirmed) {
      const remedy = 'Resume the session: it is applied once its gain is confirmed.';
      void vscode.window.showInformationMessage(`${task.name}: ${gainText(best)}. ${remedy}`);
      return;
    }
    const changed = best.sources.filter((s) => s.text !== s.original);
    const documents = await Promise.all(changed.map((s) => vscode.workspace.openTextDocument(s.file)));
    const edit = new vscode.WorkspaceEdit();
    // From here to applyEdit nothing waits: the edit carries the versions it was made for, and VS Code refuses others.
    for (const [i, document] of documents.entries()) {
      const source = changed[i];
      const present = document.getText();
      if (!source || present === source.text) continue;
      if (present !== source.original) return this.refuse(task, document);
      const change = replacementOf(present, source.text);
      if (!change) continue;
      const range = new vscode.Range(document.positionAt(change.start), document.positionAt(change.end));
      edit.replace(document.uri, range, change.text);
    }
    const [first] = documents;
    if (!first) return;
    if (edit.size > 0 && !(await vscode.workspace.applyEdit(edit))) return this.refuse(task, first);
    await this.candidates.close(task.uri);
    await vscode.window.showTextDocument(first, { preview: false });
  }

  private async refuse(task: TaskEntry, document: vscode.TextDocument): Promise<void> {
    const name = vscode.workspace.asRelativePath(document.uri);
    const show = 'Show Diff';
    const message = `${name} was changed since the session began; applying the candidate would overwrite those changes.`;
    const choice = await vscode.window.showWarningMessage(message, show);
    if (choice === show) await this.candidates.show(task);
  }
}
