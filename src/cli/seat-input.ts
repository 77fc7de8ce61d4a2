// What a line typed at the seat means. Pure.
import type { OpenQuestion, Reply } from '../session/asking/asker.js';

export type Said =
  | { type: 'reply'; reply: Reply }
  /** A question in one's own words while none is open. */
  | { type: 'pose'; text: string }
  | { type: 'pause' | 'go' | 'stop' | 'detach' | 'help' }
  /** Not understood; what to do instead. */
  | { type: 'hint'; text: string };

const COMMANDS = new Set(['pause', 'go', 'stop', 'detach', 'help'] as const);
type Command = typeof COMMANDS extends Set<infer T> ? T : never;
const LETTERS: Readonly<Record<string, Reply['type'] & ('another' | 'pass' | 'agent' | 'wrong-moment')>> = {
  n: 'another',
  p: 'pass',
  g: 'agent',
  w: 'wrong-moment',
};

/** @param open the question that waits, if one does */
export function saidIn(line: string, open: OpenQuestion | undefined): Said {
  if (line.startsWith(':')) return commandIn(line.slice(1).trim());
  // Whoever ends with a question mark asks, however the line begins.
  const asks = line.endsWith('?') && line.length > 2;
  if (!open) return asks || isSentence(line) ? { type: 'pose', text: line } : { type: 'hint', text: NO_QUESTION };
  if (asks) return { type: 'reply', reply: { type: 'own', text: line } };
  const choices = open.choices;
  const chosen = (number: string | undefined): string | undefined =>
    choices[Number(number ?? (choices.length === 1 ? 1 : 0)) - 1]?.id;
  const which = choices.length > 1 ? `1 to ${choices.length}` : '1';
  if (/^\d$/.test(line)) {
    const known = chosen(line);
    return known === undefined
      ? { type: 'hint', text: `there is no question ${line}; type ${which}` }
      : { type: 'reply', reply: { type: 'put', known } };
  }
  const letter = LETTERS[line];
  if (letter) return { type: 'reply', reply: { type: letter } };
  const answer = /^a\s*(\d)?\s+(\S.*)$/s.exec(line);
  if (answer) {
    const known = chosen(answer[1]);
    return known === undefined
      ? { type: 'hint', text: `which one do you answer? a ${which} and your answer` }
      : { type: 'reply', reply: { type: 'answer', known, text: answer[2] ?? '' } };
  }
  const never = /^x\s*(\d)?$/.exec(line);
  if (never) {
    const known = chosen(never[1]);
    return known === undefined
      ? { type: 'hint', text: `which one never again? x ${which}` }
      : { type: 'reply', reply: { type: 'never', known } };
  }
  if (isSentence(line)) return { type: 'reply', reply: { type: 'own', text: line } };
  return { type: 'hint', text: `"${line}" is none of the keys: ${which}, a, n, p, g, w, x, or a question of your own` };
}

const NO_QUESTION = 'type a question for the agent, or :pause :go :stop :detach :help';

function commandIn(name: string): Said {
  const known = [...COMMANDS].find((c): c is Command => c === name);
  return known ? { type: known } : { type: 'hint', text: `there are :${[...COMMANDS].join(' :')}` };
}

/** At least three words: a slip of one key is not a question. */
function isSentence(line: string): boolean {
  return line.split(/\s+/).length >= 3;
}
