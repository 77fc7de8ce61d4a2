// Decision moments and what came of them as lines for the terminal: one by one while a session runs, together afterwards.
import { LEVEL_WORDS } from '../questions/words.js';
import type { TraceEvent } from '../session/events.js';
import { candidateOf, type CandidateState, type MomentState, type SessionState } from '../session/fold.js';
import { times } from './numbers.js';
import type { Paint } from './paint.js';
import { plainLine } from './plain.js';

type Of<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

const WORDS = 160;

/** A question, an answer, a claim or a pause as it happens; undefined for what shows elsewhere. */
export function questionLine(event: TraceEvent): string | undefined {
  switch (event.type) {
    case 'moment':
      return event.asked ? undefined : `a moment in silence: ${plainLine(event.evidence, WORDS)}`;
    case 'question':
      return `${event.by === 'agent' ? 'the agent picks' : 'asked'}: ${plainLine(event.text, 300)}`;
    case 'answer':
      return answerLine(event);
    case 'claim':
      return `the agent claims a limit: ${plainLine(event.text, WORDS)}`;
    case 'paused':
      return event.paused ? 'paused' : 'goes on';
    default:
      return undefined;
  }
}

function answerLine({ outcome, by, text }: Of<'answer'>): string {
  if (outcome === 'answered')
    return `${by === 'human' ? 'you answer' : 'agent answers'}: ${plainLine(text ?? '', 300)}`;
  return OUTCOMES[outcome];
}

const OUTCOMES: Record<Exclude<Of<'answer'>['outcome'], 'answered'>, string> = {
  passed: 'no question this time',
  expired: 'the question went unanswered',
  'wrong-moment': 'this was no moment for a question',
  never: 'this question is not asked again',
};

/** What the model may be sent, and what not. */
export function leavesLine({ endpoint, files, withheld }: Of<'leaves'>): string {
  const kept = withheld.length > 0 ? `; kept here: ${withheld.map((f) => plainLine(f, 100)).join(', ')}` : '';
  const sent = files.map((f) => plainLine(f, 100)).join(', ');
  return `to ${plainLine(endpoint)} go: ${sent}, compiler and profiler text, measurements${kept}`;
}

/** What was asked, what was answered, where the next edits went and what came of them; empty where nothing was asked. */
export function digestLines(state: SessionState, paint: Paint): string[] {
  const asked = state.moments.filter((m) => m.question);
  const silent = state.moments.filter((m) => !m.moment.asked).length;
  if (asked.length === 0 && state.claims.length === 0) return [];
  const lines = asked.flatMap((at, i) => momentLines(state, at, asked[i + 1]?.question?.seq ?? Infinity, paint));
  const claims = state.claims.map(
    (c) => `claimed limit: ${plainLine(c.text, WORDS)} (${plainLine(c.evidence, WORDS)})`,
  );
  const quiet = silent > 0 ? [`${silent} ${silent === 1 ? 'moment' : 'moments'} left in silence, to compare with`] : [];
  return [paint('bold', 'questions'), ...lines, ...claims, ...quiet];
}

function momentLines(state: SessionState, { question, answer }: MomentState, until: number, paint: Paint): string[] {
  if (!question) return [];
  const at = question.level ? ` (${LEVEL_WORDS[question.level]})` : '';
  const next = state.candidates.filter((c) => c.seq > question.seq && c.seq < until);
  return [
    `? ${plainLine(question.text, 300)}${at}, ${question.by === 'human' ? 'from you' : 'picked by the agent'}`,
    ...(answer ? [`  ${answerLine(answer)}`] : []),
    `  then: ${outcomeText(state, question.seq, until, next, paint)}`,
  ];
}

/** `3 candidates at algorithm, overlap; best 1.2× → 1.5× (c7)` */
function outcomeText(
  state: SessionState,
  from: number,
  until: number,
  next: readonly CandidateState[],
  paint: Paint,
): string {
  if (next.length === 0) return 'nothing was tried';
  const levels = [...new Set(next.flatMap((c) => c.levels ?? []))].map((level) => LEVEL_WORDS[level]);
  const tried = `${next.length} ${next.length === 1 ? 'candidate' : 'candidates'}`;
  const where = levels.length > 0 ? ` at ${levels.join(', ')}` : '';
  const before = state.bests.findLast((b) => b.seq < from)?.speedup ?? 1;
  const after = state.bests.findLast((b) => b.seq < until && b.seq > from);
  if (!after) return `${tried}${where}; no new best`;
  const label = candidateOf(state, after.candidate)?.confirmed?.emulated === true ? ' (CPU emulation)' : '';
  const gain = `best ${times(before)} → ${times(after.speedup)} (${after.candidate})${label}`;
  return `${tried}${where}; ${paint('green', gain)}`;
}
