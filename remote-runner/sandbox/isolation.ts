// What confinement keeps from whom, in words.
import type { Isolation, Verdict } from '../protocol.js';

export type Protection = Isolation['holds'][number];
export const PROTECTIONS: readonly Protection[] = ['files', 'processes', 'network', 'privileges', 'turns'];

const CONSEQUENCES: Record<Protection, string> = {
  files: 'compiler and candidate can read what their user can read',
  processes: 'they see other processes, and a hostile one may outlive its evaluation',
  network: 'they reach the network',
  privileges: 'they keep the rights of the runner’s user',
  turns: 'one that is not at turn can be let go by the other side, and use the other’s time',
};
const REMEDY =
  'allow user namespaces, install bubblewrap, or give the runner’s container the right to make namespaces (CAP_SYS_ADMIN)';

export function isolationOf(means: Isolation['means'], holds: readonly Protection[]): Isolation {
  return { means, holds: [...holds], missing: PROTECTIONS.filter((p) => !holds.includes(p)) };
}

/** What is missing, in one sentence; undefined when nothing is. */
export function warningOf({ missing }: Isolation): string | undefined {
  if (missing.length === 0) return undefined;
  return `weak isolation on this machine: ${missing.map((m) => CONSEQUENCES[m]).join('; ')}. To have it: ${REMEDY}`;
}

/** The verdict with what it was reached under, and a warning where that is weak. */
export function withIsolation(verdict: Verdict, isolation: Isolation): Verdict {
  const { provenance, warnings } = verdict;
  if (!provenance) return verdict;
  const warning = warningOf(isolation);
  return {
    ...verdict,
    warnings: warning === undefined ? warnings : [...warnings, warning],
    provenance: { ...provenance, isolation },
  };
}
