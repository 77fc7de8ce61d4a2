// Shared work: done once for all who wait, stopped with the last of them, begun anew after that.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Flights } from './flights.js';

function flights() {
  const shared = new Flights<number>();
  const seen = { begun: 0, stopped: 0, finish: (_: number): void => undefined };
  const join = (signal: AbortSignal): Promise<number> =>
    shared.share('key', signal, (inner) => {
      seen.begun += 1;
      return new Promise((resolve, reject) => {
        seen.finish = resolve;
        inner.addEventListener('abort', () => {
          setTimeout(() => {
            seen.stopped += 1;
            reject(inner.reason as Error);
          }, 20);
        });
      });
    });
  return { join, seen };
}

test('all who wait get the one result', async () => {
  const { join, seen } = flights();
  const { signal } = new AbortController();
  const all = Promise.all([join(signal), join(signal), join(signal)]);
  seen.finish(7);
  expect(await all).toEqual([7, 7, 7]);
  expect(seen.begun).toBe(1);
});

test('one who gives up leaves at once and takes nothing from the others', async () => {
  const { join, seen } = flights();
  const impatient = new AbortController();
  const first = join(impatient.signal);
  const second = join(new AbortController().signal);
  impatient.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  seen.finish(7);
  expect(await second).toBe(7);
  expect(seen.stopped).toBe(0);
});

test('the last one to give up waits until the work has stopped; who comes meanwhile begins anew', async () => {
  const { join, seen } = flights();
  const controller = new AbortController();
  const first = join(controller.signal);
  controller.abort(new Error('enough'));
  await sleep(5);
  const second = join(new AbortController().signal);
  await expect(first).rejects.toThrow('enough');
  expect([seen.stopped, seen.begun]).toEqual([1, 2]);
  seen.finish(8);
  expect(await second).toBe(8);
});

test('a failure is everybody’s, and not kept', async () => {
  const shared = new Flights<number>();
  const { signal } = new AbortController();
  const fail = (): Promise<number> => Promise.reject(new Error('broken'));
  const both = [shared.share('key', signal, fail), shared.share('key', signal, fail)];
  for (const one of both) await expect(one).rejects.toThrow('broken');
  expect(await shared.share('key', signal, () => Promise.resolve(1))).toBe(1);
});
