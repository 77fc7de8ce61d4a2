// Ask and tell: an optimiser proposes configurations and is told what came of them; it knows nothing of kernels.
import type { Configuration, Space } from './space.js';

/** value: a cost, lower is better. failed: it built and then went wrong. invalid: it cannot be built or launched at all. */
export type Outcome = { kind: 'value'; value: number } | { kind: 'failed' } | { kind: 'invalid' };

export interface Optimizer {
  /**
   * The next configuration to try, or undefined when every allowed one is known. Never one that has been told; asked again
   * before a tell it repeats itself.
   */
  ask(): Configuration | undefined;
  /** Takes configurations that were never asked for too: a resumed search is told its past before it goes on. */
  tell(configuration: Configuration, outcome: Outcome): void;
}

/** Outcomes by configuration. */
export class Known {
  private readonly outcomes = new Map<string, Outcome>();

  constructor(private readonly space: Space) {}

  get(configuration: Configuration): Outcome | undefined {
    return this.outcomes.get(this.space.key(configuration));
  }

  set(configuration: Configuration, outcome: Outcome): void {
    this.outcomes.set(this.space.key(configuration), outcome);
  }

  /** Infinite where there is no value, so that comparisons need no special case. */
  cost(configuration: Configuration): number {
    const outcome = this.get(configuration);
    return outcome?.kind === 'value' ? outcome.value : Infinity;
  }

  /**
   * A point on a line through a valid and an invalid configuration, at or beyond the invalid one. Limits of a device grow
   * one way, so such points are worth trying last. Not a proof: they are put off, never dropped.
   */
  isDoubtful(configuration: Configuration): boolean {
    const point = this.space.point(configuration);
    if (!point) return false;
    return point.some((here, d) => {
      if (!this.space.isOrdered(d)) return false;
      const kindAt = (i: number) => this.get(this.space.configuration(point.with(d, i)))?.kind;
      return [-1, 1].some((towards) => {
        let invalid = false;
        for (let i = here; i >= 0 && i < this.space.values(d).length; i += towards) {
          const kind = kindAt(i);
          if (kind === 'invalid') invalid = true;
          else if (kind !== undefined) return invalid;
        }
        return false;
      });
    });
  }
}

/** A search written as a plain loop: it yields what it wants to know and then reads the answer from `known`. */
export type Search = (known: Known) => Generator<Configuration, void, void>;

/**
 * Runs a search as an optimiser. An outcome becomes known to the search when the search yields its configuration, not
 * when it is told: so the search depends on nothing but its seed and its own course, and tells alone, in any order, bring
 * a fresh one to where an earlier one stopped.
 */
export function optimizer(space: Space, search: Search): Optimizer {
  const told = new Known(space);
  const known = new Known(space);
  const run = search(known);
  let wanted = run.next();
  return {
    ask() {
      for (let outcome; !wanted.done && (outcome = told.get(wanted.value)); wanted = run.next()) {
        known.set(wanted.value, outcome);
      }
      return wanted.done ? undefined : wanted.value;
    },
    tell(configuration, outcome) {
      if (!space.point(configuration)) throw new RangeError('told of a configuration that is not in the space');
      told.set(configuration, outcome);
    },
  };
}
