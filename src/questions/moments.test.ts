// Moments on states folded from traces written here: what each needs, what it must not take for one, and the pace.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ScenarioVerdict, Verdict } from '../../remote-runner/protocol.js';
import type { TraceEvent, TraceEventBody } from '../session/events.js';
import type { SessionState } from '../session/fold.js';
import { fold } from '../session/fold.js';
import { verdictWith } from '../../test/support/sample-trace.js';
import { PLATEAU } from './moments/progress.js';
import { dueMoment, momentsAt, PACE } from './moments.js';
import { levelsBeforeStop } from './moments/voices.js';
import type { Level, MomentKind } from './types.js';
import { unvisitedLevels, visitedLevels } from './visited.js';

const sha = (n: number): string => n.toString(16).padStart(64, '0');

/** Writes a trace by what happens in it. */
class Story {
  readonly bodies: TraceEventBody[] = [
    {
      type: 'started',
      session: 's',
      task: 'a.task.json',
      strategy: 'ask',
      seed: 1,
      budget: { evaluations: 100, minutes: 1000 },
      originalSha256: sha(0),
      version: '0',
    },
    { type: 'baseline', verdict: verdictWith({ value: 1 }) },
  ];
  private candidates = 0;
  private tools = 0;
  private moments = 0;

  add(...bodies: TraceEventBody[]): this {
    this.bodies.push(...bodies);
    return this;
  }

  acts(times: number): this {
    for (let i = 0; i < times; i++)
      this.add({ type: 'tool', id: `t${this.tools++}`, name: 'view', input: {}, result: '', isError: false });
    return this;
  }

  /** A candidate judged. @param of with `best`, confirmed with the same figures and made the best */
  judged(
    of: Parameters<typeof verdictWith>[0] & { levels?: Level[]; parent?: string; best?: boolean; verdict?: Verdict },
  ): this {
    const id = `c${++this.candidates}`;
    const { levels = ['launch'], parent } = of;
    this.add({
      type: 'candidate',
      id,
      ...(parent !== undefined && { parent }),
      author: 'agent',
      commit: sha(9),
      sourcesSha256: sha(this.candidates),
      note: '',
      levels,
    });
    this.add({ type: 'verdict', candidate: id, verdict: of.verdict ?? verdictWith(of) });
    if (of.best) {
      this.add({ type: 'verdict', candidate: id, verdict: verdictWith({ ...of, mode: 'confirm', faster: true }) });
      this.add({ type: 'incumbent', candidate: id });
    }
    return this;
  }

  moment(
    kind: MomentKind,
    of: { candidate?: string; asked?: boolean; level?: Level; outcome?: 'answered' | 'wrong-moment' } = {},
  ): this {
    const id = `m${++this.moments}`;
    const { candidate, asked = true, outcome = 'answered', level } = of;
    this.add({
      type: 'moment',
      id,
      kind,
      evidence: '',
      asked,
      offered: [],
      ...(candidate !== undefined && { candidate }),
    });
    if (!asked) return this;
    this.add({
      type: 'question',
      id: `q${this.moments}`,
      moment: id,
      text: '?',
      by: 'agent',
      informed: false,
      ...(level && { level }),
    });
    return this.add({ type: 'answer', moment: id, outcome, by: 'agent', informed: false });
  }

  claim(text: string, floorMs?: Record<string, number>): this {
    return this.add({ type: 'claim', id: 'l1', text, evidence: 'e', ...(floorMs && { floorMs }) });
  }

  get state(): SessionState {
    const state = fold(this.bodies.map((b, i): TraceEvent => ({ ...b, seq: i + 1, at: i * 1000 })));
    if (!state) throw new Error('no state');
    return state;
  }

  kinds(occasion: Parameters<typeof momentsAt>[1] = 'verdict'): MomentKind[] {
    return momentsAt(this.state, occasion).map((m) => m.kind);
  }

  evidence(kind: MomentKind, occasion: Parameters<typeof momentsAt>[1] = 'verdict'): string | undefined {
    return momentsAt(this.state, occasion).find((m) => m.kind === kind)?.evidence;
  }
}

/** A correct verdict over scenarios with these speedups, ±2 %. */
function over(scenarios: Record<string, number>): Verdict {
  const value = Math.exp(Object.values(scenarios).reduce((s, v) => s + Math.log(v), 0) / Object.keys(scenarios).length);
  return {
    ...verdictWith({ value }),
    scenarios: Object.entries(scenarios).map(([id, v]): ScenarioVerdict => ({
      id,
      status: 'correct',
      outputs: [],
      timing: {
        candidateMs: 1 / v,
        baselineMs: 1,
        speedup: { value: v, low: v * 0.98, high: v * 1.02 },
        pairs: 8,
        processes: 1,
      },
    })),
  };
}

