// What a verdict means when the candidate is the original itself: noise instead of a gain, a task at fault instead of the code.
import type { Calibration, Verdict } from '../../remote-runner/protocol.js';

const SHAPE = 'it is the original itself that writes there: a shape in $.arguments of the task may be too small';

/** True when the candidate is the original: what differs then is the noise of the machine. */
export function isOriginal({ provenance }: Verdict): boolean {
  return provenance !== undefined && provenance.candidateSha256 === provenance.originalSha256;
}

/** What to do about an original that writes out of bounds: the bounds are the task's. */
export function shapeHint(verdict: Verdict): string | undefined {
  const isOut = verdict.findings.some((f) => f.code === 'out_of_bounds_write');
  // Beside a candidate the runner warns of what the original itself does.
  const isOwn = isOriginal(verdict) || verdict.warnings.some((w) => /^of the original itself: .*out of bounds/.test(w));
  // A runner may have said so already.
  if (!isOut || !isOwn || verdict.message.includes('too small')) return undefined;
  return SHAPE;
}

/** The same for a calibration, which runs nothing but the original. */
export function calibrationHint({ status, message }: Calibration): string | undefined {
  return status === 'finding' && message.includes('out of bounds') && !message.includes('too small')
    ? SHAPE
    : undefined;
}
