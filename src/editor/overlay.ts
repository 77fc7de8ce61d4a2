// The texts as the editor has them: unsaved changes count.
import * as vscode from 'vscode';

/** Text of every file with unsaved changes, by absolute path. */
export function unsavedTexts(): Record<string, string> {
  const dirty = vscode.workspace.textDocuments.filter((d) => d.isDirty && d.uri.scheme === 'file');
  return Object.fromEntries(dirty.map((d) => [d.uri.fsPath, d.getText()]));
}

/** Text of `files` as the editor has or would open them, by absolute path. */
export async function presentTexts(files: readonly string[]): Promise<Record<string, string>> {
  const documents = await Promise.all(files.map((f) => vscode.workspace.openTextDocument(f)));
  return Object.fromEntries(documents.map((d) => [d.uri.fsPath, d.getText()]));
}