describe('opening', () => {
  test('after the baseline, once, and before any candidate', () => {
    const story = new Story();
    expect(story.evidence('opening')).toBe(
      'The original is measured: 1.00 ms in n=1024 on the CPU emulation; nothing has been tried yet.',
    );
    expect(story.moment('opening').kinds()).toEqual([]);
    expect(new Story().judged({ value: 1 }).kinds()).toEqual([]);
  });
});

describe('new best', () => {
  test('only by the verdict just given, once, with the one before it', () => {
    const story = new Story().judged({ value: 1.3, best: true });
    expect(story.evidence('new-best')).toBe(
      'c1 is the new best with 1.300× [1.287, 1.313] over the original, confirmed; it is the first.',
    );
    story.moment('new-best', { candidate: 'c1' });
    expect(story.kinds()).toEqual([]);
    story.judged({ value: 1.6, best: true });
    expect(story.evidence('new-best')).toContain('before it c1 was, with 1.30×.');
    expect(story.judged({ value: 1.0 }).kinds()).toEqual([]);
  });
});

describe('plateau', () => {
  const flat = (story: Story, n = PLATEAU): Story => {
    for (let i = 0; i < n; i++) story.judged({ value: 1.4 + i / 200, low: 1.36, high: 1.46 });
    return story;
  };

  test('candidates within each other’s intervals', () => {
    const story = flat(new Story().judged({ value: 1.41, best: true }));
    expect(story.evidence('plateau')).toBe(
      'The last 5 correct candidates lie between 1.40× and 1.42×, within their intervals.',
    );
    expect(flat(new Story().judged({ value: 1.41, best: true }), PLATEAU - 1).kinds()).toEqual([]);
  });

  test('slower ones count, failed ones neither count nor end it', () => {
    const story = new Story().judged({ value: 1.5, best: true }).judged({ value: 0.9 }).judged({ status: 'wrong' });
    story.judged({ value: 1.2 }).judged({ value: 1.49 }).judged({ value: 0.7 }).judged({ value: 1.3 });
    expect(story.evidence('plateau')).toBe(
      'None of the last 5 correct candidates is faster than the best, c1 with 1.50×, beyond its interval; they lie between 0.70× and 1.49×.',
    );
  });

  test('progress beyond the interval is no plateau, also where it was not confirmed', () => {
    const story = flat(new Story().judged({ value: 1.41, best: true }), PLATEAU - 1);
    expect(story.judged({ value: 1.6 }).kinds()).not.toContain('plateau');
  });

  test('a new best begins it anew, and so does an earlier plateau', () => {
    const story = flat(new Story().judged({ value: 1.41, best: true }));
    story.moment('plateau', { candidate: 'c6' });
    expect(flat(story, PLATEAU - 1).kinds()).not.toContain('plateau');
    expect(flat(story, 1).kinds()).toContain('plateau');
    expect(story.judged({ value: 1.7, best: true }).kinds()).not.toContain('plateau');
  });
});

describe('failure streak', () => {
  test('three in a row, in words', () => {
    const story = new Story().judged({ value: 1.1 }).judged({ status: 'compile_error' }).judged({ status: 'wrong' });
    expect(story.kinds()).toEqual([]);
    story.judged({ status: 'compile_error' });
    expect(story.evidence('failure-streak')).toBe(
      'The last 3 candidates failed: c2 and c4 did not compile; c3 gave wrong results.',
    );
    story.moment('failure-streak', { candidate: 'c4' });
    expect(story.judged({ status: 'crash' }).judged({ status: 'crash' }).kinds()).toEqual([]);
    expect(story.judged({ status: 'crash' }).kinds()).toEqual(['failure-streak']);
  });

  test('what the machine did wrong is no failure and no success', () => {
    const story = new Story()
      .judged({ status: 'wrong' })
      .judged({ status: 'infrastructure' })
      .judged({ status: 'wrong' });
    expect(story.kinds()).toEqual([]);
    expect(story.judged({ status: 'inconclusive' }).judged({ status: 'wrong' }).kinds()).toEqual(['failure-streak']);
    expect(story.judged({ value: 0.5 }).kinds()).toEqual([]);
  });
});

