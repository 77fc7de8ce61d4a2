// Errors with one thing to do about them; nobody waits for the answer.
import * as vscode from 'vscode';

/** Shows the first line of `text` as an error with a button; the whole text belongs into the log. */
export function offer(text: string, label: string, act: () => void): void {
  void vscode.window.showErrorMessage(text.split('\n', 1)[0] ?? text, label).then((choice) => {
    if (choice !== undefined) act();
  });
}
