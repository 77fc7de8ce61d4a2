// Progress at a rate a person can follow: a model that writes tells us of every few characters.
import type { SessionProgress } from './protocol.js';

const INTERVAL_MS = 100;

/** Passes on what is new in kind at once, and more of the same at most ten times a second; what is skipped is lost. */
export function throttled(send: (progress: SessionProgress) => void): (progress: SessionProgress) => void {
  let kind = '';
  let last = -Infinity;
  return (progress) => {
    const now = performance.now();
    const next = `${progress.phase} ${progress.candidate ?? ''}`;
    if (next === kind && now - last < INTERVAL_MS) return;
    kind = next;
    last = now;
    send(progress);
  };
}
