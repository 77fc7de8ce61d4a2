// The event log of a job: gapless, replayable from anywhere, bounded, and never without its end.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JobEventBody } from '../protocol.js';
import { Job } from './job.js';

const phase: JobEventBody = { type: 'phase', phase: 'time', detail: '' };
const ended: JobEventBody = { type: 'ended', reason: 'infrastructure', message: 'gone' };

/** Everything a client that has seen `seq` is sent. */
function replay(job: Job, seq: number): number[] {
  const sent: number[] = [];
  for (let next = job.after(seq); next; next = job.after(next.seq)) sent.push(next.seq);
  return sent;
}

test('replay from any number gives the rest without gaps, whatever was acknowledged', () => {
  const bounds = { min: 0, max: 60 };
  fc.assert(
    fc.property(fc.integer(bounds), fc.integer(bounds), fc.integer(bounds), (events, acked, seen) => {
      const job = new Job('a', 'hash', undefined);
      for (let i = 0; i < events; i += 1) job.append(phase);
      job.ack(acked);
      const kept = Array.from({ length: Math.max(0, events - Math.max(acked, seen)) }, (_, i) => events - i).reverse();
      expect(replay(job, seen)).toEqual(kept);
      const last = job.append(ended);
      // Its journal is still being written.
      expect(replay(job, seen)).toEqual(kept);
      job.notify();
      expect(last.seq).toBe(events + 1);
      job.ack(events + 1);
      expect(replay(job, Math.min(seen, events))).toEqual([events + 1]);
    }),
  );
});

test('a flood of progress is bounded; the end is kept', () => {
  const job = new Job('a', 'hash', undefined);
  for (let i = 0; i < 5000; i += 1) job.append(phase);
  job.append(ended);
  job.notify();
  expect(job.retained.length).toBe(1024);
  expect(replay(job, 0).at(-1)).toBe(5001);
});

test('nothing follows the end', () => {
  const job = new Job('a', 'hash', undefined);
  job.append(ended);
  expect(() => job.append(phase)).toThrow('has ended');
});