describe('claims and wishes', () => {
  test('a claim is met once, beside its floor', () => {
    const story = new Story().judged({ value: 1.5, best: true }).claim('memory\nbound “already”');
    expect(story.evidence('limit-claimed', 'claim')).toContain('The agent claims a limit, “memory bound already”');
    expect(story.moment('limit-claimed').kinds('claim')).toEqual([]);
    expect(story.claim('again').kinds('claim')).toEqual(['limit-claimed']);
  });

  test('the floor is told on a device, and not for emulated times', () => {
    const real = new Story().add({ type: 'baseline', verdict: { ...verdictWith({ value: 1 }), emulated: false } });
    expect(real.claim('bound', { 'n=1024': 0.25 }).evidence('limit-claimed', 'claim')).toContain(
      'by work and device n=1024 takes at least 0.250 ms, the original takes 1.00 ms, 4.0 times that.',
    );
    expect(new Story().claim('bound', { 'n=1024': 0.25 }).evidence('limit-claimed', 'claim')).not.toContain('0.250');
  });

  test('a wish to stop is met once per unvisited level, whatever becomes of the questions', () => {
    const story = new Story()
      .judged({ value: 1.2, levels: ['launch', 'compiler'] })
      .judged({ status: 'wrong', levels: ['algorithm'] });
    expect(visitedLevels(story.state)).toEqual(['compiler', 'launch']);
    expect(unvisitedLevels(story.state)).toHaveLength(7);
    expect(story.evidence('wish-to-stop', 'wish-to-stop')).toBe(
      'The agent wants to stop after 2 of 100 evaluations; no measured candidate has changed 7 of 9 levels.',
    );
    let met = 0;
    while (story.kinds('wish-to-stop').length > 0) {
      const [level] = levelsBeforeStop(story.state);
      // Every second one leads to no question about a level.
      story.moment('wish-to-stop', met % 2 === 0 && level ? { level } : {});
      met += 1;
      expect(met).toBeLessThanOrEqual(7);
    }
    expect(met).toBe(7);
  });
});

describe('narrowing', () => {
  const at = (story: Story, n: number, levels: Level[], parent?: (i: number) => string): Story => {
    for (let i = 0; i < n; i++) story.judged({ value: 1.0, levels, ...(parent && { parent: parent(i) }) });
    return story;
  };

  test('eight measured candidates at few levels', () => {
    const story = at(new Story(), 8, ['launch', 'decomposition']);
    expect(story.evidence('narrowing')).toBe(
      'The last 8 measured candidates changed only decomposition and launch and runtime; 2 of 9 levels have been visited.',
    );
    expect(at(new Story(), 7, ['launch']).kinds()).not.toContain('narrowing');
    expect(at(new Story(), 8, ['launch', 'decomposition', 'overlap']).kinds()).not.toContain('narrowing');
  });

  test('a straight path is narrow with one level more', () => {
    const story = at(new Story().judged({ value: 1 }), 8, ['launch', 'decomposition', 'overlap'], (i) => `c${i + 1}`);
    expect(story.evidence('narrowing')).toContain('each built on the one before');
  });

  test('not for a session that has been around', () => {
    const story = new Story().judged({
      value: 1,
      levels: ['algorithm', 'data-movement', 'memory-hierarchy', 'instructions', 'overlap', 'compiler'],
    });
    expect(at(story, 8, ['launch']).kinds()).not.toContain('narrowing');
  });
});

describe('shape bias', () => {
  test('two candidates that trade places between scenarios', () => {
    const story = new Story()
      .judged({ verdict: over({ 'n=1': 2, 'n=9': 1 }) })
      .judged({ verdict: over({ 'n=1': 1, 'n=9': 1.5 }) });
    expect(story.evidence('shape-bias')).toBe(
      'c1 is ahead of c2 in n=1 (2.00× to 1.000×), c2 ahead of c1 in n=9 (1.50× to 1.000×), beyond the intervals.',
    );
  });

  test('one candidate whose scenarios gain differently, until one tells shapes apart', () => {
    const story = new Story().judged({ verdict: over({ 'n=1': 2, 'n=9': 1 }) });
    expect(story.evidence('shape-bias')).toContain('c1 reaches 2.00× in n=1 and 1.000× in n=9');
    expect(new Story().judged({ verdict: over({ 'n=1': 1.02, 'n=9': 1 }) }).kinds()).toEqual([]);
    expect(new Story().judged({ verdict: over({ 'n=1': 2, 'n=9': 1 }), levels: ['shape-dtype'] }).kinds()).toEqual([]);
    expect(story.moment('shape-bias', { candidate: 'c1' }).kinds()).toEqual([]);
  });

  test('held-out scenarios are never named', () => {
    const verdict = over({ 'n=1': 2, 'n=9': 1 });
    verdict.scenarios = verdict.scenarios.map((s) => (s.id === 'n=9' ? { ...s, heldOut: true } : s));
    expect(new Story().judged({ verdict }).kinds()).toEqual([]);
  });

  test('proposals that collapse onto the same constants', () => {
    const state = new Story().judged({ value: 1 }).state;
    expect(momentsAt(state, 'verdict', { collapse: { shapes: 4, shared: 0.9 } }).map((m) => m.evidence)).toEqual([
      'The proposals for 4 shapes share 90 % of their constants.',
    ]);
    expect(momentsAt(state, 'verdict', { collapse: { shapes: 4, shared: 0.5 } })).toEqual([]);
  });
});

