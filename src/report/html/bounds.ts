// How much of a session the report holds: a trace of any length stays a file that a browser opens at once.
import { bestOf, candidateOf, verdictOf, type CandidateState, type SessionState } from '../../session/fold.js';

export const BOUNDS = {
  /** Steps at each end of a way to the best that is too long to be shown. */
  steps: 30,
  /** Candidates in the table. */
  rows: 500,
  /** Candidates whose change is shown. */
  changes: 120,
  /** Lines of one change. */
  changeLines: 400,
  /** Characters of a source that is compared at all. */
  source: 400_000,
  /** Points in the chart. */
  points: 600,
  /** Points beyond which intervals are drawn for the bests only. */
  intervals: 160,
  /** Entries of the conversation. */
  entries: 600,
  /** Characters of one entry. */
  entry: 6000,
  /** Characters of all entries together. */
  conversation: 1_500_000,
  /** Characters of a note, a question, a message in a table. */
  cell: 400,
  /** Questions in their table. */
  questions: 200,
} as const;

/** The ends of a list that is too long, and how many are missing between them. */
export function ends<T>(all: readonly T[], atEach: number): { first: readonly T[]; left: number; last: readonly T[] } {
  if (all.length <= 2 * atEach) return { first: all, left: 0, last: [] };
  return { first: all.slice(0, atEach), left: all.length - 2 * atEach, last: all.slice(-atEach) };
}

/** From the original to the best: each candidate with its parent before it. Empty without a best. */
export function lineageOf(state: SessionState): CandidateState[] {
  const line: CandidateState[] = [];
  // Parents come before their children in a trace, so this ends.
  for (let at = bestOf(state)?.candidate; at; at = candidateOf(state, at.parent)) line.unshift(at);
  return line;
}

/**
 * At most `limit` candidates in their order: the way to the best and the latest bests first, then the fastest, the first and the
 * last.
 */
export function chosen(state: SessionState, limit: number): CandidateState[] {
  const { candidates } = state;
  if (candidates.length <= limit) return candidates;
  const ids = new Set<string>();
  const take = (of: readonly string[], upTo: number): void => {
    for (const id of of) if (ids.size < upTo) ids.add(id);
  };
  const line = ends(lineageOf(state), BOUNDS.steps);
  take(
    [...line.last, ...line.first].map((c) => c.id),
    limit,
  );
  take(state.bests.map((b) => b.candidate).reverse(), limit);
  const speedup = (c: CandidateState): number => verdictOf(c)?.speedup?.value ?? 0;
  const fastest = [...candidates].sort((a, b) => speedup(b) - speedup(a)).map((c) => c.id);
  take(fastest, Math.ceil(limit * 0.6));
  const inOrder = candidates.map((c) => c.id);
  take(inOrder, Math.ceil(limit * 0.8));
  take([...inOrder].reverse(), limit);
  return candidates.filter((c) => ids.has(c.id));
}
