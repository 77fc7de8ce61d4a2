// Does a text supply facts? Then what follows is not the question's merit. Word lists, so that the reason can be told.
import { COMMANDS, LIBRARIES, NUMBER_WORDS, TECHNIQUES } from './vocabulary.js';

const NUMBERS = /(?<![\w.])\d[\d.,]*\s*(?:%|[a-zA-Z]+\b)?/g;

/** Names from a source: in back quotes, with an underscore, in camelCase or in capitals; GPU, CPU and CUDA are no such names. */
const NAMES = /`[^`]+`|\b\w*[a-zA-Z0-9]_\w+\b|\b_+\w+\b|\b[a-z]+[A-Z]\w*\b|\b(?!(?:GPU|CPU|CUDA)s?\b)[A-Z]{2,}\w*\b/g;

/** As far as a text is read; nobody writes more into a question or an answer. UTF-16 units. */
const READ = 20_000;

/** What a text tells beyond where to look; empty where it carries no information. Each entry quotes the words. */
export function informedBy(text: string): string[] {
  const line = text.slice(0, READ).replace(/\s+/g, ' ');
  return [
    ...found(line, NUMBERS, 'the number'),
    ...found(line, NUMBER_WORDS, 'the number'),
    ...found(line, NAMES, 'the name'),
    ...found(line, TECHNIQUES, 'the technique'),
    ...found(line, LIBRARIES, 'the library'),
    ...found(line, COMMANDS, 'the instruction'),
  ];
}

/** True for a text that supplies facts: its question earns no credit. */
export function isInformed(text: string): boolean {
  return informedBy(text).length > 0;
}

function found(text: string, pattern: RegExp, what: string): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([match]) => `${what} "${match.trim()}"`))];
}
