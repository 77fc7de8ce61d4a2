// What a proposal consists of: the task, and what of it is a guess or missing.

export interface Proposal {
  /** Content of a task file, in the order people write it. Valid unless something is missing. */
  task: Record<string, unknown>;
  /** JSON path of what was guessed, and why it was guessed so. */
  guesses: { path: string; why: string }[];
  /** JSON path of what could not be found, and what to write there. */
  missing: { path: string; what: string }[];
}

export function guess(proposal: Proposal, path: string, why: string): void {
  proposal.guesses.push({ path, why });
}
