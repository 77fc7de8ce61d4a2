// The workspace's task files and the sources they speak of; follows files as they come, change and go.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Editor } from './context.js';
import type { TaskOutline } from './task-outline.js';

const PATTERN = '**/*.task.json';
const NOT_IN = '**/{node_modules,.git,.kernelseek}/**';
/** More task files than a person keeps; beyond it the rest has no lens. */
const MOST = 2000;

export interface TaskEntry {
  readonly uri: vscode.Uri;
  /** `softmax` of `softmax.task.json`. */
  readonly name: string;
  /** Absolute paths of the editable sources. */
  readonly sources: readonly string[];
  readonly outline: TaskOutline;
}

export class Tasks implements vscode.Disposable {
  private readonly entries = new Map<string, TaskEntry>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly disposables: vscode.Disposable[] = [this.changed];
  private scan: Promise<void> | undefined;
  readonly onDidChange = this.changed.event;

  constructor(private readonly editor: Editor) {}

  /** Looks through the workspace once, on first need, and follows it from then on. */
  ready(): Promise<void> {
    return (this.scan ??= this.start());
  }

  /** Tasks that have `source` (an absolute path) among their editable sources, those beside it first. */
  of(source: string): TaskEntry[] {
    const apart = (t: TaskEntry) => (path.dirname(t.uri.fsPath) === path.dirname(source) ? 0 : 1);
    const tasks = this.all().filter((t) => t.sources.includes(source));
    return tasks.sort((a, b) => apart(a) - apart(b));
  }

  /** The task of a task file, read again: a command must see what is there now. */
  async read(uri: vscode.Uri): Promise<TaskEntry | undefined> {
    await this.load(uri);
    return this.entries.get(uri.toString());
  }

  /** All tasks of the workspace, by path. */
  all(): TaskEntry[] {
    return [...this.entries.values()].sort((a, b) => (a.uri.path < b.uri.path ? -1 : 1));
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  private async start(): Promise<void> {
    const watcher = vscode.workspace.createFileSystemWatcher(PATTERN);
    const reload = (uri: vscode.Uri) => void this.load(uri).then(() => this.changed.fire());
    this.disposables.push(
      watcher,
      watcher.onDidCreate(reload),
      watcher.onDidChange(reload),
      watcher.onDidDelete((uri) => {
        if (this.entries.delete(uri.toString())) this.changed.fire();
      }),
    );
    const found = await vscode.workspace.findFiles(PATTERN, NOT_IN, MOST);
    await Promise.all(found.map((uri) => this.load(uri)));
    if (found.length === MOST)
      this.editor.log.warn(`Only the first ${MOST} task files of this workspace are followed.`);
  }

  private async load(uri: vscode.Uri): Promise<void> {
    if (uri.scheme !== 'file') return;
    try {
      const open = vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri.toString());
      const text = open?.getText() ?? new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
      const outline = this.editor.engine().outlineTask(text);
      this.entries.set(uri.toString(), {
        uri,
        name: path.basename(uri.fsPath, '.task.json'),
        sources: outline.sources.map((s) => path.resolve(path.dirname(uri.fsPath), s)),
        outline,
      });
    } catch (error) {
      this.entries.delete(uri.toString());
      this.editor.log.warn(`${uri.fsPath} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