describe('half the budget', () => {
  test('of evaluations or minutes, once per budget', () => {
    const story = new Story();
    story.bodies[0] = { ...story.bodies[0], budget: { evaluations: 4, minutes: 1000 } } as TraceEventBody;
    expect(story.judged({ value: 1 }).kinds()).toEqual([]);
    story.judged({ value: 1.2, best: true });
    expect(story.evidence('half-budget')).toBe(
      '2 of 4 evaluations and 0.1 of 1000 minutes are used; the best is c2 with 1.20×.',
    );
    story.moment('half-budget', { candidate: 'c2' });
    expect(story.judged({ value: 1 }).kinds()).toEqual([]);
    story.add({ type: 'resumed', budget: { evaluations: 6, minutes: 1000 } });
    expect(story.kinds()).toEqual(['half-budget']);
  });
});

describe('when a question is due', () => {
  const streak = (story: Story): Story =>
    story.judged({ status: 'wrong' }).judged({ status: 'wrong' }).judged({ status: 'wrong' });

  test('at most one in PACE actions, the opening and what somebody brings about aside', () => {
    const story = streak(new Story().moment('opening'));
    expect(dueMoment(story.state, 'verdict')?.kind).toBe('failure-streak');
    streak(story.moment('failure-streak', { candidate: 'c3', asked: false }).acts(PACE - 1));
    expect(dueMoment(story.state, 'verdict')).toBeUndefined();
    expect(dueMoment(story.claim('bound').state, 'claim')?.kind).toBe('limit-claimed');
    expect(dueMoment(story.state, 'wish-to-stop')?.kind).toBe('wish-to-stop');
    expect(dueMoment(story.state, 'human')?.kind).toBe('human');
    expect(dueMoment(story.acts(1).state, 'verdict')?.kind).toBe('failure-streak');
  });

  test('a kind called wrong comes half as often, others keep their pace', () => {
    const story = streak(new Story()).moment('failure-streak', { candidate: 'c3', outcome: 'wrong-moment' });
    expect(dueMoment(streak(story.acts(PACE)).state, 'verdict')).toBeUndefined();
    expect(dueMoment(story.judged({ value: 2, best: true }).state, 'verdict')?.kind).toBe('new-best');
    expect(dueMoment(streak(story.acts(PACE)).state, 'verdict')?.kind).toBe('failure-streak');
  });

  test('not while a question is open, not after the end, not without evaluations left', () => {
    const open = streak(new Story()).add({
      type: 'moment',
      id: 'm1',
      kind: 'human',
      evidence: '',
      asked: true,
      offered: [],
    });
    expect(dueMoment(open.state, 'human')).toBeUndefined();
    const over = streak(new Story()).add({ type: 'finished', reason: 'agent', message: '' });
    expect(dueMoment(over.state, 'verdict')).toBeUndefined();
    const spent = streak(new Story());
    spent.bodies[0] = { ...spent.bodies[0], budget: { evaluations: 3, minutes: 1 } } as TraceEventBody;
    expect(dueMoment(spent.state, 'verdict')).toBeUndefined();
    expect(dueMoment(spent.state, 'wish-to-stop')).toBeUndefined();
  });

  test('the place is asked for by the candidate', () => {
    const story = new Story().judged({ value: 1.3, best: true });
    const placeOf = (id: string) => (id === 'c1' ? { file: 'k.cu', line: 7 } : undefined);
    expect(dueMoment(story.state, 'verdict', { placeOf })?.place).toEqual({ file: 'k.cu', line: 7 });
  });

  test('never twice for the same state, whatever the trace', () => {
    const step = fc.oneof(
      fc.record({ value: fc.double({ min: 0.2, max: 4, noNaN: true }), best: fc.boolean() }),
      fc.record({ status: fc.constantFrom('wrong' as const, 'compile_error' as const, 'infrastructure' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const story = new Story();
        for (const of of steps) {
          story.judged(of);
          const [first, ...others] = momentsAt(story.state, 'verdict');
          if (!first) continue;
          expect(first.evidence).toMatch(/^[A-Zc].*\.$/);
          story.moment(first.kind, {
            asked: false,
            ...(first.candidate !== undefined && { candidate: first.candidate }),
          });
          expect(story.kinds()).toEqual(others.map((m) => m.kind).filter((k) => k !== first.kind));
        }
      }),
      { numRuns: 100 },
    );
  });
});
