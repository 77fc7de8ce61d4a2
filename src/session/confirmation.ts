// When a provisional verdict is worth confirming, and why it is not: one rule, for the judge and for what the agent is told.
import type { Ratio, Verdict } from '../../remote-runner/protocol.js';

/** What a provisional ratio over the best must exceed: one run of a better kernel may be unlucky. */
export const NEAR_BEST = 0.95;

/**
 * Time of the best / time of the candidate. From the same rounds where both took part; else, where the candidate was judged
 * before the best was one, from what each is over the original, and then without an interval of its own.
 * @param best confirmed verdict of the best so far
 */
export function overBest({ speedup, overIncumbent, provenance }: Verdict, best: Verdict): Ratio | undefined {
  if (overIncumbent && provenance?.incumbentSha256 === best.provenance?.candidateSha256) return overIncumbent;
  if (!speedup || !best.speedup) return undefined;
  const value = speedup.value / best.speedup.value;
  return { value, low: value, high: value };
}

/**
 * Why a first verdict does not promise a new best; undefined when it does.
 * @param best confirmed verdict of the best so far
 */
export function whyNotPromising(verdict: Verdict, best?: Verdict): 'interval' | 'below best' | undefined {
  const { status, speedup } = verdict;
  if (status !== 'correct' || !speedup || speedup.low <= 1) return 'interval';
  const ratio = best && overBest(verdict, best);
  return ratio && ratio.value <= NEAR_BEST ? 'below best' : undefined;
}

/** Does a confirmed verdict make a new best? Its interval over the best so far must exclude 1 too. */
export function makesBest(confirmed: Verdict, best?: Verdict): boolean {
  if (confirmed.status !== 'correct' || confirmed.faster !== true) return false;
  const ratio = best && overBest(confirmed, best);
  return !ratio || ratio.low > 1;
}

/** True for a verdict that says something about the candidate, one way or the other; without one it may be judged again. */
export function decided(verdict: Verdict | undefined): boolean {
  return verdict !== undefined && verdict.status !== 'infrastructure' && verdict.status !== 'inconclusive';
}

/** A ratio of identical code whose interval lies beside 1: the machine's timing cannot be trusted. */
export function excludesOne({ speedup }: Verdict): boolean {
  return speedup !== undefined && (speedup.low > 1 || speedup.high < 1);
}
