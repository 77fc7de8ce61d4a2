// A valid verdict with what a test does not care about filled in.
import { bareVerdict, verdict as schema, type Verdict } from '../../remote-runner/protocol.js';

export function verdictOf(parts: Partial<Verdict>): Verdict {
  return schema.parse({
    ...bareVerdict('correct', 'every scenario agrees with the original', 'first'),
    ...parts,
  } satisfies Verdict);
}
