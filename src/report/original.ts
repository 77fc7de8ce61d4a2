// What a verdict means when the candidate is the original itself: noise instead of a gain, a task at fault instead of the code.
import type { Verdict } from '../../remote-runner/protocol.js';

/** True when the candidate is the original: what differs then is the noise of the machine. */
export function isOriginal({ provenance }: Verdict): boolean {
  return provenance !== undefined && provenance.candidateSha256 === provenance.originalSha256;
}

/** What to do about an original that writes out of bounds: the bounds are the task's. */
export function shapeHint(verdict: Verdict): string | undefined {
  const isOut = verdict.findings.some((f) => f.code === 'out_of_bounds_write');
  // A runner may have said so already.
  if (!isOut || !isOriginal(verdict) || verdict.message.includes('too small')) return undefined;
  return 'it is the original itself that writes there: a shape in $.arguments of the task may be too small';
}
