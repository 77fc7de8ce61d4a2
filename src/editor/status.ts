// The one status item: what KernelSeek does now; a click lists what can be done about it.
import * as vscode from 'vscode';
import type { Results } from './results.js';
import type { Sessions } from './sessions.js';

export class Status {
  private readonly item = vscode.window.createStatusBarItem('kernelseek', vscode.StatusBarAlignment.Left, 0);

  constructor(
    private readonly results: Results,
    private readonly sessions: Sessions,
  ) {
    this.item.name = 'KernelSeek';
    this.item.command = 'kernelseek.showActions';
  }

  register(): vscode.Disposable {
    const update = () => this.update();
    this.update();
    return vscode.Disposable.from(
      this.item,
      this.results.onDidChange(update),
      this.sessions.onDidChange(update),
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.workspace.onDidGrantWorkspaceTrust(update),
      vscode.commands.registerCommand('kernelseek.showActions', () => this.showActions()),
    );
  }

  private update(): void {
    const sessions = this.sessions.allRunning();
    const busy = [
      ...sessions.map((s) => (s.best === undefined ? s.phase : `${s.phase} · ${s.best}`)),
      ...this.results.evaluations().map((e) => e.phase),
    ];
    const active = vscode.window.activeTextEditor?.document;
    const relevant = active?.languageId === 'cuda-cpp' || active?.uri.path.endsWith('.task.json') === true;
    if (busy.length === 0 && !relevant) {
      this.item.hide();
      return;
    }
    if (busy.length > 0) {
      this.item.text = `$(sync~spin) ${busy[0] ?? ''}${busy.length > 1 ? ` +${busy.length - 1}` : ''}`;
      this.item.tooltip = `KernelSeek: ${busy.join('\n')}\nClick to stop or to see the log.`;
    } else {
      this.item.text = vscode.workspace.isTrusted ? '$(circuit-board) KernelSeek' : '$(shield) KernelSeek';
      this.item.tooltip = vscode.workspace.isTrusted
        ? 'KernelSeek: nothing is running'
        : 'KernelSeek compiles and runs kernels only in a trusted workspace';
    }
    this.item.show();
  }

  private async showActions(): Promise<void> {
    const action = (label: string, command: string, ...given: unknown[]) => ({ label, command, given });
    const trusted = vscode.workspace.isTrusted;
    const actions = [
      ...(trusted ? [] : [action('$(shield) Manage Workspace Trust', 'workbench.trust.manage')]),
      ...(this.sessions.allRunning().length > 0
        ? [action('$(debug-stop) Stop Session', 'kernelseek.stopSession')]
        : []),
      ...(this.results.evaluations().length > 0
        ? [action('$(debug-stop) Cancel Evaluation', 'kernelseek.cancelEvaluation')]
        : []),
      ...(trusted
        ? [
            action('$(beaker) Evaluate', 'kernelseek.evaluate'),
            action('$(rocket) Optimize', 'kernelseek.optimize'),
            action('$(diff) Show Candidate', 'kernelseek.showBest'),
          ]
        : []),
      action('$(output) Show Log', 'kernelseek.showLog'),
      action('$(gear) Open Settings', 'workbench.action.openSettings', '@ext:kernelseek.kernelseek'),
    ];
    const picked = await vscode.window.showQuickPick(actions, { title: 'KernelSeek' });
    if (picked) await vscode.commands.executeCommand(picked.command, ...picked.given);
  }
}
