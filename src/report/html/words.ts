// Words that several parts of the report share.
import type { Verdict } from '../../../remote-runner/protocol.js';
import type { Level, MomentKind, Outcome } from '../../questions/types.js';
import { LEVEL_WORDS } from '../../questions/words.js';
import { statusStyle, statusText } from '../terminal.js';
import { markup, type Markup } from './markup.js';

export const MOMENT_NAMES: Record<MomentKind, string> = {
  opening: 'opening',
  'new-best': 'new best',
  plateau: 'plateau',
  'failure-streak': 'failure streak',
  'limit-claimed': 'limit claimed',
  'wish-to-stop': 'wish to stop',
  narrowing: 'narrowing',
  'shape-bias': 'shape bias',
  'half-budget': 'half the budget',
  human: 'a person asked',
};

export const OUTCOME_NAMES: Record<Outcome, string> = {
  answered: 'answered',
  passed: 'passed',
  expired: 'expired',
  'wrong-moment': 'wrong moment',
  never: 'never this one',
};

export function levelsText(levels: readonly Level[] | undefined): string {
  return (levels ?? []).map((level) => LEVEL_WORDS[level]).join(', ');
}

/** A verdict as a coloured word. */
export function statusBadge(verdict: Verdict | undefined): Markup {
  if (!verdict) return markup`<span class="badge">not judged</span>`;
  const kind = { green: 'good', yellow: 'warn', red: 'bad' } as Partial<Record<string, string>>;
  return markup`<span class="badge ${kind[statusStyle(verdict.status)] ?? ''}">${statusText(verdict)}</span>`;
}

/** A candidate's name; a link where the table of candidates has it. */
export function candidateName(id: string, inTable: ReadonlySet<string>): Markup {
  return inTable.has(id) ? markup`<a href="#${id}">${id}</a>` : markup`${id}`;
}
