// The line above each kernel: what can be done with it, what is being done, what is known of it.
import * as vscode from 'vscode';
import type { Editor } from './context.js';
import type { Kernels } from './kernels.js';
import { concerns } from './launches.js';
import { lensesOf, type LensState } from './lens-text.js';
import type { Results } from './results.js';
import type { Sessions } from './sessions.js';
import type { TaskEntry, Tasks } from './tasks.js';

/** Progress may come many times a second; lenses follow at this pace, milliseconds. */
const PACE = 250;

export class KernelLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly disposables: vscode.Disposable[] = [this.changed];
  private timer: NodeJS.Timeout | undefined;
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    private readonly editor: Editor,
    private readonly tasks: Tasks,
    private readonly kernels: Kernels,
    private readonly results: Results,
    private readonly sessions: Sessions,
  ) {}

  register(): vscode.Disposable {
    const refresh = () => {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        this.changed.fire();
      }, PACE);
    };
    this.disposables.push(
      vscode.languages.registerCodeLensProvider({ language: 'cuda-cpp', scheme: 'file' }, this),
      this.tasks.onDidChange(refresh),
      this.results.onDidChange(refresh),
      this.sessions.onDidChange(refresh),
      vscode.workspace.onDidGrantWorkspaceTrust(refresh),
      { dispose: () => clearTimeout(this.timer) },
    );
    return this;
  }

  async provideCodeLenses(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeLens[] | undefined> {
    try {
      await this.tasks.ready();
      const file = await this.kernels.read(document, token);
      if (!file || token.isCancellationRequested) return undefined;
      const tasks = this.tasks.of(document.uri.fsPath);
      for (const task of tasks) void this.sessions.find(task);
      return file.kernels.flatMap((kernel) => {
        const task = this.choose(tasks.filter((t) => concerns(t.outline, kernel.name, file)));
        const state = this.stateOf(kernel.name, task, document);
        const at = new vscode.Range(kernel.range.start.line, 0, kernel.range.start.line, 0);
        return lensesOf(state).map(({ title, tooltip, command }) => {
          const target = command === 'newTask' ? [document.uri, kernel.name] : [task?.uri];
          const id = command === 'manageTrust' ? 'workbench.trust.manage' : `kernelseek.${command}`;
          return new vscode.CodeLens(at, {
            // A plain space after an icon is not shown.
            title: title.replace(/^(\$\([^)]*\)) /, '$1\u00a0'),
            tooltip,
            command: id,
            arguments: target,
          });
        });
      });
    } catch (error) {
      this.editor.log.error(
        `Lenses of ${document.uri.fsPath}: ${error instanceof Error ? error.stack : String(error)}`,
      );
      return undefined;
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Of several tasks about one kernel the one evaluated last, else the first. */
  private choose(tasks: TaskEntry[]): TaskEntry | undefined {
    const age = (t: TaskEntry) => this.results.verdict(t.uri)?.at ?? 0;
    return [...tasks].sort((a, b) => age(b) - age(a))[0];
  }

  private stateOf(kernel: string, task: TaskEntry | undefined, document: vscode.TextDocument): LensState {
    const trusted = vscode.workspace.isTrusted;
    if (!task) return { trusted, kernel };
    const verdict = this.results.verdict(task.uri);
    const evaluating = this.results.evaluation(task.uri)?.phase;
    const session = this.sessions.running(task.uri)?.phase;
    const resumable = this.sessions.resumable(task.uri);
    const best = this.sessions.offer(task);
    return {
      trusted,
      kernel,
      task: {
        name: vscode.workspace.asRelativePath(task.uri),
        ...(evaluating !== undefined && { evaluating }),
        ...(verdict && { verdict: { facts: verdict.facts, stale: this.results.isStale(verdict, document) } }),
        ...(session !== undefined && { session }),
        ...(resumable && { resumable: `${resumable.evaluations} of ${resumable.budget.evaluations}` }),
        ...(best && { best }),
      },
    };
  }
}
