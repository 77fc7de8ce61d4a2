// `kernelseek optimize`: runs a session to its end, shows it while it runs, and says what was won.
import { Option, type Command } from 'commander';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { diffLines } from '../report/diff.js';
import { plainLine } from '../report/plain.js';
import { candidateLines, summaryLines } from '../report/session.js';
import { verdictLines } from '../report/terminal.js';
import { prepareTask } from '../runner/prepare.js';
import { SessionClient } from '../session/client.js';
import type { SessionState } from '../session/fold.js';
import { needsModel, strategy, type SessionPlace, type StartParams, type StrategyName } from '../session/protocol.js';
import { applyBest, bestSources } from './best.js';
import type { CliContext } from './context.js';
import { CliError, EXIT, exitCode } from './exit.js';
import { onInterrupt } from './interrupt.js';
import { count, minutes, runnerAddress, seed, withRunnerOptions, type RunnerOptions } from './options.js';
import { lazyParser } from './parser.js';
import { shellWord } from './program.js';
import { ProgressLine } from './progress.js';
import { SessionView } from './session-view.js';
import { findSession, workspaceIn } from './sessions.js';
import { taskFileOf, tunablesFault } from './task-file.js';

interface Options extends RunnerOptions {
  strategy?: StrategyName;
  evaluations?: number;
  minutes?: number;
  model?: string;
  baseUrl?: string;
  seed?: number;
  resume?: string;
  apply?: boolean;
  jsonEvents?: boolean;
}

const DEFAULT_BUDGET = { evaluations: 40, minutes: 15 };

export function registerOptimize(program: Command, context: CliContext): void {
  withRunnerOptions(
    program
      .command('optimize')
      .description('search for a faster kernel')
      .argument('[task]', 'NAME.task.json; not needed with --resume')
      .addOption(
        new Option(
          '--strategy <strategy>',
          'ask: a coding agent; equipped: the same, with a profiler; tune: search over constants',
        ).choices(strategy.options),
      )
      .option('--evaluations <n>', `candidates to evaluate at most (default ${DEFAULT_BUDGET.evaluations})`, count)
      .option('--minutes <m>', `minutes to take at most (default ${DEFAULT_BUDGET.minutes})`, minutes)
      .option('--model <name>', 'model that proposes; its key comes from ANTHROPIC_API_KEY')
      .option('--base-url <url>', 'endpoint that speaks the Messages API (default ANTHROPIC_BASE_URL)')
      .option('--seed <n>', 'seed of the search, to repeat one', seed)
      .option('--resume <id>', 'go on with a session')
      .option('--apply', 'write the best candidate into its files, if they are unchanged')
      .option('--json-events', 'print the events of the session as JSON lines'),
  ).action((task: string | undefined, options: Options) => optimize(task, options, context));
}

async function optimize(task: string | undefined, options: Options, context: CliContext): Promise<void> {
  const bundle = path.join(context.dist, 'session.js');
  const plan = await planOf(task, options, context);
  const progress = new ProgressLine(context.stderr, context.env);
  const jsonLine = options.jsonEvents ? (line: string) => void context.stdout.write(`${line}\n`) : undefined;
  const view = new SessionView(progress, context.paint.err, jsonLine, plan.state);
  const log = (line: string) => progress.log(context.paint.err('dim', plainLine(line)));
  const client = new SessionClient({ bundle, log, env: context.env });
  client.onEvent((event) => view.event(event));
  client.onProgress((p) => view.update(p));
  const interrupt = onInterrupt(
    () => {
      progress.log('stopping; the best so far is kept (Ctrl-C again ends at once)');
      client.stop().catch((error: unknown) => progress.log(plainLine(String(error))));
    },
    () => void client.kill(),
  );
  try {
    progress.update('starting the session');
    const place = await plan.begin(client);
    const exit = await client.exited;
    progress.clear();
    if (!view.state) throw new CliError(exit.message ?? 'the session ended before it began', EXIT.unknown);
    if (isEmpty(view.state)) {
      // Nothing was measured: there is nothing to show, to keep or to go on with.
      if (options.resume === undefined) await rm(place.folder, { recursive: true, force: true });
      throw new CliError(view.state.finished?.message ?? 'the session ended before it began', EXIT.unknown);
    }
    await tell(
      view.state,
      place,
      plan.root,
      { ...options, apply: options.apply && !interrupt.signal.aborted },
      context,
    );
    if (interrupt.signal.aborted) process.exitCode = EXIT.interrupted;
    else if (exit.code !== 0)
      throw new CliError(
        `${exit.message ?? 'the session broke off'}\nnothing is lost: ${resumeCommand(view.state, plan.root, options, context)}`,
        EXIT.unknown,
      );
    else if (view.state.finished?.reason === 'failed') process.exitCode = codeOfFailure(view.state);
  } finally {
    progress.clear();
    interrupt.release();
    client.dispose();
  }
}

