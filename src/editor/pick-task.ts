// Which task a command is about: what its lens or menu said, else the active editor, else the person is asked.
import * as vscode from 'vscode';
import { concerns } from './launches.js';
import type { Kernels } from './kernels.js';
import type { TaskEntry, Tasks } from './tasks.js';

export class TaskPicker {
  constructor(
    private readonly tasks: Tasks,
    private readonly kernels: Kernels,
  ) {}

  /** The task to evaluate or optimize; a source that has none is told how to get one. */
  async pickToRun(target: unknown): Promise<TaskEntry | undefined> {
    await this.tasks.ready();
    const uri = target instanceof vscode.Uri ? target : activeUri();
    const isSource = uri !== undefined && /\.cuh?$/.test(uri.path);
    const hasTasks = isSource ? this.tasks.of(uri.fsPath).length > 0 : this.tasks.all().length > 0;
    if (hasTasks || (uri && isTaskFile(uri))) return this.pick(target);
    const create = 'New Task';
    const message = isSource
      ? `No task speaks of ${vscode.workspace.asRelativePath(uri)} yet.`
      : 'There is no task yet.';
    const choice = await vscode.window.showInformationMessage(message, ...(isSource ? [create] : []));
    if (choice === create) await vscode.commands.executeCommand('kernelseek.newTask', uri);
    return undefined;
  }

  /**
   * @param target what the command was given: a task file, a source, or nothing
   * @param among keeps tasks for which the command makes sense
   * @returns undefined when there is none, or she picked none
   */
  async pick(target: unknown, among?: (task: TaskEntry) => boolean): Promise<TaskEntry | undefined> {
    await this.tasks.ready();
    const uri = target instanceof vscode.Uri ? target : activeUri();
    if (uri && isTaskFile(uri)) {
      const task = await this.tasks.read(uri);
      if (!task) void vscode.window.showErrorMessage(`${vscode.workspace.asRelativePath(uri)} cannot be read.`);
      return task;
    }
    const fits = among ?? (() => true);
    const here = uri ? this.tasks.of(uri.fsPath).filter(fits) : [];
    const candidates = here.length > 0 ? await this.atCursor(here, uri) : this.tasks.all().filter(fits);
    const [only, ...others] = candidates;
    if (!only || (others.length === 0 && (here.length > 0 || among))) return only;
    const picked = await vscode.window.showQuickPick(
      candidates.map((task) => ({ label: task.name, description: vscode.workspace.asRelativePath(task.uri), task })),
      { title: 'KernelSeek', placeHolder: 'Which task?', matchOnDescription: true },
    );
    return picked?.task;
  }

  /** Of the tasks of a file, those about the kernel that the cursor is in or nearest below. */
  private async atCursor(tasks: TaskEntry[], uri: vscode.Uri | undefined): Promise<TaskEntry[]> {
    const editor = vscode.window.activeTextEditor;
    if (tasks.length < 2 || !editor || editor.document.uri.toString() !== uri?.toString()) return tasks;
    const file = await this.kernels.read(editor.document, new vscode.CancellationTokenSource().token);
    const line = editor.selection.active.line;
    const kernel = file?.kernels.find((k) => line <= k.range.end.line);
    const about = file && kernel ? tasks.filter((t) => concerns(t.outline, kernel.name, file)) : [];
    return about.length > 0 ? about : tasks;
  }
}

function activeUri(): vscode.Uri | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  // In a diff of ours the active editor is the candidate: its file is on the other side.
  if (tab instanceof vscode.TabInputTextDiff && tab.modified.scheme !== 'file') return tab.original;
  return vscode.window.activeTextEditor?.document.uri;
}

function isTaskFile(uri: vscode.Uri): boolean {
  return uri.path.endsWith('.task.json');
}
