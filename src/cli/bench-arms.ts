// `kernelseek bench arms`: strategies side by side on the same tasks, with one model, the same seeds and the same budget.
import type { Command } from 'commander';
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type ArmRun, runOf, summariesOf } from '../bench/arms.js';
import { armLines } from '../bench/arms-table.js';
import { classifyEdit } from '../questions/levels.js';
import type { Level } from '../questions/types.js';
import { writeAtomically } from '../questions/write-atomically.js';
import { plainJson, plainLine } from '../report/plain.js';
import { prepareTask } from '../runner/prepare.js';
import { SessionClient } from '../session/client.js';
import { candidateOf, type SessionState } from '../session/fold.js';
import { History } from '../session/history.js';
import { FOLDER, isSessionId, sessionFolder } from '../session/place.js';
import { needsModel, type SessionPlace, type StartParams, strategy, type StrategyName } from '../session/protocol.js';
import { readSession } from '../session/sessions.js';
import { type CliContext, say } from './context.js';
import { CliError, EXIT } from './exit.js';
import { onInterrupt } from './interrupt.js';
import { count, minutes, runnerAddress, type RunnerOptions, withRunnerOptions } from './options.js';
import { lazyParser } from './parser.js';
import { ProgressLine } from './progress.js';
import { SessionView } from './session-view.js';
import { workspaceIn } from './sessions.js';
import { taskFileOf } from './task-file.js';

interface Options extends RunnerOptions {
  arms: string;
  seeds: number;
  evaluations: number;
  minutes: number;
  model?: string;
  baseUrl?: string;
  json?: boolean;
}

export function registerBenchArms(bench: Command, context: CliContext): void {
  withRunnerOptions(
    bench
      .command('arms')
      .description('run strategies side by side with one model; what was run before is not run again')
      .argument('<tasks...>', 'NAME.task.json')
      .option('--arms <names>', `comma-separated, of ${strategy.options.join(', ')}`, 'ask,equipped')
      .option('--seeds <n>', 'sessions of each arm on each task, with the seeds 1 to n', count, 3)
      .option('--evaluations <n>', 'candidates that a session evaluates at most', count, 40)
      .option('--minutes <m>', 'minutes that a session takes at most', minutes, 15)
      .option('--model <name>', 'the model of every arm; its key comes from ANTHROPIC_API_KEY')
      .option('--base-url <url>', 'endpoint that speaks the Messages API (default ANTHROPIC_BASE_URL)')
      .option('--json', 'one JSON document on standard output'),
  ).action((tasks: string[], options: Options) => benchArms(tasks, options, context));
}

/** One session to run. */
interface Planned {
  params: StartParams & { strategy: StrategyName; seed: number };
  /** As it is shown. */
  task: string;
  workspace: string;
  /** Names everything that its result depends on. */
  key: string;
}

async function benchArms(tasks: string[], options: Options, context: CliContext): Promise<void> {
  const plan = await planOf(tasks, armsOf(options, context), options, context);
  const interrupt = onInterrupt(() => context.stderr.write('stopping; the same command goes on from here\n'));
  const runs: ArmRun[] = [];
  try {
    for (const [i, planned] of plan.entries()) {
      if (interrupt.signal.aborted) break;
      const { strategy: arm, seed } = planned.params;
      const label = `${i + 1} of ${plan.length}: ${planned.task}, ${arm}, seed ${seed}`;
      const folder = await finishedSession(planned, label, interrupt.signal, context);
      if (folder !== undefined) runs.push(await resultOf(folder, planned, context));
    }
  } finally {
    interrupt.release();
  }
  const summaries = summariesOf(runs);
  if (options.json) say(context, [plainJson({ runs, summaries }, 2)]);
  else
    say(
      context,
      armLines(runs, summaries).map((line) => plainLine(line, 400)),
    );
  if (interrupt.signal.aborted) process.exitCode = EXIT.interrupted;
  else if (runs.length < plan.length) process.exitCode = EXIT.unknown;
}

function armsOf({ arms, baseUrl }: Options, { env }: CliContext): StrategyName[] {
  const names = [...new Set(arms.split(','))].map((name) => {
    const parsed = strategy.safeParse(name);
    if (!parsed.success) throw new CliError(`--arms ${name}: there are ${strategy.options.join(', ')}`);
    return parsed.data;
  });
  const reachable = env.ANTHROPIC_API_KEY || env.ANTHROPIC_BASE_URL || baseUrl !== undefined;
  const needy = names.find((name) => needsModel(name));
  if (needy !== undefined && !reachable) {
    throw new CliError(`the arm ${needy} needs a model key in ANTHROPIC_API_KEY, or --base-url`);
  }
  return names;
}

