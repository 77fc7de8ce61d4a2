// Waiting as long as a server wishes, whatever it wishes.
import { expect, test } from 'vitest';
import { Passing, retry, retryAfter } from './retry.js';

test('a wish beyond what timers hold is a long wait, not none', async () => {
  const controller = new AbortController();
  let attempts = 0;
  const told: string[] = [];
  const work = retry(
    async () => {
      attempts += 1;
      throw new Passing('rate limit', 1e12);
    },
    {
      signal: controller.signal,
      attempts: 5,
      firstDelayMs: 1,
      longestDelayMs: 1,
      onWait: (message) => {
        told.push(message);
        setTimeout(() => controller.abort(new Error('stopped')), 50);
      },
    },
  );
  await expect(work).rejects.toThrow('stopped');
  expect(attempts).toBe(1);
  expect(told).toHaveLength(1);
});

test('reads what a server may write', () => {
  const of = (headers: Record<string, string>): number | undefined => retryAfter(new Headers(headers), 0);
  expect(of({ 'retry-after': '2' })).toBe(2000);
  expect(of({ 'retry-after-ms': '150', 'retry-after': '2' })).toBe(150);
  expect(of({ 'retry-after': 'Thu, 01 Jan 1970 00:00:03 GMT' })).toBe(3000);
  for (const odd of ['-1', 'soon', ' ']) expect(of({ 'retry-after': odd })).toBeUndefined();
});
