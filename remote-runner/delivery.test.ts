// What a slow reader costs: events stay in the job until the socket has room.
import { expect, test } from 'vitest';
import { Delivery } from './delivery.js';
import { Job } from './jobs/job.js';
import type { JobEvent } from './protocol.js';

const progress = (n: number) => ({ type: 'phase' as const, phase: 'check' as const, detail: `step ${n}` });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A socket of which the test says how full it is, and when what was sent has left. */
function socket() {
  const sent: JobEvent[] = [];
  let unsent = 0;
  const delivery = new Delivery(
    (event) => {
      sent.push(event);
      unsent += 600_000;
    },
    () => unsent,
  );
  const leave = async (): Promise<void> => {
    unsent -= 600_000;
    delivery.pump();
    await turn();
  };
  /** Something else, an answer say, takes or leaves room. */
  const other = (bytes: number): void => {
    unsent += bytes;
    if (bytes < 0) delivery.pump();
  };
  return { sent, leave, other, delivery };
}

test('sending stops when the socket is full and goes on in order as it empties', async () => {
  const { sent, leave, delivery } = socket();
  const job = new Job('a', 'hash', undefined);
  delivery.follow(job, 0);
  for (let i = 1; i <= 10; i += 1) job.append(progress(i));
  job.notify();
  await turn();
  expect(sent.map((e) => e.seq)).toEqual([1, 2]);
  await leave();
  expect(sent.map((e) => e.seq)).toEqual([1, 2, 3]);
  for (let i = 0; i < 9; i += 1) await leave();
  expect(sent.map((e) => e.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('replay begins after what the client has seen, and the end is the end', async () => {
  const { sent, delivery } = socket();
  const job = new Job('a', 'hash', undefined);
  job.append(progress(1));
  job.append(progress(2));
  job.append({ type: 'ended', reason: 'cancelled', message: '' });
  delivery.follow(job, 1);
  await turn();
  // Not before it is recorded, whoever makes us send.
  expect(sent.map((e) => e.seq)).toEqual([2]);
  job.notify();
  expect(sent.map((e) => e.seq)).toEqual([2, 3]);
});

test('an event waits for room that an answer takes, and goes when that has left', async () => {
  const { sent, other, delivery } = socket();
  const job = new Job('a', 'hash', undefined);
  delivery.follow(job, 0);
  other(2_000_000);
  job.append({ type: 'ended', reason: 'cancelled', message: '' });
  job.notify();
  await turn();
  expect(sent).toEqual([]);
  other(-2_000_000);
  expect(sent.map((e) => e.seq)).toEqual([1]);
});
