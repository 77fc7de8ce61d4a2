// `kernelseek evaluate`: is it correct, and how fast is it beside the original.
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { EvaluateParams, Verdict } from '../../remote-runner/protocol.js';
import { plainJson } from '../report/plain.js';
import { verdictLines } from '../report/terminal.js';
import { candidateFrom, prepareTask } from '../runner/prepare.js';
import { RunnerError } from '../runner/types.js';
import { say, type CliContext } from './context.js';
import { CliError, EXIT, exitCode, verdictOfError } from './exit.js';
import { runnerAddress, withRunnerOptions, type RunnerOptions } from './options.js';
import { lazyParser } from './parser.js';
import { toldOf } from './stand-in.js';
import { taskFileOf, tunablesFault } from './task-file.js';
import { withRunner } from './runner.js';

interface Options extends RunnerOptions {
  source?: string;
  confirm?: boolean;
  sanitize?: boolean;
  fresh?: boolean;
  json?: boolean;
}

export function registerEvaluate(program: Command, context: CliContext): void {
  withRunnerOptions(
    program
      .command('evaluate')
      .description('check a kernel against its task and time it beside the original')
      .argument('<task>', 'NAME.task.json')
      .option('--source <file>', 'a candidate that stands in for the source of the task')
      .option('--sanitize', 'sanitizers on every scenario: races, bad addresses, uninitialised reads')
      .option('--confirm', 'fresh processes and inputs, a 99 % interval: slower, and enough to call a gain')
      .option('--fresh', 'evaluate again what the runner has evaluated before')
      .option('--json', 'print the verdict as one JSON document'),
  ).action((task: string, options: Options) => evaluate(task, options, context));
}

async function evaluate(task: string, options: Options, context: CliContext): Promise<void> {
  const mode = options.confirm ? 'confirm' : 'first';
  const verdict = await judge(task, options, mode, context).catch((error: unknown) => {
    if (error instanceof RunnerError && error.code === 'cancelled') throw new CliError('cancelled', EXIT.interrupted);
    return verdictOfError(error, mode);
  });
  say(context, options.json ? [plainJson(verdict, 2)] : verdictLines(verdict, context.paint.out));
  process.exitCode = exitCode(verdict.status);
}

async function judge(task: string, options: Options, mode: Verdict['mode'], context: CliContext): Promise<Verdict> {
  const parser = lazyParser(context.dist);
  const prepared = await prepareTask(taskFileOf(task, context), { parser });
  const { target, fresh, sanitize } = options;
  const params: EvaluateParams = {
    kind: 'evaluate',
    task: prepared.wire,
    target,
    mode,
    ...(fresh && { fresh }),
    ...(sanitize && { sanitize }),
  };
  if (options.source !== undefined) {
    const other = path.resolve(context.cwd, options.source);
    if (!existsSync(other)) throw new CliError(`--source: there is no file ${other}`);
    params.candidate = await candidateFrom(prepared, other, '--source');
  }
  // No verdict depends on tunables, but a search would.
  const fault = await tunablesFault(prepared, parser);
  const address = await runnerAddress(options, context);
  const verdict = await withRunner(address, context, async ({ run }) => {
    const result = await run(params, prepared.files);
    if (result.kind === 'verdict') return result.verdict;
    throw new RunnerError('protocol', 'the runner answered an evaluation with something else');
  });
  if (fault) verdict.warnings.push(fault.message);
  const [source] = prepared.wire.original;
  return source && options.source !== undefined ? toldOf(verdict, source.path, options.source) : verdict;
}
