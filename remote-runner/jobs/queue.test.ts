// The queue: everything runs once, never more at a time than allowed, clients in turns; who gives up waits no longer.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Place, Queue } from './queue.js';

const never = new AbortController().signal;

test('any mix of entries, clients and aborts runs each once, each client’s in order, within the bound', async () => {
  const entry = fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    turns: fc.nat(3),
    alone: fc.boolean(),
    abortAfter: fc.option(fc.nat(5), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(entry, { maxLength: 20 }), async (bound, entries) => {
      const queue = new Queue(bound);
      const order: { client: string; i: number }[] = [];
      const ran: number[] = [];
      const running = new Set<number>();
      entries.forEach(({ client, turns, alone, abortAfter }, i) => {
        const controller = new AbortController();
        const run = async (): Promise<void> => {
          ran.push(i);
          if (controller.signal.aborted) return;
          order.push({ client, i });
          running.add(i);
          expect(running.size).toBeLessThanOrEqual(bound);
          if ([...running].some((r) => entries[r]?.alone)) expect(running.size).toBe(1);
          for (let t = 0; t < turns; t += 1) await Promise.resolve();
          running.delete(i);
        };
        queue.add({ client, run, alone, signal: controller.signal });
        if (abortAfter !== undefined) setTimeout(() => controller.abort(), abortAfter);
      });
      await queue.drained();
      expect(ran.sort((a, b) => a - b)).toEqual(entries.map((_, i) => i));
      for (const client of ['a', 'b', 'c']) {
        const own = order.filter((o) => o.client === client).map((o) => o.i);
        expect(own).toEqual([...own].sort((a, b) => a - b));
      }
      expect(queue.size).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test('where each entry is told to stand is where it starts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 12 }), async (clients) => {
      const queue = new Queue(1);
      let open!: () => void;
      queue.add({ client: 'first', signal: never, run: () => new Promise((resolve) => (open = resolve)) });
      const started: number[] = [];
      const places = new Map<number, Place>();
      clients.forEach((client, i) =>
        queue.add({
          client,
          signal: never,
          run: () => Promise.resolve(void started.push(i)),
          waits: (place) => places.set(i, place),
        }),
      );
      const last = clients.length - 1;
      // Of the one that came last, since nobody came after it.
      const told = places.get(last)!;
      open();
      await queue.drained();
      expect(told.ahead).toBe(started.indexOf(last));
      const before = started.slice(0, started.indexOf(last));
      expect(told.others).toBe(before.filter((i) => clients[i] !== clients[last]).length);
    }),
  );
});

test('one job of a client waits for one of another, not for its hundred; positions are told as they halve', async () => {
  const queue = new Queue(1);
  const order: string[] = [];
  const told: number[] = [];
  let open!: () => void;
  queue.add({ client: 'greedy', signal: never, run: () => new Promise((resolve) => (open = resolve)) });
  for (let i = 0; i < 100; i += 1) {
    const waits = i === 99 ? ({ ahead }: Place) => told.push(ahead) : undefined;
    queue.add({ client: 'greedy', signal: never, run: () => Promise.resolve(void order.push('greedy')), waits });
  }
  queue.add({ client: 'modest', signal: never, run: () => Promise.resolve(void order.push('modest')) });
  open();
  await queue.drained();
  expect(order.indexOf('modest')).toBeLessThanOrEqual(1);
  expect(told).toEqual([99, 49, 24, 12, 6, 3, 1, 0]);
});

test('an entry that throws does not hold up the next', async () => {
  const queue = new Queue(1);
  let ran = false;
  queue.add({ client: 'a', signal: never, run: () => Promise.reject(new Error('broken')) });
  queue.add({ client: 'a', signal: never, run: async () => void (ran = true) });
  await queue.drained();
  expect(ran).toBe(true);
});