/** Seed by seed, the arms of a seed one after the other: what drifts on a machine meets all of them alike. */
async function planOf(
  tasks: string[],
  arms: StrategyName[],
  options: Options,
  context: CliContext,
): Promise<Planned[]> {
  const { env } = context;
  const { target, evaluations } = options;
  const common = {
    target,
    runner: await runnerAddress(options, context),
    model: {
      key: env.ANTHROPIC_API_KEY || undefined,
      baseUrl: options.baseUrl ?? (env.ANTHROPIC_BASE_URL || undefined),
      name: options.model,
    },
    budget: { evaluations, minutes: options.minutes },
    // Nobody sits at the seat of a bench.
    ask: 'agent' as const,
  };
  const planned: Planned[] = [];
  for (const given of tasks) {
    const file = taskFileOf(given, context);
    const workspace = workspaceIn(path.dirname(file));
    const { wire } = await prepareTask(file, { parser: lazyParser(context.dist), root: workspace });
    for (let seed = 1; seed <= options.seeds; seed++) {
      for (const arm of arms) {
        const { key: _secret, ...model } = common.model;
        const about = [file, wire, arm, seed, common.budget, needsModel(arm) ? model : null, target, options.runner];
        const key = createHash('sha256').update(JSON.stringify(about)).digest('hex');
        planned.push({ params: { ...common, task: file, strategy: arm, seed }, task: given, workspace, key });
      }
    }
  }
  return planned;
}

const ledger = z.record(z.string(), z.string().refine(isSessionId));

/** Which session is the run of a key, for the next call of the command. */
function ledgerFile(workspace: string): string {
  return path.join(workspace, FOLDER, 'arms.json');
}

async function readLedger(workspace: string): Promise<z.infer<typeof ledger>> {
  const file = ledgerFile(workspace);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    return ledger.parse(JSON.parse(text));
  } catch {
    throw new CliError(`${file} is damaged; remove it to run everything anew`);
  }
}

/** Brings a run to its end, from wherever an earlier call left it; undefined when it broke off or was stopped. */
async function finishedSession(
  { params, workspace, key }: Planned,
  label: string,
  signal: AbortSignal,
  context: CliContext,
): Promise<string | undefined> {
  const known = (await readLedger(workspace))[key];
  const before = known === undefined ? undefined : await readSession(sessionFolder(workspace, known));
  const state = before && !('error' in before) ? before.state : undefined;
  if (before && state && isOver(state)) return before.folder;
  const progress = new ProgressLine(context.stderr, context.env);
  const log = (line: string): void => progress.log(context.paint.err('dim', plainLine(line)));
  const view = new SessionView(progress, context.paint.err, undefined, state);
  const client = new SessionClient({ bundle: path.join(context.dist, 'session.js'), log, env: context.env });
  client.onEvent((event) => view.event(event));
  client.onProgress((p) => view.update(p));
  const stop = (): void => void client.stop().catch((error: unknown) => log(String(error)));
  signal.addEventListener('abort', stop, { once: true });
  try {
    progress.log(context.paint.err('bold', plainLine(label)));
    const { target, runner, model, ask } = params;
    const place: SessionPlace =
      before && state
        ? await client.resume({ target, runner, model, ask, session: before.folder })
        : await client.start(params);
    if (!state) {
      await mkdir(path.join(workspace, FOLDER), { recursive: true });
      const all = { ...(await readLedger(workspace)), [key]: place.session };
      await writeAtomically(ledgerFile(workspace), `${JSON.stringify(all, null, 2)}\n`);
    }
    const exit = await client.exited;
    if (view.state && isOver(view.state)) return place.folder;
    const why = exit.message ?? view.state?.finished?.message ?? 'it did not end';
    if (!signal.aborted) progress.log(plainLine(`left out: ${label}: ${why}; the same command tries it again`));
    return undefined;
  } finally {
    signal.removeEventListener('abort', stop);
    progress.clear();
    client.dispose();
  }
}

/** Ended by itself: what failed or was stopped is gone on with. */
function isOver({ finished }: SessionState): boolean {
  return finished !== undefined && finished.reason !== 'failed' && finished.reason !== 'stopped';
}

async function resultOf(folder: string, { task }: Planned, context: CliContext): Promise<ArmRun> {
  const listing = await readSession(folder);
  if ('error' in listing) throw new CliError(`session ${listing.session}: ${listing.error}`, EXIT.unknown);
  const { state } = listing;
  const history = await History.open(folder);
  const original = await history.read(await history.find('original'));
  const parser = await lazyParser(context.dist)();
  const sources = new Map<string, typeof original>();
  for (const c of state.candidates) sources.set(c.id, await history.read(c.commit));
  const sourcesOf = ({ id }: { id: string }) => sources.get(id) ?? original;
  return runOf(state, task, {
    original,
    sourcesOf,
    levelsOf: (candidate): readonly Level[] => {
      const parent = candidateOf(state, candidate.parent);
      const before = parent ? sourcesOf(parent) : original;
      return candidate.levels ?? classifyEdit(parser, before, sourcesOf(candidate)).map((change) => change.level);
    },
  });
}
