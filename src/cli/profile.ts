// `kernelseek profile`: what Nsight Compute, ptxas and the compiler know of the kernels of a task.
import { Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROFILE_SETS, type Profile, type ProfileParams, type ProfileSet } from '../../remote-runner/protocol.js';
import { profileText } from '../profile/text.js';
import { plainJson, plainLine } from '../report/plain.js';
import { candidateFrom, prepareTask } from '../runner/prepare.js';
import { RunnerError } from '../runner/types.js';
import { say, type CliContext } from './context.js';
import { CliError, EXIT, exitCode } from './exit.js';
import { count, runnerAddress, withRunnerOptions, type RunnerOptions } from './options.js';
import { lazyParser } from './parser.js';
import { taskFileOf } from './task-file.js';
import { withRunner } from './runner.js';

interface Options extends RunnerOptions {
  source?: string;
  scenario?: string;
  kernel?: string;
  set: ProfileSet;
  launches?: number;
  save?: string;
  json?: boolean;
}

export function registerProfile(program: Command, context: CliContext): void {
  withRunnerOptions(
    program
      .command('profile')
      .description('say where the time of a kernel goes, by Nsight Compute')
      .argument('<task>', 'NAME.task.json')
      .option('--source <file>', 'a candidate that stands in for the source of the task')
      .option('--scenario <id>', 'the scenario to profile (default: the one with the most work)')
      .option('--kernel <name>', 'one kernel of the call (default: all)')
      .addOption(new Option('--set <set>', 'how much to measure').choices(PROFILE_SETS).default('detailed'))
      .option('--launches <n>', 'launches to profile at most (default 4)', count)
      .option('--save <file>', 'keep the report (.ncu-rep)')
      .option('--json', 'print the profile as one JSON document'),
  ).action((task: string, options: Options) => profile(task, options, context));
}

async function profile(task: string, options: Options, context: CliContext): Promise<void> {
  const prepared = await prepareTask(taskFileOf(task, context), { parser: lazyParser(context.dist) });
  const { target, scenario, kernel, set, launches, save } = options;
  const params: ProfileParams = {
    kind: 'profile',
    task: prepared.wire,
    target,
    set,
    ...(scenario !== undefined && { scenario }),
    ...(kernel !== undefined && { kernel }),
    ...(launches !== undefined && { launches }),
  };
  if (options.source !== undefined) {
    const other = path.resolve(context.cwd, options.source);
    if (!existsSync(other)) throw new CliError(`--source: there is no file ${other}`);
    params.candidate = await candidateFrom(prepared, other, '--source');
  }
  const address = await runnerAddress(options, context);
  const made = await withRunner(address, context, async (runner) => {
    const result = await runner.run(params, prepared.files);
    if (result.kind !== 'profile') throw new RunnerError('protocol', 'the runner answered with something else');
    const report = result.profile.artifacts.find((a) => a.name.endsWith('.ncu-rep'));
    return { profile: result.profile, report: save !== undefined && report && (await runner.connection.fetch(report)) };
  });
  if (save !== undefined) {
    if (!made.report) context.stderr.write('there is no report to save\n');
    else await writeFile(path.resolve(context.cwd, save), made.report);
  }
  if (options.json) say(context, [plainJson(made.profile, 2)]);
  else say(context, linesOf(made.profile, params.candidate ?? prepared.wire.original));
  process.exitCode =
    made.profile.status === 'correct' && made.profile.trouble ? EXIT.unknown : exitCode(made.profile.status);
}

function linesOf(profile: Profile, sources: ProfileParams['task']['original']): string[] {
  const source = (file: string, line: number): string | undefined =>
    sources.find((s) => s.path === file)?.text.split('\n')[line - 1];
  const { target, scenario, status, message, diagnostics, warnings } = profile;
  return [
    [target?.name, target?.arch, profile.tool, scenario && `scenario ${scenario}`].filter(Boolean).join(', '),
    ...(profile.trouble ? [] : [`${status === 'correct' ? '' : `${status}: `}${message}`]),
    ...diagnostics.filter((d) => d.severity === 'error').map((d) => `${d.file}:${d.line}: ${d.message}`),
    ...profileText(profile, { source }).split('\n'),
    ...warnings.map((w) => `note: ${w}`),
  ].map((line) => plainLine(line));
}
