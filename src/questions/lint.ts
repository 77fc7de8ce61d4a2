// What makes a text no question in our sense, with the reason. A law for the shipped ones, a hint for everybody else's.
import { informedBy } from './informed.js';
import { Likeness, NEAR_DUPLICATE, stems } from './likeness.js';
import type { Need, Question } from './types.js';
import { KERNEL_WORDS, PROXIES } from './vocabulary.js';

export const LINT_RULES = [
  'one-sentence',
  'one-question',
  'open',
  'apology',
  'false-choice',
  'informs',
  'proxy',
  'points-nowhere',
  'any-kernel',
  'length',
  'near-duplicate',
  'presumes',
] as const;
export type LintRule = (typeof LINT_RULES)[number];

export interface LintHint {
  rule: LintRule;
  /** The reason, and what to do. */
  message: string;
}

/** More cannot be taken in at a glance. Words. */
const MOST_WORDS = 20;

const OPENER =
  /^(?:(?:in|on|at|for|by|from|with|to|of|under|through|since|until|along|against) )?(?:who|whose|whom|what|which|why|when|where|how)\b/i;
const CLOSED =
  /^(?:is|are|am|was|were|do|does|did|can|could|will|would|shall|should|has|have|had|may|might|must)(?:n't|n’t)?\b/i;
const APOLOGY =
  /\b(?:are|is|were) (?:you|we|that|this|it) (?:really |absolutely |quite )?(?:sure|certain|right|true|correct|wrong)\b/i;
const SECOND_QUESTION = /(?:[,;–—]|\band\b|\bbut\b)\s+(?:and |but )?(?:who|whose|whom|what|which|why|how)\b/i;
/** Words that say that it should be better, not where. */
const DIRECTIONLESS = stems(
  'fast faster made speed quick better improve optimize optimise performance perform efficient slow kernel code program go get make run good best',
);

/**
 * Everything that speaks against a question; empty for a good one.
 * @param others questions that it should not repeat
 */
export function lintText(text: string, others: readonly string[] = []): LintHint[] {
  const hints: LintHint[] = [];
  const hint = (rule: LintRule, message: string): unknown => hints.push({ rule, message });
  const line = text.trim().replace(/\s+/g, ' ');
  const ends = line.match(/[.!?…]+(?=\s|$)/g) ?? [];
  if (!line.endsWith('?')) hint('one-sentence', 'does not end with a question mark: ask one question, in one sentence');
  else if (ends.length > 1)
    hint('one-sentence', 'holds more than one sentence: keep the question, drop what leads up to it');
  if ((line.match(/\?/g) ?? []).length > 1 || SECOND_QUESTION.test(line)) {
    hint('one-question', 'asks twice: keep the half that looks where nobody looks');
  }
  if (APOLOGY.test(line)) {
    hint('apology', 'invites an apology, not a look: ask where or by what it would show');
  } else if (CLOSED.test(line)) {
    hint('open', 'can be answered with yes or no: begin with what, which, who, where or how');
  } else if (!OPENER.test(line)) {
    hint('open', 'does not begin as a question: begin with what, which, who, where or how');
  }
  if (/\b(?:or|either|versus|vs)\b/i.test(line)) {
    hint('false-choice', 'offers a choice, and the answer may lie outside: ask without naming the options');
  }
  const facts = informedBy(line);
  if (facts.length > 0) {
    hint('informs', `supplies facts (${facts.join(', ')}): it will be asked, but marked as informed and not credited`);
  }
  for (const [proxy] of line.matchAll(PROXIES)) {
    hint('proxy', `is about "${proxy}", which may improve while the kernel gets slower: ask about what costs the time`);
  }
  const content = stems(line);
  if ([...content].every((word) => DIRECTIONLESS.has(word))) {
    hint('points-nowhere', 'points at no part of the work or the machine: say where to look');
  }
  for (const [word] of line.matchAll(KERNEL_WORDS)) {
    hint('any-kernel', `holds "${word}", which not every kernel has: a question of the repertoire fits them all`);
  }
  const words = line.split(' ').length;
  if (words > MOST_WORDS) hint('length', `has ${words} words: at most ${MOST_WORDS} can be taken in at a glance`);
  const near = new Likeness(others).nearest(line);
  if (near && near.likeness >= NEAR_DUPLICATE) {
    hint('near-duplicate', `is much like "${near.text}": say what else it looks at, or leave one of them out`);
  }
  return hints;
}

/** What a turn of phrase takes for granted; any one of the needs makes it true. */
const PRESUMED: readonly (readonly [RegExp, readonly Need[], string])[] = [
  [/\bthis (?:gain|help)|\bbest version|\bgained\b/i, ['best'], 'a gain'],
  [/\b(?:that|this|the claimed) limit\b/i, ['claim'], 'a claimed limit'],
  [/\brefused attempts|\bfailures?\b|\bfailed\b/i, ['failure'], 'a failure'],
  [/\battempts\b|\blast change\b|\bso far\b/i, ['candidate', 'failure', 'best'], 'an attempt'],
  [/\bsizes\b/i, ['scenarios'], 'more than one size'],
  [/\bfloor\b/i, ['work'], 'a known floor'],
];

/** As lintText, and whether what the text takes for granted is among its needs. */
export function lintQuestion(
  { text, needs }: Pick<Question, 'text' | 'needs'>,
  others: readonly string[] = [],
): LintHint[] {
  const presumes = PRESUMED.flatMap(([phrase, oneOf, what]): LintHint[] => {
    if (!phrase.test(text) || oneOf.some((need) => needs.includes(need))) return [];
    return [{ rule: 'presumes', message: `takes ${what} for granted: add "${oneOf[0]}" to its needs` }];
  });
  return [...lintText(text, others), ...presumes];
}
