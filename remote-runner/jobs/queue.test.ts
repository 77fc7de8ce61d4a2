// The queue: everything runs once, in order, never more at a time than allowed; who gives up waits no longer.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Queue } from './queue.js';

test('any mix of entries and aborts runs each once, in order, within the bound', async () => {
  const entry = fc.record({ turns: fc.nat(3), abortAfter: fc.option(fc.nat(5), { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(entry, { maxLength: 20 }), async (bound, entries) => {
      const queue = new Queue(bound);
      const order: number[] = [];
      const ran: number[] = [];
      let now = 0;
      let peak = 0;
      entries.forEach(({ turns, abortAfter }, i) => {
        const controller = new AbortController();
        const run = async (): Promise<void> => {
          ran.push(i);
          if (controller.signal.aborted) return;
          order.push(i);
          peak = Math.max(peak, (now += 1));
          for (let t = 0; t < turns; t += 1) await Promise.resolve();
          now -= 1;
        };
        queue.add(run, controller.signal);
        if (abortAfter !== undefined) setTimeout(() => controller.abort(), abortAfter);
      });
      await queue.drained();
      expect(ran.sort((a, b) => a - b)).toEqual(entries.map((_, i) => i));
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(peak).toBeLessThanOrEqual(bound);
      expect(queue.size).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test('an entry that throws does not hold up the next', async () => {
  const queue = new Queue(1);
  const { signal } = new AbortController();
  let ran = false;
  queue.add(() => Promise.reject(new Error('broken')), signal);
  queue.add(async () => void (ran = true), signal);
  await queue.drained();
  expect(ran).toBe(true);
});
