// `kernelseek report`: a session as one HTML file that opens offline.
import type { Command } from 'commander';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SourceFile } from '../../remote-runner/protocol.js';
import { reportHtml, wantedSources } from '../report/html/page.js';
import { candidateOf } from '../session/fold.js';
import { History } from '../session/history.js';
import { say, type CliContext } from './context.js';
import { CliError, EXIT, messageOf } from './exit.js';
import { givenSession, type GivenSession } from './given-session.js';
import { plainLine } from '../report/plain.js';
import { shellWord } from './program.js';

interface Options {
  out?: string;
}

/** The report's name in a session's folder, where it is made anew each time. */
const REPORT = 'report.html';

export function registerReport(program: Command, context: CliContext): void {
  program
    .command('report')
    .description('write a session as one HTML file: where the gain came from, chart, changes, questions')
    .argument('[session]', 'its id, the end of it, or its folder; the newest of this folder where none is given')
    .option('--out <file>', `file to write, which must not be there yet (default: ${REPORT} in the session's folder)`)
    .action((session: string | undefined, options: Options) => report(session, options, context));
}

async function report(session: string | undefined, options: Options, context: CliContext): Promise<void> {
  const given = await givenSession(session, context);
  const file = options.out === undefined ? path.join(given.folder, REPORT) : path.resolve(context.cwd, options.out);
  const html = await reportOf(given, context);
  await writeFile(file, html, { flag: options.out === undefined ? 'w' : 'wx' }).catch((error: unknown) => {
    throw new CliError(`the report cannot be written: ${messageOf(error)}`, EXIT.bad);
  });
  say(context, [file]);
}

/** The HTML of a session, with the changes whose sources its repository has. */
export async function reportOf(given: GivenSession, context: CliContext): Promise<string> {
  const { folder, state, events, warning } = given;
  const sources = new Map<string, SourceFile[]>();
  const warnings = warning === undefined ? [] : [warning];
  let original: SourceFile[] = [];
  try {
    const history = await History.open(folder);
    original = await history.read(await history.find('original'));
    for (const id of wantedSources(state)) {
      const commit = candidateOf(state, id)?.commit;
      if (commit !== undefined) sources.set(id, await history.read(commit));
    }
  } catch (error) {
    warnings.push(`not every change can be shown, since the candidates cannot be read: ${messageOf(error)}`);
  }
  const best = state.incumbent === undefined ? undefined : sources.get(state.incumbent);
  const commands = commandsOf(given, best?.[0]?.path ?? 'FILE.cu');
  return reportHtml({
    state,
    events,
    original,
    sources,
    warnings,
    commands,
    version: context.version,
    madeAt: Date.now(),
  });
}

/** What a reader types, wherever KernelSeek is installed, to see the same again. */
function commandsOf({ state, session }: GivenSession, source: string): { does: string; command: string }[] {
  const task = shellWord(plainLine(state.task));
  const target = state.baseline?.target?.kind;
  const where = target === undefined ? '' : ` --target ${target}`;
  const search = `kernelseek optimize ${task} --strategy ${state.strategy} --seed ${state.seed}`;
  const budget = `--evaluations ${state.budget.evaluations} --minutes ${state.budget.minutes}`;
  const again = { does: 'Search again from the same seed', command: `${search} ${budget}${where}` };
  if (state.incumbent === undefined) return [again];
  return [
    {
      does: `Write the sources of ${state.incumbent} into the folder "faster"`,
      command: `kernelseek sessions --show ${session} --write faster`,
    },
    {
      does: 'Confirm it against the original: fresh processes, fresh inputs',
      command: `kernelseek evaluate ${task} --source ${shellWord(plainLine(`faster/${source}`))} --confirm --fresh${where}`,
    },
    again,
  ];
}
