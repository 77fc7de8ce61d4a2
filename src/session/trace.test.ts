// The trace survives being cut anywhere; what is not a cut is refused with its line.
import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bestOf, fold } from './fold.js';
import type { TraceEventBody } from './events.js';
import { SessionLocked, isLocked, takeLock } from './lock.js';
import { parseTrace, readTrace, TraceError, TraceWriter } from './trace.js';
import { sampleTrace, verdictWith } from '../../test/support/sample-trace.js';

const none = (line: string): string => line;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ks-trace-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(bodies: TraceEventBody[]): Promise<Buffer> {
  const writer = await TraceWriter.open(folder, none);
  for (const body of bodies) await writer.append(body);
  await writer.close();
  return readFile(path.join(folder, 'trace.jsonl'));
}

describe('trace', () => {
  test('cut at any byte, it is read up to the last whole line and goes on from there', async () => {
    const bytes = await write(sampleTrace());
    const whole = parseTrace(bytes, 'trace').events;
    const file = path.join(folder, 'trace.jsonl');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (cut) => {
        await writeFile(file, bytes.subarray(0, cut));
        const before = await readTrace(folder);
        expect(before.events).toEqual(whole.slice(0, before.events.length));
        // Nothing that was whole is lost.
        const lines = bytes.subarray(0, cut).filter((b) => b === 0x0a).length;
        expect(before.events.length).toBeGreaterThanOrEqual(lines);
        const writer = await TraceWriter.open(folder, none, before);
        const added = await writer.append({ type: 'resumed' });
        await writer.close();
        const after = await readTrace(folder);
        expect(after.warning).toBeUndefined();
        expect(after.events).toEqual([...before.events, added]);
        if (before.events.length > 0) expect(fold(after.events)?.lastSeq).toBe(before.events.length + 1);
      }),
      { numRuns: 150 },
    );
  });

  test('a torn last line is told', async () => {
    const bytes = await write(sampleTrace());
    await truncate(path.join(folder, 'trace.jsonl'), bytes.length - 5);
    const { warning, events } = await readTrace(folder);
    expect(events).toHaveLength(sampleTrace().length - 1);
    expect(warning).toMatch(/line \d+\) was torn/);
  });

  test('damage before the end is refused with its line', async () => {
    const bytes = await write(sampleTrace());
    const text = bytes.toString();
    const lines = text.split('\n');
    expect(() => parseTrace(Buffer.from(text.replace(lines[2]!, lines[2]!.slice(0, -3))), 't')).toThrow(/t, line 3/);
    expect(() => parseTrace(Buffer.from([...lines.slice(0, 2), ...lines.slice(3)].join('\n')), 't')).toThrow(
      /line 3: sequence number 4/,
    );
    await appendFile(path.join(folder, 'trace.jsonl'), '{"seq":99}\n{"seq":100}\n');
    await expect(readTrace(folder)).rejects.toThrow(/line \d+: not a trace event/);
  });

  test('property: whatever the bytes, it is events or a TraceError, never anything else', async () => {
    const bytes = await write(sampleTrace());
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.uint8Array({ maxLength: 40 }), (at, noise) => {
        const damaged = Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + noise.length)]);
        try {
          const { events } = parseTrace(damaged, 't');
          events.forEach((e, i) => expect(e.seq).toBe(i + 1));
        } catch (error) {
          expect(error).toBeInstanceOf(TraceError);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('secrets are removed from the line that is written and from the event that is told', async () => {
    const writer = await TraceWriter.open(folder, (line) => line.replaceAll('hush', '***'));
    const told = await writer.append({ type: 'trouble', where: 'model', message: 'the key hush was refused' });
    await writer.close();
    expect(told).toMatchObject({ message: 'the key *** was refused' });
    expect(await readFile(path.join(folder, 'trace.jsonl'), 'utf8')).not.toContain('hush');
  });
});

