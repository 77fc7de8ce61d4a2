// Compilers say some things more than once.
import type { Diagnostic } from '../../../remote-runner/protocol.js';

/** The diagnostics in their order, each once. */
export function withoutRepeats(all: Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return all.filter((d) => {
    const key = JSON.stringify(d);
    return !seen.has(key) && seen.add(key);
  });
}
