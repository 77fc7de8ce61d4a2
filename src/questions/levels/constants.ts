// Named constants and what they stand for. An edit of a constant is an edit of where it is used, so uses are read with its value.
import { findConstants } from '../../kernel/constants.js';
import type { Token } from '../../kernel/tokens.js';
import type { MaskedSource } from '../../kernel/reader.js';

/** Name → the words it stands for, other constants in them not yet replaced. */
export type Constants = Map<string, readonly string[]>;

/** A constant that stands for more words than this is left as it is. */
const LONGEST = 48;

/** Constants with a literal, `constexpr` and macros with an expression; a name that is declared twice is none. @param hostBodies offsets */
export function readConstants(source: MaskedSource, hostBodies: readonly { start: number; end: number }[]): Constants {
  const { tokens, partners, code } = source;
  const constants: Constants = new Map();
  const twice = new Set<string>();
  const add = (name: string, words: readonly string[]): void => {
    const known = constants.get(name);
    if (known && known.join(' ') !== words.join(' ')) twice.add(name);
    if (words.length > 0 && words.length <= LONGEST) constants.set(name, words);
  };
  for (const c of findConstants(source.source, tokens, partners, code.macros, hostBodies))
    add(c.name, [String(c.value)]);
  for (const { name, parameters, body } of code.macros) {
    if (parameters === undefined && !constants.has(name) && isExpression(body)) add(name, wordsOf(body));
  }
  tokens.forEach((token, i) => {
    if (token.text !== 'constexpr') return;
    for (let at = i + 1; at < tokens.length && ![';', '{', '('].includes(tokens[at]?.text ?? ''); at++) {
      const name = tokens[at - 1];
      if (tokens[at]?.text !== '=' || name?.kind !== 'name' || constants.has(name.text)) continue;
      let end = at + 1;
      while (end < tokens.length && ![';', ','].includes(tokens[end]?.text ?? '')) {
        end = Math.max(end, partners.get(end) ?? 0) + 1;
      }
      add(name.text, wordsOf(tokens.slice(at + 1, end)));
      at = end - 1;
    }
  });
  for (const name of twice) constants.delete(name);
  return constants;
}

function isExpression(body: readonly Token[]): boolean {
  return (
    body.length > 0 &&
    body.every((t) => t.kind === 'name' || t.kind === 'number' || /^[-+*/%()<>&|^!?:~]+$/.test(t.text))
  );
}

function wordsOf(tokens: readonly Token[]): string[] {
  const words = tokens.map((t) => t.text);
  while (words[0] === '(' && words.indexOf(')') === words.length - 1) {
    words.pop();
    words.shift();
  }
  return words;
}

/** A name with everything it stands for, to a small depth: macros may name each other in a circle. */
export function expanded(constants: Constants, name: string, depth = 0): readonly string[] {
  const words = constants.get(name);
  if (!words || depth > 6) return [name];
  if (words.length === 1) return expanded(constants, words[0] ?? '', depth + 1);
  return ['(', ...words.slice(0, LONGEST).flatMap((word) => expanded(constants, word, depth + 1)), ')'].slice(
    0,
    4 * LONGEST,
  );
}
