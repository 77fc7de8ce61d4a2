// Segments where memory is short: refused with the remedy instead of a process that dies of it later.
import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createSegments } from './segments.js';

const open = (): number => readdirSync('/proc/self/fd').length;

test('what one descriptor writes the other reads, and all are closed', () => {
  const before = open();
  const segments = createSegments(3, 10_000);
  writeSync(segments[1]!.readWrite, 'seen', 0);
  expect(readFileSync(`/proc/self/fd/${segments[1]!.readOnly}`).toString('latin1', 0, 4)).toBe('seen');
  for (const segment of segments) segment.close();
  expect(open()).toBe(before);
});

test('more than any folder holds is refused, with the remedy', () => {
  const before = open();
  expect(() => createSegments(3, 2 ** 50)).toThrow(/shared memory.*--shm-size/);
  expect(open()).toBe(before);
});
