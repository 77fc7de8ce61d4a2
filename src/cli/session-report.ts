// The report of a session on disk: its sources read from its repository, its commands for a reader elsewhere.
import { sourcesSha256, type SourceFile } from '../../remote-runner/protocol.js';
import type { ReportInput } from '../report/html/input.js';
import { reportHtml, wantedSources } from '../report/html/page.js';
import { plainLine } from '../report/plain.js';
import { candidateOf } from '../session/fold.js';
import { History } from '../session/history.js';
import type { CliContext } from './context.js';
import { messageOf } from './exit.js';
import type { GivenSession } from './given-session.js';
import { shellWord } from './program.js';

type Sources = Pick<ReportInput, 'original' | 'sources' | 'warnings'>;

/** The original and these candidates as the session's repository has them; what cannot be read is a warning. */
export async function readSources({ folder, state }: GivenSession, candidates: readonly string[]): Promise<Sources> {
  const sources = new Map<string, SourceFile[]>();
  let original: SourceFile[] = [];
  try {
    const history = await History.open(folder);
    original = await history.read(await history.find('original'));
    if (sourcesSha256(original) !== state.originalSha256) {
      return { original: [], sources, warnings: ['the sources of this session were left out: no change can be shown'] };
    }
    for (const id of candidates) {
      const commit = candidateOf(state, id)?.commit;
      if (commit !== undefined) sources.set(id, await history.read(commit));
    }
    return { original, sources, warnings: [] };
  } catch (error) {
    const why = `not every change can be shown, since the candidates cannot be read: ${messageOf(error)}`;
    return { original, sources, warnings: [why] };
  }
}

/** The HTML of a session, with the changes whose sources its repository has. */
export async function reportOf(given: GivenSession, context: CliContext): Promise<string> {
  const { warnings, ...sources } = await readSources(given, wantedSources(given.state));
  const all = given.warning === undefined ? warnings : [given.warning, ...warnings];
  return reportFrom({ ...given, ...sources, warnings: all }, context);
}

/** The HTML of what is given. */
export function reportFrom(
  of: Sources & Pick<GivenSession, 'session' | 'state' | 'events'>,
  { version }: Pick<CliContext, 'version'>,
): string {
  const { session, state, events, original, sources, warnings } = of;
  const best = state.incumbent === undefined ? undefined : sources.get(state.incumbent);
  const commands = commandsOf({ session, state }, best?.[0]?.path ?? 'FILE.cu');
  return reportHtml({ state, events, original, sources, warnings, commands, version, madeAt: Date.now() });
}

/** What a reader types, wherever KernelSeek is installed, to see the same again. */
function commandsOf(
  { state, session }: Pick<GivenSession, 'session' | 'state'>,
  source: string,
): ReportInput['commands'] {
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
