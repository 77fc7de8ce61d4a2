// CPU time of other processes, as the kernel accounts it.
import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { processesBelow, spentBetween, threadTimes } from './cpu-time.js';

const at = (total: number, threads: Record<string, number>): Parameters<typeof spentBetween>[0] => ({
  total,
  threads: new Map(Object.entries(threads)),
});

it('work on several threads at once takes as long as the busiest', () => {
  expect(spentBetween(at(10, { a: 10 }), at(18, { a: 14, b: 4 }), 4)).toEqual({ work: 8, path: 4 });
  expect(spentBetween(at(10, { a: 10 }), at(18, { a: 18 }), 4)).toEqual({ work: 8, path: 8 });
});

it('what a thread did that has ended counts in full', () => {
  expect(spentBetween(at(10, { a: 10, b: 0 }), at(18, { a: 11 }), 4)).toEqual({ work: 8, path: 8 });
});

it('more threads than cores make nothing faster', () => {
  expect(spentBetween(at(0, {}), at(8, { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1 }), 2).path).toBe(4);
});

it('finds a program behind whatever started it, and the time of its threads', async () => {
  const child = spawn('/bin/sh', ['-c', 'sleep 30 & sleep 30; true'], { stdio: 'ignore' });
  try {
    await expect.poll(() => processesBelow(child.pid!).length).toBe(2);
    expect(threadTimes([child.pid!]).get(String(child.pid))).toBeGreaterThan(0);
    expect(threadTimes([2 ** 30])).toEqual(new Map());
  } finally {
    for (const pid of processesBelow(child.pid!)) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
  }
});