describe('fold', () => {
  test('counts what was paid, time at work, usage, and keeps the incumbent', async () => {
    const events = parseTrace(await write(sampleTrace()), 't').events.map((e, i) => ({ ...e, at: 1000 * i }));
    const state = fold(events)!;
    expect(state.evaluations).toBe(2);
    expect(state.incumbent).toBe('c1');
    expect(bestOf(state)).toMatchObject({ candidate: { id: 'c1' }, confirmed: true });
    expect(state.candidates.map((c) => c.verdicts)).toEqual([2, 1, 0]);
    expect(state.bests).toEqual([{ seq: 9, candidate: 'c1', speedup: 1.4 }]);
    expect(state.candidates.map((c) => [c.seq, c.judgedSeq])).toEqual([
      [6, 7],
      [12, 13],
      [14, undefined],
    ]);
    expect(state.usage.outputTokens).toBe(7);
    expect(state.activeMs).toBe(1000 * (events.length - 1));
    const later = fold([...events, { seq: events.length + 1, at: 9e9, type: 'resumed' }])!;
    expect(later.activeMs).toBe(state.activeMs);
  });

  test('neither pauses nor sleep of the machine are time at work', () => {
    const start = sampleTrace()[0]!;
    const then: [number, TraceEventBody][] = [
      [0, start],
      [10_000, { type: 'paused', paused: true }],
      [500_000, { type: 'trouble', where: 'session', message: 'said meanwhile' }],
      [900_000, { type: 'paused', paused: false }],
      [905_000, { type: 'trouble', where: 'session', message: 'five seconds later' }],
      // Two hours later by the wall clock, of which it slept all but a second.
      [905_000 + 7_200_000, { type: 'slept', ms: 7_199_000 }],
    ];
    const events = then.map(([at, body], i) => ({ ...body, seq: i + 1, at }));
    expect(fold(events)?.activeMs).toBe(10_000 + 5000 + 1000);
    expect(fold(events.slice(0, 3))).toMatchObject({ paused: true, activeMs: 10_000 });
  });

  test('never throws on any prefix and grows only', async () => {
    const { events } = parseTrace(await write(sampleTrace()), 't');
    for (let n = 1; n <= events.length; n++) expect(fold(events.slice(0, n))?.lastSeq).toBe(n);
    expect(fold([])).toBeUndefined();
    expect(() => fold(events.slice(1))).toThrow(/before "started"/);
  });

  test('without a confirmed best the provisional one is shown as such', () => {
    const body = sampleTrace().filter(
      (e) => e.type !== 'incumbent' && !(e.type === 'verdict' && e.verdict.mode === 'confirm'),
    );
    const events = body.map((b, i) => ({ seq: i + 1, at: i, ...b }));
    expect(bestOf(fold(events)!)).toMatchObject({ candidate: { id: 'c1' }, confirmed: false });
    expect(verdictWith({ value: 2 }).speedup?.value).toBe(2);
  });
});

describe('lock', () => {
  test('one holder at a time; released, it can be taken again', async () => {
    const lock = await takeLock(folder);
    await expect(takeLock(folder)).rejects.toThrow(SessionLocked);
    expect(await isLocked(folder)).toBe(true);
    await lock.release();
    expect(await isLocked(folder)).toBe(false);
    await (await takeLock(folder)).release();
  });

  test('that of a dead process is taken over, by one only', async () => {
    await writeFile(path.join(folder, 'lock.1'), JSON.stringify({ pid: 2 ** 22 + 1, host: os.hostname() }));
    const tries = await Promise.allSettled([1, 2, 3, 4, 5].map(() => takeLock(folder)));
    expect(tries.filter((t) => t.status === 'fulfilled')).toHaveLength(1);
  });

  test('a process id that was given out again does not hold it', async () => {
    await writeFile(
      path.join(folder, 'lock.1'),
      JSON.stringify({ pid: process.pid, host: os.hostname(), started: 'long ago' }),
    );
    if (process.platform === 'linux') await (await takeLock(folder)).release();
    else await expect(takeLock(folder)).rejects.toThrow(SessionLocked);
  });
});
