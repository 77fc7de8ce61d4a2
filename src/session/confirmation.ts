// When a provisional verdict is worth confirming, and why it is not: one rule, for the judge and for what the agent is told.
import type { Verdict } from '../../remote-runner/protocol.js';

/** Share of the best's confirmed speedup that a provisional one must exceed: one run of a better kernel may be unlucky. */
export const NEAR_BEST = 0.95;

/**
 * Why a first verdict does not promise a new best; undefined when it does.
 * @param best confirmed speedup of the best so far
 */
export function whyNotPromising({ status, speedup }: Verdict, best?: number): 'interval' | 'below best' | undefined {
  if (status !== 'correct' || !speedup || speedup.low <= 1) return 'interval';
  return speedup.value > NEAR_BEST * (best ?? 0) ? undefined : 'below best';
}

/** True for a verdict that says something about the candidate, one way or the other; without one it may be judged again. */
export function decided(verdict: Verdict | undefined): boolean {
  return verdict !== undefined && verdict.status !== 'infrastructure' && verdict.status !== 'inconclusive';
}

/** A ratio of identical code whose interval lies beside 1: the machine's timing cannot be trusted. */
export function excludesOne({ speedup }: Verdict): boolean {
  return speedup !== undefined && (speedup.low > 1 || speedup.high < 1);
}
