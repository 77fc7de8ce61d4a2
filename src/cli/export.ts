// `kernelseek export`: the winning kernel with its report, its verdict and the command that repeats it, as a branch or a folder.
import type { Command } from 'commander';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sourcesSha256, type SourceFile, type Verdict } from '../../remote-runner/protocol.js';
import { plainJson, plainLine } from '../report/plain.js';
import { interval, percent } from '../report/numbers.js';
import { targetLine } from '../report/terminal.js';
import { candidateOf, verdictOf, type CandidateState } from '../session/fold.js';
import { History } from '../session/history.js';
import { writeSources } from './best.js';
import { exportBranch } from './branch.js';
import { say, type CliContext } from './context.js';
import { CliError, EXIT } from './exit.js';
import { givenSession, type GivenSession } from './given-session.js';
import { newFolder } from './new-folder.js';
import { shellWord } from './program.js';
import { reportOf } from './session-report.js';

interface Options {
  branch?: string;
  folder?: string;
  candidate?: string;
}

export function registerExport(program: Command, context: CliContext): void {
  program
    .command('export')
    .description('the best kernel with report, verdict.json and how to reproduce it, as a branch or a folder')
    .argument('[session]', 'its id, the end of it, or its folder; the newest of this folder where none is given')
    .option('--branch <name>', 'a new branch: one commit on HEAD; index and work tree stay as they are')
    .option('--folder <folder>', 'a folder that is not there yet, or empty')
    .option('--candidate <id>', 'another candidate than the confirmed best')
    .action((session: string | undefined, options: Options) => run(session, options, context));
}

async function run(session: string | undefined, options: Options, context: CliContext): Promise<void> {
  const { branch, folder } = options;
  if ((branch === undefined) === (folder === undefined))
    throw new CliError('give either --branch NAME or --folder DIR');
  const given = await givenSession(session, context);
  const { candidate, verdict } = chosenOf(given, options.candidate);
  const history = await History.open(given.folder);
  const original = await history.read(await history.find('original'));
  const sources = await history.read(candidate.commit);
  if (sourcesSha256(sources) !== candidate.sourcesSha256) {
    throw new CliError(
      `the sources of ${candidate.id} are not those of its verdict: they were left out of a bundle, or changed`,
      EXIT.bad,
    );
  }
  const papers = [
    { path: 'report.html', text: await reportOf(given, context) },
    { path: 'verdict.json', text: `${plainJson(verdict, 2)}\n` },
  ];
  if (folder !== undefined) {
    const place = await newFolder(path.resolve(context.cwd, folder));
    await writeSources(place, sources);
    const taken = new Set(sources.map((s) => s.path));
    for (const { path: name, text } of [...papers, reproduction(given, candidate, verdict, sources, place)]) {
      if (!taken.has(name)) await writeFile(path.join(place, name), text, { flag: 'wx' });
    }
    say(context, [place]);
  } else if (branch !== undefined) {
    const at = `kernelseek/${given.session}`;
    const files = [...papers, reproduction(given, candidate, verdict, sources, undefined)];
    const commit = await exportBranch({
      workspace: given.workspace,
      branch,
      original,
      sources,
      papers: files.map(({ path: name, text }) => ({ path: `${at}/${name}`, text })),
      message: messageOf(candidate, verdict),
    });
    say(context, [`branch ${branch}: ${commit.slice(0, 12)}; to look at it: git show ${shellWord(branch)}`]);
  }
}

/** The candidate that is exported, and the verdict that speaks for it. */
function chosenOf(
  { state, session }: GivenSession,
  id: string | undefined,
): { candidate: CandidateState; verdict: Verdict } {
  const candidate = candidateOf(state, id ?? state.incumbent);
  if (!candidate) {
    const what =
      id === undefined ? 'no confirmed best; --candidate ID takes another' : `no candidate "${plainLine(id, 40)}"`;
    throw new CliError(`session ${session} has ${what}`, EXIT.bad);
  }
  const verdict = verdictOf(candidate);
  if (verdict?.status !== 'correct') {
    throw new CliError(
      `${candidate.id} is not correct (${verdict?.status ?? 'not judged'}): it is not exported`,
      EXIT.bad,
    );
  }
  return { candidate, verdict };
}

function messageOf({ id, note }: CandidateState, verdict: Verdict): string {
  return `Make it faster: ${plainLine(note, 60) || id}\n\n${resultLine(verdict)}`;
}

function resultLine({ speedup, mode, target, emulated }: Verdict): string {
  if (!speedup) return 'Correct; not timed.';
  const sure = mode === 'confirm' ? 'confirmed' : 'provisional';
  const where = target ? ` on ${targetLine(target)}` : emulated ? ' on the CPU emulation' : '';
  return `${interval(speedup)} over the original, ${percent(speedup.confidence)} interval, ${sure}${where}.`;
}

/** How to see it again, as a page of text. */
function reproduction(
  { state, session }: GivenSession,
  { id }: CandidateState,
  verdict: Verdict,
  sources: readonly SourceFile[],
  folder: string | undefined,
): SourceFile {
  const [source] = sources;
  const file = plainLine(source?.path ?? '');
  const where = verdict.target ? ` --target ${verdict.target.kind}` : '';
  const from = folder === undefined ? shellWord(file) : shellWord(path.join(folder, file));
  const command = `kernelseek evaluate ${shellWord(plainLine(state.task))} --source ${from} --confirm --fresh${where}`;
  const seed = verdict.provenance
    ? `\nThe inputs of the verdict came from the seed ${plainLine(verdict.provenance.seed)}, with ${plainLine(verdict.provenance.compiler)} and the flags ${plainLine(verdict.provenance.flags.join(' ')) || '(none)'}.\n`
    : '';
  const original =
    folder === undefined
      ? '\nOn this branch the source already is the candidate. To time it against the original, run this in a checkout of the\ncommit before, with the source of this branch in another file for `--source`.\n'
      : '';
  return {
    path: 'REPRODUCE.md',
    text: `# ${id} of session ${session}

${resultLine(verdict)} \`verdict.json\` is the whole verdict, \`report.html\` how it came about.

In the folder that \`${plainLine(state.task)}\` is relative to, with the original source in place:

    ${command}
${original}${seed}`,
  };
}
