// `kernelseek init`: proposes a task for a .cu file, measures its tolerance, and evaluates it once.
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Calibration } from '../../remote-runner/protocol.js';
import { plainLine } from '../report/plain.js';
import { calibrationHint } from '../report/original.js';
import { diagnosticLines, targetLine, verdictLines } from '../report/terminal.js';
import { draftTask, type Draft } from '../runner/draft.js';
import { prepareTask } from '../runner/prepare.js';
import { RunnerError } from '../runner/types.js';
import { taskText, withTolerances } from '../task/task-text.js';
import { freezeTolerance } from '../task/tolerance.js';
import { say, type CliContext } from './context.js';
import { CliError, EXIT, exitCode } from './exit.js';
import { runnerAddress, withRunnerOptions, type RunnerOptions } from './options.js';
import { lazyParser } from './parser.js';
import { shellWord } from './program.js';
import { withRunner, type JobRunner } from './runner.js';

interface Options extends RunnerOptions {
  force?: boolean;
}

export function registerInit(program: Command, context: CliContext): void {
  withRunnerOptions(
    program
      .command('init')
      .description('propose a task for a kernel, measure its tolerance, evaluate it once')
      .argument('<file>', 'FILE.cu; the task is written beside it as FILE.task.json')
      .option('--force', 'overwrite a task file that is there'),
  ).action((file: string, options: Options) => init(path.resolve(context.cwd, file), options, context));
}

async function init(file: string, options: Options, context: CliContext): Promise<void> {
  if (!/\.(cu|cuh|cpp)$/i.test(file)) {
    throw new CliError(`${path.basename(file)} is no CUDA source: give init a .cu, .cuh or .cpp file`);
  }
  if (!existsSync(file)) throw new CliError(`${file} does not exist`);
  const parser = lazyParser(context.dist);
  const draft = await draftTask(file, { parser });
  const { proposal, taskFile } = draft;
  if (existsSync(taskFile) && !options.force) {
    throw new CliError(`${taskFile} is there already; --force overwrites it`);
  }
  const address = await runnerAddress(options, context);
  for (const warning of draft.warnings)
    say(context, [`${context.paint.out('yellow', 'warning')}: ${plainLine(warning)}`]);
  await write(taskFile, taskText(proposal), options);
  tellProposal(draft, context);
  if (proposal.missing.length > 0) {
    say(context, ['', `Fill in what is marked MISSING, then: ${commandOn(taskFile, 'evaluate', context)}`]);
    process.exitCode = EXIT.task;
    return;
  }
  await withRunner(address, context, async (runner) => {
    await measure(draft, runner, options, context);
  });
}

function tellProposal({ proposal, taskFile }: Draft, context: CliContext): void {
  const { task, guesses, missing } = proposal;
  const paint = context.paint.out;
  const called = ['entry', 'kernel'].flatMap((key) => (task[key] === undefined ? [] : `: ${key} ${String(task[key])}`));
  say(context, [
    `wrote ${taskFile}${plainLine(called.join(''))}`,
    ...missing.map(({ path: at, what }) => `  ${paint('red', 'missing')} ${plainLine(at)}: ${plainLine(what)}`),
    ...guesses.map(({ path: at, why }) => `  ${paint('cyan', 'guessed')} ${plainLine(at)}: ${plainLine(why)}`),
  ]);
}

/** Freezes the tolerance at what the original itself does, and says the first verdict. */
async function measure(draft: Draft, runner: JobRunner, options: Options, context: CliContext): Promise<void> {
  const { taskFile, root } = draft;
  const prepare = () => prepareTask(taskFile, { parser: lazyParser(context.dist), root });
  const prepared = await prepare();
  const { target } = options;
  const calibrated = await runner.run({ kind: 'calibrate', task: prepared.wire, target }, prepared.files);
  if (calibrated.kind !== 'calibration') throw new RunnerError('protocol', 'the runner answered with something else');
  const { calibration } = calibrated;
  runner.progress.clear();
  if (calibration.status !== 'correct') {
    tellFailure(calibration, context);
    process.exitCode = exitCode(calibration.status);
    return;
  }
  const frozen = freezeTolerance(calibration.outputs);
  const { proposal, remarks } = withTolerances(draft.proposal, frozen.tolerances, calibration.target?.name);
  await writeFile(taskFile, taskText(proposal, remarks));
  say(context, [
    ...Object.entries(frozen.tolerances).map(
      ([name, { rtol, atol }]) =>
        `tolerance of ${plainLine(name)}: rtol ${rtol}, atol ${atol}, measured from the original`,
    ),
    ...frozen.warnings.map((warning) => `${context.paint.out('yellow', 'warning')}: ${plainLine(warning)}`),
    '',
  ]);
  const { wire, files } = await prepare();
  const result = await runner.run({ kind: 'evaluate', task: wire, target, mode: 'first' }, files);
  if (result.kind !== 'verdict') throw new RunnerError('protocol', 'the runner answered with something else');
  runner.progress.clear();
  say(context, verdictLines(result.verdict, context.paint.out));
  if (result.verdict.status === 'correct') {
    say(context, ['', `next: ${commandOn(taskFile, 'optimize', context)}`]);
  }
  process.exitCode = exitCode(result.verdict.status);
}

/** The command that goes on from here, as a shell in this folder understands it. */
function commandOn(taskFile: string, command: string, { program, cwd }: CliContext): string {
  return `${program} ${command} ${shellWord(path.relative(cwd, taskFile))}`;
}

function tellFailure(calibration: Calibration, context: CliContext): void {
  const { status, message, target, diagnostics, unsupported } = calibration;
  const paint = context.paint.out;
  const hint = calibrationHint(calibration);
  say(context, [
    '',
    `${paint('red', `✗ ${status}`)}  ${plainLine(message)}`,
    ...(hint === undefined ? [] : [`  ${hint}`]),
    ...(target ? [`  on ${targetLine(target)}`] : []),
    ...diagnosticLines(diagnostics, paint),
    '',
    unsupported?.cudaWouldDo
      ? 'A CUDA device would run it: kernelseek init --force --runner URL measures the tolerance there.'
      : status === 'timeout'
        ? 'The scenarios are too large for this target: make their sizes smaller, then run kernelseek evaluate.'
        : 'The tolerance was not measured. Correct the task or the source, then run init again with --force, or evaluate.',
  ]);
}

async function write(file: string, text: string, { force }: Options): Promise<void> {
  await writeFile(file, text, { flag: force ? 'w' : 'wx' });
}
