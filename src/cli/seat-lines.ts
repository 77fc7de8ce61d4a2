// How an open question looks in the terminal: why now, the alternatives, what each key does; within its width.
import { LEVEL_WORDS } from '../questions/words.js';
import type { Paint } from '../report/paint.js';
import { plainLine } from '../report/plain.js';
import type { OpenQuestion } from '../session/asking/asker.js';

/** Narrower terminals are treated as this wide. */
const NARROWEST = 24;

/** Lines of a question. @param columns width of the terminal */
export function questionLines(question: OpenQuestion, paint: Paint, columns: number): string[] {
  const { evidence, place, choices, agentPicks } = question;
  const width = Math.max(NARROWEST, columns - 1);
  const where = place ? ` (${plainLine(place.file)}:${place.line})` : '';
  const head = wrap(`? ${plainLine(evidence)}${where}`, width, '  ').map((line) => paint('bold', line));
  const listed = choices.flatMap(({ text, level }, i) =>
    wrap(`${i + 1}  ${plainLine(text)} (${LEVEL_WORDS[level]})`, width - 2, '   ').map((line) => `  ${line}`),
  );
  const many = choices.length > 1 ? `1 to ${choices.length}` : '1';
  const keys = [
    `${many}: put it to the agent`,
    'a 1 …: answer it yourself',
    'a question of your own: ask that instead',
    'n: other questions',
    'p: no question now',
    'g: let the agent pick',
    'w: wrong moment',
    'x 1: never this one',
  ];
  const timeUp = agentPicks ? 'the agent picks' : 'the question goes';
  const help = wrap(`${keys.join(' · ')}. Then Enter; when the time is up, ${timeUp}.`, width - 2, '').map(
    (line) => `  ${paint('dim', line)}`,
  );
  return ['', ...head, ...listed, ...help];
}

/** What the seat says when no question is open. */
export const HELP =
  'at any time: type a question for the agent and Enter; :pause and :go halt it and let it go on, :stop ends the session, ' +
  ':detach leaves it running, :help says this again';

/** `4:05` */
export function clock(ms: number): string {
  const s = Math.ceil(ms / 1000);
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
}

/** Breaks at spaces; a word longer than a line stays whole. @param indent of all lines but the first */
export function wrap(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const next = line === '' ? word : `${line} ${word}`;
    if (next.length <= width || line === '') {
      line = next;
      continue;
    }
    lines.push(line);
    line = indent + word;
  }
  return [...lines, line];
}
