// The best candidate, or one that is not confirmed, as a read-only document, shown beside the present text in a diff editor.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { gainText } from '../report/gain.js';
import type { TaskPicker } from './pick-task.js';
import { nameOf, type Best, type Sessions } from './sessions.js';
import type { TaskEntry, Tasks } from './tasks.js';

/** By the first the diff of a confirmed candidate has Apply in its title, see package.json. */
const SCHEME = { confirmed: 'kernelseek-candidate', unconfirmed: 'kernelseek-unconfirmed' };

export class Candidates implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly disposables: vscode.Disposable[] = [this.changed];
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly tasks: Tasks,
    private readonly sessions: Sessions,
    private readonly picker: TaskPicker,
  ) {}

  register(): vscode.Disposable {
    this.disposables.push(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME.confirmed, this),
      vscode.workspace.registerTextDocumentContentProvider(SCHEME.unconfirmed, this),
      vscode.commands.registerCommand('kernelseek.showBest', async (target: unknown) => {
        const task = await this.picker.pick(taskOf(target) ?? target, (t) => this.sessions.best(t.uri) !== undefined);
        if (task) await this.show(task);
      }),
      // An open diff follows the session to its next best; that of an unconfirmed candidate stays what its title says.
      this.sessions.onDidChangeBest((task) => {
        for (const document of vscode.workspace.textDocuments) {
          const follows = document.uri.scheme === SCHEME.confirmed;
          if (follows && taskOf(document.uri)?.toString() === task.toString()) this.changed.fire(document.uri);
        }
      }),
    );
    return this;
  }

  /** Opens the diff: the present text on the left, the candidate on the right. */
  async show(task: TaskEntry, options: { preserveFocus?: boolean } = {}): Promise<void> {
    await this.sessions.find(task);
    const best = this.sessions.best(task.uri);
    if (!best) {
      void vscode.window.showInformationMessage(
        `There is no better candidate for ${task.name} yet. Optimize looks for one.`,
      );
      return;
    }
    const changed = best.sources.filter((s) => s.text !== s.original);
    const pairs = changed.map((s) => [vscode.Uri.file(s.file), uriOf(task.uri, s.file, best)] as const);
    const [only] = pairs;
    if (pairs.length === 1 && only) {
      const title = `${path.basename(only[0].fsPath)} ↔ ${gainText(best)}`;
      await vscode.commands.executeCommand('vscode.diff', ...only, title, { preview: true, ...options });
    } else {
      const resources = pairs.map(([file, candidate]) => [file, file, candidate]);
      await vscode.commands.executeCommand('vscode.changes', `${task.name} ↔ ${gainText(best)}`, resources);
    }
  }

  /** Closes the diffs of a task. */
  async close(task: vscode.Uri): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(
        ({ input }) =>
          input instanceof vscode.TabInputTextDiff && taskOf(input.modified)?.toString() === task.toString(),
      );
    await vscode.window.tabGroups.close(tabs, true);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const owner = taskOf(uri);
    const task = owner && (await this.tasks.read(owner));
    if (!task) return '';
    // A diff restored after reload asks before anything else did.
    await this.sessions.find(task);
    const best = this.sessions.best(task.uri);
    if (!best || (uri.scheme === SCHEME.unconfirmed && uri.fragment !== nameOf(best))) return '';
    return best.sources.find((s) => s.file === vscode.Uri.file(uri.path).fsPath)?.text ?? '';
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

/** The same address for every best of a task, so that one open diff can follow; each unconfirmed one has its own. */
function uriOf(task: vscode.Uri, file: string, best: Best): vscode.Uri {
  const own = best.confirmed ? { scheme: SCHEME.confirmed } : { scheme: SCHEME.unconfirmed, fragment: nameOf(best) };
  return vscode.Uri.file(file).with({ ...own, query: task.toString() });
}

/** The task that a candidate's document belongs to; undefined for any other value. */
export function taskOf(value: unknown): vscode.Uri | undefined {
  return value instanceof vscode.Uri && Object.values(SCHEME).includes(value.scheme)
    ? vscode.Uri.parse(value.query)
    : undefined;
}