/** An original that is not correct gives the code that evaluating it gives. */
function codeOfFailure({ baseline }: SessionState): number {
  return baseline && baseline.status !== 'correct' ? exitCode(baseline.status) : EXIT.unknown;
}

/** True for a session that failed before the original was measured. */
function isEmpty({ finished, baseline, candidates }: SessionState): boolean {
  return finished?.reason === 'failed' && baseline === undefined && candidates.length === 0;
}

/** The command that goes on with a session, wherever it is typed. */
function resumeCommand(
  { session, task }: SessionState,
  root: string,
  options: Options,
  { program }: CliContext,
): string {
  const runner = options.runner === undefined ? '' : ` --runner ${shellWord(options.runner)}`;
  return `${program} optimize ${shellWord(plainLine(path.join(root, task)))} --resume ${session}${runner}`;
}

interface Plan {
  /** Folder that source paths are relative to. */
  root: string;
  /** State so far, of a session that is resumed. */
  state?: SessionState;
  begin: (client: SessionClient) => Promise<SessionPlace>;
}

async function planOf(task: string | undefined, options: Options, context: CliContext): Promise<Plan> {
  const { env } = context;
  const key = env.ANTHROPIC_API_KEY || undefined;
  const model = { key, baseUrl: options.baseUrl ?? (env.ANTHROPIC_BASE_URL || undefined), name: options.model };
  const common = { target: options.target, runner: await runnerAddress(options, context), model };
  if (options.resume !== undefined) {
    const workspace = workspaceIn(task === undefined ? context.cwd : path.dirname(path.resolve(context.cwd, task)));
    const listing = await findSession(workspace, options.resume);
    if ('error' in listing) throw new CliError(`session ${listing.session} cannot go on: ${listing.error}`);
    if (options.strategy !== undefined && options.strategy !== listing.state.strategy) {
      throw new CliError(`session ${listing.session} has the strategy ${listing.state.strategy}; it cannot change`);
    }
    const { state, folder: session } = listing;
    const asked = options.evaluations !== undefined || options.minutes !== undefined;
    const budget = asked ? budgetOf(options, state.budget) : undefined;
    return { root: workspace, state, begin: (client) => client.resume({ ...common, session, budget }) };
  }
  if (task === undefined) throw new CliError(`which task? ${context.program} optimize NAME.task.json`);
  const file = taskFileOf(task, context);
  const { strategy: name } = options;
  if (name !== undefined && needsModel(name) && key === undefined && model.baseUrl === undefined) {
    throw new CliError(`--strategy ${name} needs a model key in ANTHROPIC_API_KEY; --strategy tune needs none`);
  }
  const root = workspaceIn(path.dirname(file));
  // The session does this again; here an error in the task is still one with its own exit code.
  const parser = lazyParser(context.dist);
  const fault = await tunablesFault(await prepareTask(file, { parser, root }), parser);
  if (fault) throw fault;
  const params: StartParams = {
    ...common,
    task: file,
    strategy: options.strategy,
    budget: budgetOf(options, DEFAULT_BUDGET),
    seed: options.seed,
  };
  return { root, begin: (client) => client.start(params) };
}

function budgetOf(options: Options, other: StartParams['budget']): StartParams['budget'] {
  return { evaluations: options.evaluations ?? other.evaluations, minutes: options.minutes ?? other.minutes };
}

/** The end of a session: table, summary, diff, where things lie. To standard error where events went to standard output. */
async function tell(
  state: SessionState,
  place: SessionPlace,
  root: string,
  options: Options,
  context: CliContext,
): Promise<void> {
  const [stream, paint] = options.jsonEvents
    ? [context.stderr, context.paint.err]
    : [context.stdout, context.paint.out];
  const print = (...lines: string[]) => stream.write(lines.map((line) => `${line}\n`).join(''));
  const { baseline } = state;
  if (baseline && baseline.status !== 'correct') print('', 'the original:', ...verdictLines(baseline, paint));
  else if (state.candidates.length > 0) print('', ...candidateLines(state, paint));
  print('', ...summaryLines(state, paint));
  print(`session: ${place.folder}`);
  const { finished } = state;
  if (finished?.reason === 'stopped') print(`to go on: ${resumeCommand(state, root, options, context)}`);
  if (finished?.reason === 'budget') {
    print(`to go on: ${resumeCommand(state, root, options, context)} with more --evaluations or --minutes`);
  }
  const best = await bestSources(place.folder, state);
  if (!best) return;
  print('', ...diffLines(best.original, best.sources, paint), '');
  if (options.apply) {
    print(...(await applyBest(root, best)).map((file) => `applied to ${file}`));
  } else {
    print(
      'to take it, into the folder "faster" here (or optimize with --apply):',
      `  ${context.program} sessions ${shellWord(root)} --show ${place.session} --write faster`,
    );
  }
}
