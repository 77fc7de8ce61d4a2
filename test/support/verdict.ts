// A valid verdict with what a test does not care about filled in.
import { verdict as schema, type Verdict } from '../../remote-runner/protocol.js';

export function verdictOf(parts: Partial<Verdict>): Verdict {
  return schema.parse({
    status: 'correct',
    message: 'every scenario agrees with the original',
    mode: 'first',
    emulated: false,
    scenarios: [],
    diagnostics: [],
    resources: [],
    findings: [],
    warnings: [],
    phases: {},
    ...parts,
  } satisfies Verdict);
}
