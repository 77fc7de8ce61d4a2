// The end of a session in the terminal: table, questions, summary, diff, where things lie and how to go on.
import path from 'node:path';
import { diffLines } from '../report/diff.js';
import { plainLine } from '../report/plain.js';
import { digestLines } from '../report/questions.js';
import { candidateLines, summaryLines } from '../report/session.js';
import { verdictLines } from '../report/terminal.js';
import type { SessionState } from '../session/fold.js';
import type { SessionPlace } from '../session/protocol.js';
import { applyBest, bestSources } from './best.js';
import type { CliContext } from './context.js';
import { shellWord } from './program.js';

export interface EndingOptions {
  /** Address of the runner, where the user named one. */
  runner?: string;
  apply?: boolean | undefined;
  /** Standard output belongs to events: people read standard error. */
  jsonEvents?: boolean;
}

/** The command that goes on with a session, wherever it is typed. */
export function resumeCommand(
  { session, task }: SessionState,
  root: string,
  options: EndingOptions,
  { program }: CliContext,
): string {
  const runner = options.runner === undefined ? '' : ` --runner ${shellWord(options.runner)}`;
  return `${program} optimize ${shellWord(plainLine(path.join(root, task)))} --resume ${session}${runner}`;
}

/** To standard error where events went to standard output. @param root folder that source paths are relative to */
export async function tellEnding(
  state: SessionState,
  place: SessionPlace,
  root: string,
  options: EndingOptions,
  context: CliContext,
): Promise<void> {
  const [stream, paint] = options.jsonEvents
    ? [context.stderr, context.paint.err]
    : [context.stdout, context.paint.out];
  const print = (...lines: string[]) => stream.write(lines.map((line) => `${line}\n`).join(''));
  const { baseline } = state;
  if (baseline && baseline.status !== 'correct') print('', 'the original:', ...verdictLines(baseline, paint));
  else if (state.candidates.length > 0) print('', ...candidateLines(state, paint));
  const digest = digestLines(state, paint);
  if (digest.length > 0) print('', ...digest);
  print('', ...summaryLines(state, paint));
  print(`session: ${place.folder}`);
  const { finished } = state;
  if (finished?.reason === 'stopped') print(`to go on: ${resumeCommand(state, root, options, context)}`);
  if (finished?.reason === 'budget') {
    print(`to go on: ${resumeCommand(state, root, options, context)} with more of what is spent`);
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
