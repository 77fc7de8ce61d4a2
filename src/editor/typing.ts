// Knows whether the person is typing just now, so that nothing opens under her hands.
import * as vscode from 'vscode';

/** Milliseconds after the last change that still count as typing. */
const RECENT = 5000;

export class Typing {
  private last = 0;

  register(): vscode.Disposable {
    return vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const typed = contentChanges.length > 0 && document === vscode.window.activeTextEditor?.document;
      if (typed) this.last = Date.now();
    });
  }

  isRecent(): boolean {
    return Date.now() - this.last < RECENT;
  }
}
