// Replays a search on a recorded space: nothing is compiled or run, evaluations are counted as if they were.
import type { Optimizer } from '../search/optimizer.js';
import type { RecordedSpace } from '../search/recorded.js';

/**
 * Fraction of optimum, lowest recorded cost over the lowest found, after each unique evaluation up to the budget: 0 while
 * nothing has worked. A search that ends early keeps its last. Failures are evaluations.
 */
export function replay(recorded: RecordedSpace, optimizer: Optimizer, budget: number): number[] {
  const fractions: number[] = [];
  let found = Infinity;
  while (fractions.length < budget) {
    const [configuration] = optimizer.ask();
    if (!configuration) break;
    const outcome = recorded.outcome(configuration);
    optimizer.tell(configuration, outcome);
    if (outcome.kind === 'value') found = Math.min(found, outcome.value);
    fractions.push(recorded.best / found);
  }
  while (fractions.length < budget) fractions.push(fractions.at(-1) ?? 0);
  return fractions;
}

/**
 * What random search without repeats expects after `evaluations`, in closed form: the mean of the fraction over which of the
 * costs is the lowest drawn, the i-th of M (from 0) with probability C(M − i − 1, N − 1) / C(M, N).
 * @param costs ascending, Infinity where a configuration failed
 */
export function expectedOfRandom(costs: readonly number[], evaluations: number): number {
  const total = costs.length;
  const drawn = Math.min(evaluations, total);
  let probability = drawn / total;
  let expected = 0;
  for (const [i, cost] of costs.entries()) {
    expected += probability * (costs[0]! / cost);
    const left = total - i - 1;
    if (left < drawn) break;
    probability *= (left - drawn + 1) / left;
  }
  return expected;
}
