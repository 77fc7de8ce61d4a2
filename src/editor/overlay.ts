// The texts as the editor has them: unsaved changes count, on disk or not.
import * as vscode from 'vscode';
import type { TaskEntry } from './tasks.js';

/** Text of every source of the task, and of every other file with unsaved changes, by absolute path. */
export async function overlayOf(task: TaskEntry): Promise<Record<string, string>> {
  const overlay: Record<string, string> = {};
  for (const document of vscode.workspace.textDocuments) {
    if (document.isDirty && document.uri.scheme === 'file') overlay[document.uri.fsPath] = document.getText();
  }
  for (const source of task.sources) {
    const document = await vscode.workspace.openTextDocument(source);
    overlay[document.uri.fsPath] = document.getText();
  }
  return overlay;
}
