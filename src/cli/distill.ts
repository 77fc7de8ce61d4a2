// `kernelseek distill`: takes the best apart, change by change, and keeps what pays.
import type { Command } from 'commander';
import path from 'node:path';
import type { EvaluateParams } from '../../remote-runner/protocol.js';
import { diffLines } from '../report/diff.js';
import { interval, times } from '../report/numbers.js';
import { plainLine } from '../report/plain.js';
import { targetLine } from '../report/terminal.js';
import { prepareTask } from '../runner/prepare.js';
import { RunnerError } from '../runner/types.js';
import { distill, type Distilled, type Trial } from '../session/distill/distill.js';
import { recordDistilled } from '../session/distill/record.js';
import { isLocked } from '../session/lock.js';
import { redactor } from '../session/secrets.js';
import { storedTask } from '../session/task-store.js';
import { bestSources, writeSources, type Best } from './best.js';
import { say, type CliContext } from './context.js';
import { CliError, EXIT } from './exit.js';
import { givenSession, type GivenSession } from './given-session.js';
import { newFolder } from './new-folder.js';
import { runnerAddress, withRunnerOptions, type RunnerOptions } from './options.js';
import { lazyParser } from './parser.js';
import { withRunner } from './runner.js';

interface Options extends RunnerOptions {
  write?: string;
}

export function registerDistill(program: Command, context: CliContext): void {
  withRunnerOptions(
    program
      .command('distill')
      .description('revert each change of the best alone, drop what does not pay, confirm the rest')
      .argument('[session]', 'its id, the end of it, or its folder; the newest of this folder where none is given')
      .option(
        '--write <folder>',
        'write the result into a new folder; otherwise it becomes a candidate of the session',
      ),
  ).action((session: string | undefined, options: Options) => run(session, options, context));
}

async function run(session: string | undefined, options: Options, context: CliContext): Promise<void> {
  const given = await givenSession(session, context);
  const best = await bestSources(given.folder, given.state);
  if (!best) throw new CliError(`session ${given.session} has no confirmed best to take apart`, EXIT.bad);
  const into = options.write === undefined ? undefined : await newFolder(path.resolve(context.cwd, options.write));
  if (into === undefined && (await isLocked(given.folder))) {
    throw new CliError(`session ${given.session} is running: wait for its end, or give --write FOLDER`);
  }
  const address = await runnerAddress(options, context);
  const result = await takeApart(given, best, options, address, context);
  if (!result.verdict) {
    say(context, ['', `every change of ${best.id} pays, or cannot be told from one that does: nothing to drop`]);
    return;
  }
  const note = `distilled from ${best.id}: ${result.kept.length} of ${result.trials.length} changes`;
  const paint = context.paint.out;
  say(context, ['', `${note}; without the rest it is ${beside(result)}`, '']);
  say(context, diffLines(best.original, result.sources, paint));
  if (into !== undefined) {
    say(context, ['', ...(await writeSources(into, result.sources)).map((file) => `wrote ${file}`)]);
    return;
  }
  const { sources, verdict } = result;
  const redact = redactor([address.token]);
  const id = await recordDistilled(given.folder, { winner: best.id, sources, verdict, note }, redact);
  say(context, ['', `recorded as ${id} of session ${given.session}`]);
}

async function takeApart(
  { folder, state, workspace }: GivenSession,
  best: Best,
  options: Options,
  address: Awaited<ReturnType<typeof runnerAddress>>,
  context: CliContext,
): Promise<Distilled> {
  const file = path.resolve(workspace, state.task);
  const now = await prepareTask(file, { parser: lazyParser(context.dist), root: workspace });
  const wire = await storedTask(folder, now);
  const before = state.baseline?.target;
  const target = options.target === 'auto' ? (before?.kind ?? 'auto') : options.target;
  return withRunner(address, context, async ({ run: job, progress, connection }) => {
    if (before && !connection.about.targets.some((t) => t.id === before.id)) {
      throw new CliError(
        `session was measured on ${targetLine(before)}, which this runner does not offer`,
        EXIT.unknown,
      );
    }
    return distill({
      original: best.original,
      winner: best.sources,
      compare: async (candidate, what) => {
        progress.log(plainLine(`${best.id} ${what}`));
        const params: EvaluateParams = {
          kind: 'evaluate',
          task: wire,
          candidate,
          incumbent: best.sources,
          target,
          mode: 'confirm',
        };
        const result = await job(params, now.files);
        if (result.kind === 'verdict') return result.verdict;
        throw new RunnerError('protocol', 'the runner answered an evaluation with something else');
      },
      onTrial: (trial) => {
        progress.clear();
        say(context, [trialLine(trial, best.id, context)]);
      },
    });
  });
}

/** `k.cu:12 (+1 −2): pays: without it 0.71× [0.70, 0.72] of c5`. */
function trialLine({ change, verdict, ratio, pays }: Trial, winner: string, { paint }: CliContext): string {
  const lines = (text: string): number => text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
  const where = `${plainLine(change.path, 80)}:${change.line} (+${lines(change.added)} −${lines(change.removed)})`;
  const word = pays ? paint.out('green', 'pays') : paint.out('yellow', 'does not pay');
  const without =
    verdict.status !== 'correct' ? verdict.status : ratio ? `${interval(ratio)} of ${winner}’s speed` : 'not timed';
  return `${where}: ${word}: without it ${without}`;
}

/** `1.003× [0.99, 1.02] of the winner’s speed and 2.10× [2.06, 2.14] over the original`. */
function beside({ verdict }: Distilled): string {
  const over = verdict?.overIncumbent ? interval(verdict.overIncumbent) : times(1);
  return `${over} of the winner’s speed${verdict?.speedup ? ` and ${interval(verdict.speedup)} over the original` : ''}, confirmed`;
}
