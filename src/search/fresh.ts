// What searches over populations and walks share: which points are worth an evaluation, and what to do when none is left.
import type { Known } from './optimizer.js';
import { listPoints, type Point, randomPoint } from './pool.js';
import { unvisited } from './random.js';
import type { RandomSource } from './random-source.js';
import type { Configuration, Space } from './space.js';

export type Wants<T = void> = Generator<readonly Configuration[], T, void>;

export class Fresh {
  private readonly rest: Iterator<Configuration, void>;

  constructor(
    readonly space: Space,
    private readonly known: Known,
    private readonly seed: number,
  ) {
    this.rest = unvisited(space, seed, known);
  }

  /** Allowed, unknown, and not doubtful. */
  has(point: Point): boolean {
    const configuration = this.space.configuration(point);
    return (
      this.space.contains(configuration) && !this.known.get(configuration) && !this.known.isDoubtful(configuration)
    );
  }

  /** Some fresh point, each at most once; undefined when none is left. */
  other(): Point | undefined {
    for (let next = this.rest.next(); !next.done; next = this.rest.next()) {
      if (this.known.isDoubtful(next.value)) return undefined;
      if (!this.known.get(next.value)) return this.space.point(next.value);
    }
    return undefined;
  }

  others(count: number): Point[] {
    const points: Point[] = [];
    for (let point; points.length < count && (point = this.other());) points.push(point);
    return points;
  }

  /** Has points evaluated, except what turns out doubtful meanwhile. Costs in their order, Infinity where there is none. */
  *evaluate(points: readonly Point[]): Wants<number[]> {
    const configurations = points.map((p) => this.space.configuration(p));
    for (const [i, configuration] of configurations.entries()) {
      if (
        this.space.contains(configuration) &&
        (this.known.get(configuration) || !this.known.isDoubtful(configuration))
      ) {
        yield configurations.slice(i).filter((c) => this.space.contains(c));
      }
    }
    return configurations.map((c) => this.known.cost(c));
  }

  /** The doubtful ones: what is left at the end of a small space. */
  *drain(): Wants {
    for (const configuration of unvisited(this.space, this.seed, this.known)) yield [configuration];
  }
}

/** Draws with a restriction: tries a few times. */
export function drawn(space: Space, random: RandomSource, tries = 64): Point | undefined {
  const listed = space.size <= tries ? listPoints(space) : undefined;
  for (let i = 0; i < tries; ++i) {
    const point = randomPoint(space, listed, random);
    if (point) return point;
  }
  return undefined;
}
