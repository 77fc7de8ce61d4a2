// What the chart shows, as numbers: candidates in the order of their evaluation, the best so far, the questions between.
import type { Ratio, Status } from '../../../remote-runner/protocol.js';
import { questionPut } from '../../questions/credit.js';
import { verdictOf, type CandidateState, type SessionState } from '../../session/fold.js';
import { BOUNDS } from './bounds.js';

export interface Point {
  /** Number of the evaluation, from 1. */
  evaluation: number;
  candidate: string;
  note: string;
  status: Status;
  speedup?: Ratio;
  /** It became the best. */
  isBest: boolean;
}

export interface BestStep {
  /** The evaluation at which it became the best. */
  evaluation: number;
  candidate: string;
  speedup: Ratio;
}

export interface Mark {
  /** Evaluations before it. */
  after: number;
  texts: string[];
}

export interface ChartData {
  evaluations: number;
  points: Point[];
  /** Candidates that were judged and are not among the points. */
  left: number;
  bests: BestStep[];
  /** Questions, those between the same two evaluations together. */
  marks: Mark[];
}

export function chartData(state: SessionState): ChartData {
  const judged = state.candidates
    .flatMap((c) => (c.judgedSeq === undefined ? [] : [{ candidate: c, seq: c.judgedSeq }]))
    .sort((a, b) => a.seq - b.seq);
  /** How many were judged up to an event. */
  const before = (seq: number): number => {
    let [low, high] = [0, judged.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((judged[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const bestIds = new Set(state.bests.map((b) => b.candidate));
  const byId = new Map(judged.map(({ candidate }) => [candidate.id, candidate]));
  const points = judged.map(({ candidate }, i) => pointOf(candidate, i + 1, bestIds.has(candidate.id)));
  const every = Math.ceil(points.length / BOUNDS.points);
  const shown = points.filter((p, i) => p.isBest || i % every === 0);
  const bests = state.bests.flatMap(({ candidate, seq }) => {
    const speedup = byId.get(candidate)?.confirmed?.speedup;
    return speedup ? [{ evaluation: Math.max(1, before(seq)), candidate, speedup }] : [];
  });
  const marks = new Map<number, string[]>();
  for (const at of state.moments) {
    const question = questionPut(at);
    if (!question) continue;
    const after = before(question.seq);
    marks.set(after, [...(marks.get(after) ?? []), question.text]);
  }
  return {
    evaluations: points.length,
    points: shown,
    left: points.length - shown.length,
    bests,
    marks: [...marks].map(([after, texts]) => ({ after, texts })).sort((a, b) => a.after - b.after),
  };
}

function pointOf(candidate: CandidateState, evaluation: number, isBest: boolean): Point {
  const verdict = verdictOf(candidate);
  const { status = 'inconclusive', speedup } = verdict ?? {};
  return { evaluation, candidate: candidate.id, note: candidate.note, status, isBest, ...(speedup && { speedup }) };
}
