// What the agent hears when it claims a limit: floors of the shown scenarios beside what was reached, or that none is known.
import { expect, test } from 'vitest';
import { verdictWith } from '../../../test/support/sample-trace.js';
import type { StrategyContext } from '../strategy.js';
import { floorsOf, floorText } from './claim.js';

function contextWith(floorMs: number | undefined, bestMs?: number): StrategyContext {
  const timed = (ms: number) => {
    const verdict = verdictWith({ value: 1 });
    const [scenario] = verdict.scenarios;
    if (!scenario?.timing) throw new Error('the sample has changed');
    Object.assign(scenario.timing, { candidateMs: ms, ...(floorMs !== undefined && { floorMs }) });
    verdict.scenarios.push({ ...scenario, id: 'n=7', heldOut: true });
    return verdict;
  };
  const best = bestMs === undefined ? undefined : { candidate: 'c1', verdict: timed(bestMs) };
  return { baseline: timed(4), incumbent: () => best } as unknown as StrategyContext;
}

test('floors are those of the shown scenarios, beside the best so far', () => {
  const context = contextWith(0.5, 2);
  expect(floorsOf(context)).toEqual({ 'n=1024': 0.5 });
  const text = floorText(context, floorsOf(context));
  expect(text).toContain('n=1024: at least 0.500 ms; best so far 2.00 ms, 4.00 times that');
  expect(text).not.toContain('n=7');
  expect(floorText(contextWith(0.5), { 'n=1024': 0.5 })).toContain('best so far 4.00 ms, 8.00 times that');
});

test('what is not known is called so', () => {
  expect(floorsOf(contextWith(undefined))).toBeUndefined();
  expect(floorText(contextWith(undefined), undefined)).toContain('not known here');
});
