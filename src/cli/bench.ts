// `kernelseek bench`: searches on recorded spaces, without a GPU; arms of it in bench-arms.ts.
import { type Command, InvalidArgumentError } from 'commander';
import { existsSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bbobLines, benchBbob } from '../bench/bbob.js';
import { benchLeftOut, benchSpaces, BUDGETS, type SpacesOptions } from '../bench/spaces.js';
import { curveLines } from '../bench/table.js';
import type { Threads } from '../bench/threads.js';
import { DEFAULT_OPTIMIZER, OPTIMIZERS } from '../search/strategies.js';
import { registerBenchArms } from './bench-arms.js';
import { type CliContext, say } from './context.js';
import { CliError } from './exit.js';

interface Options {
  optimizer: string;
  seeds: number;
  budget: number;
  threads: number;
  leaveOut?: boolean;
  json?: boolean;
}

interface BbobOptions {
  reference?: string;
  threads: number;
  json?: boolean;
}

export function registerBench(program: Command, context: CliContext): void {
  const bench = program.command('bench').description('measure searches and strategies themselves');
  registerBenchArms(bench, context);
  const all = Object.keys(OPTIMIZERS).join(', ');
  bench
    .command('spaces')
    .description('replay searches on recorded spaces: fraction of the optimum after so many unique evaluations')
    .argument('[files...]', 'recorded spaces (.json, .json.gz) or folders of them; default: those of the repository')
    .option('--optimizer <names>', `comma-separated, of ${all}, or "all"`, DEFAULT_OPTIMIZER)
    .option('--seeds <n>', 'runs of each optimiser on each space', wholeNumber, 30)
    .option('--budget <n>', 'most unique evaluations', wholeNumber, 400)
    .option('--threads <n>', 'threads', wholeNumber, os.availableParallelism())
    .option('--leave-out', 'the headline: per kernel, settings chosen on the other kernels')
    .option('--json', 'one JSON document on standard output')
    .action((files: string[], options: Options) => benchCommand(files, options, context));
  bench
    .command('bbob')
    .description('the 24 BBOB functions: running time of CMA-ES beside a reference, movement of every optimiser')
    .option('--reference <file>', 'expected running times; default: those of the repository')
    .option('--threads <n>', 'threads', wholeNumber, os.availableParallelism())
    .option('--json', 'one JSON document on standard output')
    .action((options: BbobOptions) => bbobCommand(options, context));
}

async function benchCommand(given: string[], options: Options, context: CliContext): Promise<void> {
  const files = filesOf(given, context);
  const known = Object.keys(OPTIMIZERS);
  const optimizers = options.optimizer === 'all' ? known : options.optimizer.split(',');
  for (const name of optimizers) {
    if (!known.includes(name)) throw new CliError(`--optimizer ${name}: there are ${known.join(', ')}`);
  }
  const request: SpacesOptions = {
    files,
    optimizers,
    seeds: options.seeds,
    budgets: budgetsUpTo(options.budget),
    threads: threadsOf(options.threads, context),
    onProgress: progress(context),
  };
  const started = performance.now();
  const report = await (options.leaveOut ? benchLeftOut(request) : benchSpaces(request)).catch((error: unknown) => {
    throw error instanceof RangeError ? new CliError(error.message) : error;
  });
  if (options.json) say(context, [JSON.stringify(report)]);
  else {
    const seconds = (performance.now() - started) / 1000;
    const cpu = os.cpus()[0]?.model ?? 'unknown processor';
    const machine = `${options.threads} threads of ${cpu}, ${seconds.toFixed(0)} s`;
    say(context, [...curveLines(report), '', `${report.seeds} seeds; ±: 95 % interval; ${machine}`]);
  }
}

async function bbobCommand({ reference, threads, json }: BbobOptions, context: CliContext): Promise<void> {
  const own = path.join(context.dist, '../test/fixtures/bbob/pycma-ert.json.gz');
  const file = reference === undefined ? own : path.resolve(context.cwd, reference);
  if (!existsSync(file)) throw new CliError(`${file} does not exist; name one with --reference`);
  const report = await benchBbob(file, threadsOf(threads, context), progress(context));
  say(context, json ? [JSON.stringify(report)] : bbobLines(report));
}

function threadsOf(count: number, { dist }: CliContext): Threads {
  return { script: path.join(dist, 'bench.js'), count };
}

/** The usual budgets below the largest, and the largest. */
function budgetsUpTo(most: number): number[] {
  return [...BUDGETS.filter((b) => b < most), most];
}

function filesOf(given: readonly string[], context: CliContext): string[] {
  const own = path.join(context.dist, '../test/fixtures/spaces');
  if (given.length === 0 && !existsSync(own)) {
    throw new CliError('name recorded spaces to replay: their formats are described in docs/search.md');
  }
  return (given.length > 0 ? given.map((f) => path.resolve(context.cwd, f)) : [own]).flatMap((place) => {
    if (!existsSync(place)) throw new CliError(`${place} does not exist`);
    if (/\.json(\.gz)?$/.test(place)) return [place];
    return readdirSync(place)
      .filter((f) => /\.json(\.gz)?$/.test(f))
      .sort()
      .map((f) => path.join(place, f));
  });
}

function progress({ stderr }: CliContext): (done: number, of: number) => void {
  if (!stderr.isTTY) return () => undefined;
  return (done, of) => stderr.write(done === of ? `\r\u001b[K` : `\r${done} of ${of} runs`);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on is needed');
  return value;
}
