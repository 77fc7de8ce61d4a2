// Ask and tell: an optimiser proposes configurations and is told what came of them; it knows nothing of kernels.
import type { Configuration, Space } from './space.js';

/** value: a cost, lower is better. failed: it built and then went wrong. invalid: it cannot be built or launched at all. */
export type Outcome = { kind: 'value'; value: number } | { kind: 'failed' } | { kind: 'invalid' };

export interface Optimizer {
  /**
   * The next configurations to try, the most wanted first: at most `count`, fewer where the search cannot see further before
   * it is told, none when every allowed one is known. Never one that has been told, so what is counted is unique; asked
   * again before a tell it repeats itself, so that nothing is lost when an evaluation is.
   */
  ask(count?: number): Configuration[];
  /**
   * Takes configurations that were never asked for too: a resumed search is told its past before it goes on.
   * @throws RangeError when the configuration is not in the space
   */
  tell(configuration: Configuration, outcome: Outcome): void;
}

/** Outcomes by configuration, and what they suggest about others. */
export class Known {
  /** By point. */
  private readonly outcomes = new Map<string, { point: number[]; outcome: Outcome }>();
  /** Values that only ever failed; undefined when it must be worked out anew. */
  private suspects: Set<string> | undefined;

  constructor(private readonly space: Space) {}

  get(configuration: Configuration): Outcome | undefined {
    const point = this.space.point(configuration);
    return point && this.outcomes.get(point.join())?.outcome;
  }

  /** @throws RangeError when the configuration is not in the space */
  set(configuration: Configuration, outcome: Outcome): void {
    const point = this.space.point(configuration);
    if (!point) throw new RangeError('an outcome for a configuration that is not in the space');
    this.outcomes.set(point.join(), { point, outcome });
    this.suspects = undefined;
  }

  /** Infinite where there is no value, so that comparisons need no special case. */
  cost(configuration: Configuration): number {
    const outcome = this.get(configuration);
    return outcome?.kind === 'value' ? outcome.value : Infinity;
  }

  /**
   * Worth trying last: beyond a limit that was met, or with a value that only ever failed. Neither is a proof, so such
   * configurations are put off, never dropped.
   */
  isDoubtful(configuration: Configuration): boolean {
    const point = this.space.point(configuration);
    if (!point) return false;
    this.suspects ??= this.findSuspects();
    const suspects = this.suspects;
    return point.some((value, d) => suspects.has(`${d}:${value}`) || this.isBeyondLimit(point, d));
  }

  /** On a line through a valid and an invalid configuration, at or beyond the invalid one: limits of a device grow one way. */
  private isBeyondLimit(point: readonly number[], d: number): boolean {
    if (!this.space.isOrdered(d)) return false;
    return [-1, 1].some((towards) => {
      let invalid = false;
      for (let i = point[d] ?? 0; i >= 0 && i < this.space.values(d).length; i += towards) {
        const kind = this.kindAt(point, d, i);
        if (kind === 'invalid') invalid = true;
        else if (kind !== undefined) return invalid;
      }
      return false;
    });
  }

  /**
   * Values that made a configuration fail which another value of the same dimension had correct, and that were never part
   * of a correct one: constants that say what is computed, not how.
   */
  private findSuspects(): Set<string> {
    const suspects = new Set<string>();
    const known = [...this.outcomes.values()];
    for (const { point } of known.filter(({ outcome }) => outcome.kind === 'failed')) {
      for (const [d, value] of point.entries()) {
        if (this.space.values(d).some((_, i) => this.kindAt(point, d, i) === 'value')) suspects.add(`${d}:${value}`);
      }
    }
    for (const { point } of known.filter(({ outcome }) => outcome.kind === 'value')) {
      for (const [d, value] of point.entries()) suspects.delete(`${d}:${value}`);
    }
    return suspects;
  }

  private kindAt(point: readonly number[], d: number, value: number): Outcome['kind'] | undefined {
    return this.outcomes.get(point.with(d, value).join())?.outcome.kind;
  }
}

/**
 * A search written as a plain loop: it yields what it wants to know, the next first and behind it what it is likely to want
 * then, and goes on once the first is known.
 */
export type Search = (known: Known) => Generator<readonly Configuration[], void, void>;

/**
 * Runs a search as an optimiser. An outcome becomes known to the search when the search wants its configuration, not
 * when it is told: so the search depends on nothing but its seed and its own course, and tells alone, in any order, bring
 * a fresh one to where an earlier one stopped.
 */
export function optimizer(space: Space, search: Search): Optimizer {
  const told = new Known(space);
  const known = new Known(space);
  const run = search(known);
  let wanted = run.next();
  return {
    ask(count = 1) {
      for (; !wanted.done; wanted = run.next()) {
        const [first] = wanted.value;
        const outcome = first && told.get(first);
        if (first && !outcome) break;
        if (first && outcome) known.set(first, outcome);
      }
      if (wanted.done) return [];
      const unknown = new Map(wanted.value.filter((c) => !told.get(c)).map((c) => [space.point(c)?.join(), c]));
      return [...unknown.values()].slice(0, count);
    },
    tell(configuration, outcome) {
      told.set(configuration, outcome);
    },
  };
}

/** Wants all of these in turn: a generation, none of which depends on another. */
export function* all(configurations: readonly Configuration[]): Generator<readonly Configuration[], void, void> {
  for (const i of configurations.keys()) yield configurations.slice(i);
}
