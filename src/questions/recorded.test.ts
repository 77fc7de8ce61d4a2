// Moments in sessions that were really run: the session process, a runner on the CPU target, the test model server as the agent
// (`node scripts/record-moments.mjs` records them anew).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { traceEvent, type TraceEvent } from '../session/events.js';
import { advance, type SessionState } from '../session/fold.js';
import { dueMoment, momentsAt, type Occasion } from './moments.js';
import { MOMENTS, type MomentKind } from './types.js';
import { visitedLevels } from './visited.js';

function recorded(name: string): TraceEvent[] {
  const file = path.join(process.cwd(), 'test/fixtures/moments', `${name}.jsonl`);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => traceEvent.parse(JSON.parse(line)));
}

const occasionOf = (kind: MomentKind): Occasion =>
  kind === 'limit-claimed' ? 'claim' : kind === 'wish-to-stop' || kind === 'human' ? kind : 'verdict';

/** Follows a trace; `at` sees the state before each event. */
function follow(events: readonly TraceEvent[], at: (event: TraceEvent, before: SessionState) => void): SessionState {
  let state: SessionState | undefined;
  for (const event of events) {
    if (state) at(event, state);
    state = advance(state, event);
  }
  if (!state) throw new Error('an empty trace');
  return state;
}

/** Moments that the session opened, as `kind` or `kind at candidate`; repeated wishes to stop once. */
function opened(events: readonly TraceEvent[]): string[] {
  const all = events.flatMap((e) =>
    e.type === 'moment' ? [`${e.kind}${e.candidate ? ` at ${e.candidate}` : ''}`] : [],
  );
  return all.filter((m, i) => m !== all[i - 1]);
}

/** What every state is at right after a candidate was judged, whatever the pace allows. */
function found(events: readonly TraceEvent[]): Record<string, MomentKind[]> {
  const at: Record<string, MomentKind[]> = {};
  follow(events, (event, before) => {
    if (event.type !== 'tool' || event.name !== 'evaluate' || event.isError) return;
    const id = /^c\d+/.exec(event.result)?.[0] ?? '';
    at[id] = momentsAt(before, 'verdict').map((m) => m.kind);
  });
  return at;
}

const STORIES = { flat: recorded('flat'), failures: recorded('failures'), shapes: recorded('shapes') };

describe('moments in recorded sessions', () => {
  test.each(Object.entries(STORIES))('%s: the trace alone gives the moments that the session opened', (_, events) => {
    let moments = 0;
    follow(events, (event, before) => {
      if (event.type !== 'moment') return;
      moments += 1;
      const { kind, evidence, candidate, place } = event;
      const again = dueMoment(before, occasionOf(kind), { placeOf: () => place });
      expect(again).toEqual({ kind, evidence, ...(candidate && { candidate }), ...(place && { place }) });
    });
    expect(moments).toBeGreaterThan(2);
  });

  test('between them they have every moment there is', () => {
    const kinds = new Set(
      Object.values(STORIES).flatMap((s) => s.flatMap((e) => (e.type === 'moment' ? [e.kind] : []))),
    );
    expect([...MOMENTS].filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  test('a session that goes nowhere: plateau after five candidates, narrowing after eight, then it wants to stop', () => {
    expect(opened(STORIES.flat)).toEqual(['opening', 'plateau at c5', 'narrowing at c8', 'wish-to-stop at c8']);
    const at = found(STORIES.flat);
    expect(['c1', 'c2', 'c3', 'c4'].flatMap((id) => at[id])).toEqual([]);
    expect(at['c5']).toEqual(['plateau']);
    expect(at['c8']).toContain('narrowing');
    const end = follow(STORIES.flat, () => undefined);
    expect(visitedLevels(end)).toEqual(['compiler']);
    // Once for each level that was not visited.
    expect(end.moments.filter((m) => m.moment.kind === 'wish-to-stop')).toHaveLength(8);
  });

  test('a session that fails: the streak, then a claim, then half of its budget', () => {
    const [first, ...others] = opened(STORIES.failures);
    expect(first).toBe('opening');
    expect(others).toEqual(['failure-streak at c3', 'limit-claimed', 'half-budget at c4', 'wish-to-stop at c4']);
    const at = found(STORIES.failures);
    expect([at['c1'], at['c2']]).toEqual([[], []]);
    expect(at['c3']).toEqual(['failure-streak', 'half-budget']);
    // Its streak was met; only one candidate failed since.
    expect(at['c4']).toEqual(['half-budget']);
  });

  test('a session whose gain depends on the shape: new best, a person in between, shape bias', () => {
    expect(opened(STORIES.shapes).slice(0, 4)).toEqual([
      'opening',
      'new-best at c1',
      expect.stringMatching(/^human at c\d$/),
      expect.stringMatching(/^shape-bias at c\d$/),
    ]);
  });
});

test('following a trace of 10,000 events costs little more with moments than without', () => {
  const base = STORIES.flat;
  const judgedAt = base.findIndex((e) => e.type === 'candidate');
  const events = base.slice(0, judgedAt);
  const verdict = base.find((e) => e.type === 'verdict');
  const candidate = base.find((e) => e.type === 'candidate');
  if (!verdict || !candidate) throw new Error('no candidate in the recording');
  const next = (event: TraceEvent): void => void events.push({ ...event, seq: events.length + 1 });
  for (let n = 1; events.length < 10_000; n++) {
    next({ ...candidate, id: `c${n}`, sourcesSha256: n.toString(16).padStart(64, '0') });
    next({ ...verdict, candidate: `c${n}` });
    for (let i = 0; i < 4; i++)
      next({
        seq: 0,
        at: verdict.at,
        type: 'tool',
        id: `t${events.length}`,
        name: 'view',
        input: {},
        result: '',
        isError: false,
      });
  }
  const time = (at: Parameters<typeof follow>[1]): number => {
    const start = performance.now();
    follow(events, at);
    return performance.now() - start;
  };
  time(() => undefined);
  const without = time(() => undefined);
  const every = time((event, before) => {
    if (event.type === 'verdict') dueMoment(before, 'verdict');
  });
  expect(every).toBeLessThan(20 * without);
});
