// Evaluates a task as it stands in the editor and shows the verdict in lens, Problems view and log.
import * as path from 'node:path';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Verdict } from '../../remote-runner/protocol.js';
import type { Editor } from './context.js';
import type { Problems } from './diagnostics.js';
import { presentTexts, unsavedTexts } from './overlay.js';
import type { TaskPicker } from './pick-task.js';
import type { Problem } from './problems.js';
import { problemsOf } from './problems.js';
import { hashText, type Results, type Running } from './results.js';
import type { Runner } from './runner.js';
import { runnerSettings, taskSettings } from './settings.js';
import type { TaskEntry } from './tasks.js';
import { offer } from './messages.js';
import { requireTrust } from './trust.js';
import { factsOf } from './verdict-text.js';

export class Evaluate {
  constructor(
    private readonly editor: Editor,
    private readonly results: Results,
    private readonly problems: Problems,
    private readonly runner: Runner,
    private readonly picker: TaskPicker,
  ) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand('kernelseek.evaluate', async (target: unknown) => {
        const task = await this.picker.pickToRun(target);
        if (task) await this.evaluate(task);
      }),
      vscode.commands.registerCommand('kernelseek.cancelEvaluation', (target: unknown) => {
        const one = target instanceof vscode.Uri ? this.results.evaluation(target) : undefined;
        for (const running of one ? [one] : this.results.evaluations()) running.cancel();
      }),
    );
  }

  /** Resolves when the verdict is shown, or the reason why there is none. */
  async evaluate(task: TaskEntry): Promise<void> {
    if (!(await requireTrust())) return;
    // Evaluated again before the end: the newer text is what she wants to know about.
    this.results.evaluation(task.uri)?.cancel();
    const abort = new AbortController();
    const running: Running = { phase: 'Preparing', cancel: () => abort.abort() };
    this.results.start(task.uri, running);
    try {
      await this.judge(task, running, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) await this.explain(task, error);
    } finally {
      this.results.finish(task.uri, running);
    }
  }

  private async judge(task: TaskEntry, running: Running, signal: AbortSignal): Promise<void> {
    const { log } = this.editor;
    const texts = await presentTexts(task.sources);
    const prepared = await this.editor
      .engine()
      .prepareEvaluation(this.editor.dist, task.uri.fsPath, unsavedTexts(), task.sources);
    await this.problems.clear(task.uri, task.uri.fsPath);
    this.progress(running, runnerSettings().url === undefined ? 'Starting runner' : 'Connecting');
    const connection = await this.runner.get(signal);
    signal.throwIfAborted();
    this.progress(running, PHASES.queued);
    log.info(
      `${task.name}: evaluating ${prepared.candidate ? 'the unsaved text against the saved file' : 'the saved file'}`,
    );
    const result = await connection.run(
      randomUUID(),
      {
        kind: 'evaluate',
        task: prepared.wire,
        ...(prepared.candidate && { candidate: prepared.candidate }),
        target: taskSettings(task.uri).target,
        mode: 'first',
      },
      prepared.files,
      { signal, onProgress: (p) => this.progress(running, phaseText(p)) },
    );
    if (result.kind === 'verdict') await this.show(task, result.verdict, prepared.root, texts, !prepared.candidate);
  }

  private async show(
    task: TaskEntry,
    verdict: Verdict,
    root: string,
    texts: Record<string, string>,
    isOriginal: boolean,
  ): Promise<void> {
    const lines = this.editor.engine().verdictLines(verdict, this.editor.engine().noPaint);
    this.editor.log.info([`Verdict on ${task.name}`, ...lines].join('\n'));
    this.results.setVerdict(task.uri, {
      facts: factsOf(verdict, isOriginal),
      texts: Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, hashText(text)])),
      at: Date.now(),
    });
    await this.problems.set(task.uri, problemsOf(verdict, root, task.sources[0] ?? task.uri.fsPath));
  }

  /** No verdict: a faulty task is shown at its place, the road to the runner in one sentence with the log at hand. */
  private async explain(task: TaskEntry, error: unknown): Promise<void> {
    const engine = this.editor.engine();
    const message = error instanceof Error ? error.message : String(error);
    this.editor.log.error(`${task.name}: ${message}`);
    if (error instanceof engine.TaskError) {
      const document = await vscode.workspace.openTextDocument(task.uri);
      const faults = error instanceof engine.TaskErrors ? error.errors : [error];
      const problems = faults.map((fault) => taskProblem(document, fault, engine.locateJsonPath));
      await this.problems.set(task.uri, problems);
      const [problem] = problems;
      if (!problem) return;
      const selection = new vscode.Range(problem.line, problem.column ?? 0, problem.line, problem.column ?? 0);
      offer(`${path.basename(task.uri.fsPath)}: ${message}`, 'Show Task', () => {
        void vscode.window.showTextDocument(document, { selection });
      });
      return;
    }
    if (error instanceof engine.RunnerError && error.code === 'lost') this.runner.drop();
    offer(`${task.name}: ${message}`, 'Show Log', () => this.editor.log.show());
  }

  private progress(running: Running, phase: string): void {
    running.phase = phase;
    this.results.progressed();
  }
}

const PHASES = { queued: 'Waiting', build: 'Compiling', check: 'Checking', time: 'Timing', done: 'Done' } as const;

function phaseText(p: { phase: keyof typeof PHASES; done?: number; total?: number }): string {
  const count = p.done !== undefined && p.total !== undefined && p.total > 1 ? ` ${p.done} of ${p.total}` : '';
  return `${PHASES[p.phase]}${count}`;
}

function taskProblem(
  document: vscode.TextDocument,
  error: { path: string; message: string },
  locate: (text: string, jsonPath: string) => { offset: number; length: number } | undefined,
): Problem {
  const place = locate(document.getText(), error.path);
  const at = document.positionAt(place?.offset ?? 0);
  const end = document.positionAt((place?.offset ?? 0) + (place?.length ?? 0));
  return {
    file: document.uri.fsPath,
    line: at.line,
    column: at.character,
    ...(end.line === at.line && { length: end.character - at.character }),
    severity: 'error',
    message: error.message,
    related: [],
  };
}
