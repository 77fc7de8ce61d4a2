// `kernelseek optimize`: runs a session to its end, shows it while it runs, and says what was won.
import { Option, type Command } from 'commander';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ASKERS, type Asker } from '../questions/types.js';
import { plainLine } from '../report/plain.js';
import { prepareTask } from '../runner/prepare.js';
import { SessionClient } from '../session/client.js';
import type { SessionState } from '../session/fold.js';
import { needsModel, strategy, type SessionPlace, type StartParams, type StrategyName } from '../session/protocol.js';
import type { CliContext } from './context.js';
import { resumeCommand, tellEnding } from './ending.js';
import { CliError, EXIT, exitCode, messageOf } from './exit.js';
import { onInterrupt } from './interrupt.js';
import {
  count,
  minutes,
  money,
  runnerAddress,
  seed,
  tokens,
  withRunnerOptions,
  type RunnerOptions,
} from './options.js';
import { lazyParser } from './parser.js';
import { ProgressLine } from './progress.js';
import { canSit, TerminalSeat } from './seat.js';
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
  ask?: Asker;
  detach?: boolean;
  tokens?: number;
  money?: number;
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
          'ask: a coding agent; equipped: the same, with a profiler; feedback: a writer and an advisor; tune: search over constants',
        ).choices(strategy.options),
      )
      .option('--evaluations <n>', `candidates to evaluate at most (default ${DEFAULT_BUDGET.evaluations})`, count)
      .option('--minutes <m>', `minutes to take at most (default ${DEFAULT_BUDGET.minutes})`, minutes)
      .option('--model <name>', 'model that proposes; its key comes from ANTHROPIC_API_KEY')
      .option('--base-url <url>', 'endpoint that speaks the Messages API (default ANTHROPIC_BASE_URL)')
      .option('--seed <n>', 'seed of the search, to repeat one', seed)
      .option('--tokens <n>', 'tokens of the model to use at most', tokens)
      .option('--money <usd>', 'US dollars to spend on the model at most', money)
      .addOption(
        new Option(
          '--ask <who>',
          'who asks the questions at decision moments: both (you, and the agent itself where you are away), human, agent',
        ).choices(ASKERS),
      )
      .option('--detach', 'print the id of the session and return; `attach` follows it')
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
  let seat: TerminalSeat | undefined;
  try {
    progress.update('starting the session');
    const place = await plan.begin(client);
    if (options.detach) return await leave(client, place, context);
    const mine = options.ask !== 'agent' && canSit(process.stdin, context.stderr, context.env);
    if (mine) {
      const detach = async (): Promise<void> => {
        seat?.close();
        await leave(client, place, context);
        process.exit(EXIT.ok);
      };
      seat = new TerminalSeat({
        link: client,
        input: process.stdin,
        progress,
        paint: context.paint.err,
        columns: () => context.stderr.columns || 80,
        onInterrupt: () => process.kill(process.pid, 'SIGINT'),
        onDetach: () => void detach().catch((error: unknown) => progress.log(plainLine(messageOf(error)))),
      });
    }
    const exit = await client.exited;
    seat?.close();
    progress.clear();
    if (!view.state) throw new CliError(exit.message ?? 'the session ended before it began', EXIT.unknown);
    if (isEmpty(view.state)) {
      // Nothing was measured: there is nothing to show, to keep or to go on with.
      if (options.resume === undefined) await rm(place.folder, { recursive: true, force: true });
      throw new CliError(view.state.finished?.message ?? 'the session ended before it began', EXIT.unknown);
    }
    await tellEnding(
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
    seat?.close();
    progress.clear();
    interrupt.release();
    client.dispose();
  }
}

/** Leaves a session running; its id alone goes to standard output, for scripts. */
async function leave(client: SessionClient, { session }: SessionPlace, context: CliContext): Promise<void> {
  await client.detach();
  context.stdout.write(`${session}\n`);
  context.stderr.write(`it goes on without this terminal; to follow it: ${context.program} attach ${session}\n`);
}

/** An original that is not correct gives the code that evaluating it gives. */
function codeOfFailure({ baseline }: SessionState): number {
  return baseline && baseline.status !== 'correct' ? exitCode(baseline.status) : EXIT.unknown;
}

/** True for a session that failed before the original was measured. */
function isEmpty({ finished, baseline, candidates }: SessionState): boolean {
  return finished?.reason === 'failed' && baseline === undefined && candidates.length === 0;
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
  const common = { ask: options.ask, target: options.target, runner: await runnerAddress(options, context), model };
  if (options.resume !== undefined) {
    const workspace = workspaceIn(task === undefined ? context.cwd : path.dirname(path.resolve(context.cwd, task)));
    const listing = await findSession(workspace, options.resume);
    if ('error' in listing) throw new CliError(`session ${listing.session} cannot go on: ${listing.error}`);
    if (options.strategy !== undefined && options.strategy !== listing.state.strategy) {
      throw new CliError(`session ${listing.session} has the strategy ${listing.state.strategy}; it cannot change`);
    }
    const { state, folder: session } = listing;
    const { evaluations, minutes: most, tokens: read, money: usd } = options;
    const asked = [evaluations, most, read, usd].some((limit) => limit !== undefined);
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
  return {
    evaluations: options.evaluations ?? other.evaluations,
    minutes: options.minutes ?? other.minutes,
    tokens: options.tokens ?? other.tokens,
    money: options.money ?? other.money,
  };
}
