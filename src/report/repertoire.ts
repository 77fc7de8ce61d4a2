// The repertoire in the terminal: questions by level, each with what is known to have come of it.
import type { Observation } from '../questions/credit.js';
import { effectsBy, type Effect } from '../questions/effects.js';
import type { KnownQuestion } from '../questions/repertoire.js';
import { LEVELS, type Level } from '../questions/types.js';
import { LEVEL_WORDS } from '../questions/words.js';
import { interval, times } from './numbers.js';
import type { Paint } from './paint.js';
import { plainLine } from './plain.js';
import { table } from './table.js';

/** A question with its effect, as it goes into JSON; `effect` is absent where it was never asked. */
export interface CreditedQuestion extends KnownQuestion {
  effect?: Effect;
}

export interface CreditedRepertoire {
  questions: CreditedQuestion[];
  levels: { level: Level; effect?: Effect }[];
  /** Questions that are no longer in the repertoire and have credit. */
  gone: { id: string; effect: Effect }[];
  silences: number;
}

export function creditedRepertoire(
  questions: readonly KnownQuestion[],
  observations: readonly Observation[],
): CreditedRepertoire {
  const byQuestion = effectsBy(observations, (o) => o.question);
  const byLevel = effectsBy(observations, (o) => o.level);
  const known = new Set(questions.map((q) => q.id));
  return {
    questions: questions.map((q) => ({ ...q, ...withEffect(byQuestion.get(q.id)) })),
    levels: LEVELS.map((level) => ({ level, ...withEffect(byLevel.get(level)) })),
    gone: [...byQuestion].flatMap(([id, effect]) => (known.has(id) ? [] : [{ id, effect }])),
    silences: observations.filter((o) => o.silent).length,
  };
}

const withEffect = (effect: Effect | undefined) => (effect ? { effect } : {});

const COLUMNS = [
  { title: '' },
  { title: '' },
  { title: '' },
  { title: 'asked', align: 'right' },
  { title: 'moved', align: 'right' },
  { title: 'over silence (95 %)' },
] as const;

/** One block a level, its own line first. */
export function repertoireLines({ questions, levels, gone, silences }: CreditedRepertoire, paint: Paint): string[] {
  const shown = levels.filter(({ level }) => questions.some((q) => q.level === level));
  const rows: { cells: string[]; style?: 'bold' | 'dim' }[] = [];
  for (const { level, effect } of shown) {
    rows.push({ cells: [LEVEL_WORDS[level], '', '', ...creditCells(effect)], style: 'bold' });
    for (const q of questions.filter((one) => one.level === level)) {
      const marks = [q.intent, ...(q.origin === 'shipped' ? [] : [q.origin]), ...(q.muted ? ['muted'] : [])].join(', ');
      const cells = [`  ${q.id}`, plainLine(q.text), marks, ...creditCells(q.effect)];
      rows.push({ cells, ...(q.muted && { style: 'dim' as const }) });
    }
  }
  for (const { id, effect } of gone) {
    rows.push({ cells: [`  ${plainLine(id)}`, '', 'no longer here', ...creditCells(effect)], style: 'dim' });
  }
  const lines = table(
    COLUMNS,
    rows.map((r) => r.cells),
    (text, row) => {
      const style = rows[row]?.style;
      return style ? paint(style, text) : text;
    },
  );
  return [...lines, '', ...remarks([...questions, ...gone], silences)];
}

function creditCells(effect: Effect | undefined): string[] {
  if (!effect) return ['', '', ''];
  const asked = effect.informed > 0 ? `${effect.count}+${effect.informed} informed` : String(effect.count);
  const moved = effect.movedOf > 0 ? `${effect.moved}/${effect.movedOf}` : '';
  return [asked, moved, differenceText(effect)];
}

/** `1.04× [0.98, 1.10]`, or what is missing for it. */
function differenceText({ count, difference, half, silences }: Effect): string {
  if (count === 0) return '';
  if (difference === undefined) return 'no silence to compare with';
  const value = Math.exp(difference);
  if (half === undefined) return `${times(value)}, too few to tell`;
  const range = interval({ value, low: Math.exp(difference - half), high: Math.exp(difference + half) });
  return `${range} (${count} beside ${silences})`;
}

function remarks(rows: readonly { effect?: Effect }[], silences: number): string[] {
  const asked = rows.filter((r) => r.effect).length;
  const intervals = rows.filter((r) => r.effect?.half !== undefined).length;
  if (asked === 0) return ['nothing is known of any question yet: credit comes from sessions with a model'];
  const byChance =
    intervals > 1 ? `; of ${intervals} such intervals, ${(intervals / 20).toFixed(1)} exclude 1 by chance alone` : '';
  return [
    `over silence: speedup of the best until the next question, over that after ${silences} moments left in silence${byChance}`,
  ];
}
