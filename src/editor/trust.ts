// Nothing compiles or runs in a workspace that is not trusted; says so where a command was asked for.
import * as vscode from 'vscode';

/** True when the workspace is trusted; else tells why nothing happens and offers to manage trust. */
export async function requireTrust(): Promise<boolean> {
  if (vscode.workspace.isTrusted) return true;
  const manage = 'Manage Trust';
  const choice = await vscode.window.showWarningMessage(
    'KernelSeek compiles and runs kernels only in a trusted workspace.',
    manage,
  );
  if (choice === manage) await vscode.commands.executeCommand('workbench.trust.manage');
  return vscode.workspace.isTrusted;
}
