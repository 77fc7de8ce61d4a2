// What a hostile child process can do to the line channel: write without end, forge times, leave its pipes to others.
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { ChannelClosed, LineChannel } from './channel.js';
import { sampleOf, WorkerFailure } from './worker.js';

function channelTo(program: string): LineChannel {
  const child = spawn(process.execPath, ['-e', program], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  return new LineChannel(child, child.stdin as Writable, child.stdout as Readable);
}

const why = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof ChannelClosed ? error.why : error),
  );

test('an answer of many long lines is cut off', async () => {
  const endless = `const line = 'x'.repeat(300000) + '\\n'; (function go() { process.stdout.write(line, go); })();`;
  expect(await why(channelTo(endless).ask('go', (line) => line === 'ok', 60_000))).toBe('flood');
});

test('a time limit holds though a process outside the group keeps the pipes open', async () => {
  const leaves = `require('child_process').spawn('sleep', ['20'], { detached: true, stdio: 'inherit' }); setInterval(() => {}, 1000);`;
  expect(await why(channelTo(leaves).ask('go', () => true, 1000))).toBe('timeout');
}, 15_000);

test('a limit beyond what timers hold is a long one', async () => {
  expect(await why(channelTo(`setTimeout(() => console.log('ok'), 100)`).ask('go', () => true, 1e12))).toBe('answered');
});

test('times are finite and never zero', () => {
  expect(sampleOf('ran 0 0 0 0').event).toBeGreaterThan(0);
  expect(sampleOf('ran 0.25 0.5 0 1')).toEqual({ event: 0.25, host: 0.5, late: 0, unjoined: true });
  for (const line of ['ran', 'ran 1 1 1', 'ran 1 1 1 1 1', 'ran Infinity 1 0 0', 'ran -1 1 0 0', 'ran nan 1 0 0'])
    expect(() => sampleOf(line), line).toThrow(WorkerFailure);
});
