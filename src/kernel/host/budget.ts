// What reading the host code of one task may cost, and whether launches count where it is read.
import { Refusal } from './refusal.js';

/** Statements, expressions and calls. */
const MOST_STEPS = 200_000;
const MAX_DEPTH = 24;

export class Budget {
  private steps = 0;
  private depth = 0;
  private dry = 0;

  /** @throws Refusal when it is used up */
  step(): void {
    if (++this.steps > MOST_STEPS) throw new Refusal('takes too many steps to read');
  }

  /** Something that may lead to itself. @throws Refusal when it does for too long */
  nested<T>(work: () => T): T {
    this.step();
    if (this.depth >= MAX_DEPTH) throw new Refusal('calls itself, or too deep');
    this.depth++;
    try {
      return work();
    } finally {
      this.depth--;
    }
  }

  /** Looks at what is not done: a launch in it is refused. */
  withoutEffects<T>(work: () => T): T {
    this.dry++;
    try {
      return work();
    } finally {
      this.dry--;
    }
  }

  effect(): void {
    if (this.dry > 0) throw new Refusal('launches within an expression');
  }
}
