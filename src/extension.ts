// Composition root for VS Code: makes the features and ties them together. Whatever is heavy loads on first need.
import { createRequire } from 'node:module';
import * as vscode from 'vscode';
import { Apply } from './editor/apply.js';
import { Candidates } from './editor/candidates.js';
import type { Editor } from './editor/context.js';
import { Problems } from './editor/diagnostics.js';
import { Evaluate } from './editor/evaluate.js';
import { Kernels } from './editor/kernels.js';
import { ModelKey } from './editor/key.js';
import { KernelLenses } from './editor/lenses.js';
import { Tolerance } from './editor/measure-tolerance.js';
import { NewTask } from './editor/new-task.js';
import { Optimize } from './editor/optimize.js';
import { TaskPicker } from './editor/pick-task.js';
import { Results } from './editor/results.js';
import { Runner } from './editor/runner.js';
import { Sessions } from './editor/sessions.js';
import { Status } from './editor/status.js';
import { Tasks } from './editor/tasks.js';
import { Typing } from './editor/typing.js';

let runner: Runner | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('KernelSeek', { log: true });
  const load = createRequire(__filename);
  const editor: Editor = {
    log,
    memory: context.workspaceState,
    secrets: context.secrets,
    dist: __dirname,
    engine: () => load('./engine.js') as ReturnType<Editor['engine']>,
  };
  const tasks = new Tasks(editor);
  const kernels = new Kernels(editor);
  const results = new Results(editor);
  const sessions = new Sessions(editor);
  const problems = new Problems();
  const picker = new TaskPicker(tasks, kernels);
  const candidates = new Candidates(tasks, sessions, picker);
  const key = new ModelKey(editor);
  const typing = new Typing();
  runner = new Runner(editor);
  context.subscriptions.push(
    log,
    tasks,
    results,
    sessions,
    problems,
    runner,
    candidates.register(),
    key.register(),
    typing.register(),
    new Status(results, sessions).register(),
    new KernelLenses(editor, tasks, kernels, results, sessions).register(),
    new Evaluate(editor, results, problems, runner, picker).register(),
    new Optimize(editor, sessions, candidates, picker, key, typing).register(),
    new Apply(sessions, candidates, picker).register(),
    new NewTask(editor, problems, new Tolerance(editor, results, problems, runner)).register(),
    tasks.onDidChange(() => void problems.retain(new Set(tasks.all().map((t) => t.uri.toString())))),
    vscode.commands.registerCommand('kernelseek.showLog', () => log.show(true)),
  );
}

/** The local runner ends with the window. */
export async function deactivate(): Promise<void> {
  await runner?.close();
}
