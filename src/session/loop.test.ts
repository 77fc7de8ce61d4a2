// The loop against a scripted runner: budget, confirmation, duplicates, faults of the road, stop and resume.
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../remote-runner/protocol.js';
import { verdictWith } from '../../test/support/sample-trace.js';
import { ScriptedRunner } from '../../test/support/scripted-connection.js';
import { ORIGINAL, runSession, sampleTask } from '../../test/support/session-rig.js';
import { RunnerError } from '../runner/types.js';
import { fold } from './fold.js';
import type { Judged, Strategy } from './strategy.js';
import { readTrace } from './trace.js';

const block = (n: number): string => ORIGINAL.replace('128', String(n));
const valueIn = (text: string): number => Number(/BLOCK = (\d+)/.exec(text)?.[1]);

/** Speedup is BLOCK / 128: bigger is faster, both at first sight and confirmed. */
const honest = (text: string, { mode }: { mode: Verdict['mode'] }): Verdict => {
  const value = valueIn(text) / 128;
  return verdictWith({ value, mode, ...(mode === 'confirm' && { faster: value > 1.02 }) });
};

/** Proposes these blocks in order. */
const blocks =
  (values: number[], seen: Judged[] = []): Strategy =>
  async (context) => {
    for (const n of values) {
      const sources = [{ path: 'k.cu', text: block(n) }];
      seen.push(
        await context.evaluate({ sources, author: 'search', note: `BLOCK = ${n}`, configuration: { BLOCK: n } }),
      );
    }
    return { reason: 'exhausted', message: 'all tried' };
  };

const run = (runner: ScriptedRunner, strategy: Strategy, more: Partial<Parameters<typeof runSession>[0]> = {}) =>
  runSession({ runner, strategy: () => strategy, ...more });

describe('judging', () => {
  test('a promising candidate is confirmed, and only what beats the best becomes the best', async () => {
    const runner = new ScriptedRunner({ judge: honest });
    const { record } = await run(runner, blocks([64, 256, 192, 512]));
    expect(runner.jobs.map((j) => `${valueIn(j.text)} ${j.mode}`)).toEqual([
      '128 first',
      '64 first',
      '256 first',
      '256 confirm',
      '192 first',
      '512 first',
      '512 confirm',
    ]);
    expect(record.state).toMatchObject({
      incumbent: 'c4',
      evaluations: 4,
      finished: { reason: 'exhausted', best: 'c4' },
    });
    expect(runner.closed).toBe(1);
    // What was folded while running is what the trace says.
    expect(fold((await readTrace(record.folder)).events)).toEqual(record.state);
  });

  test('what the confirmation does not bear out is not the best', async () => {
    const runner = new ScriptedRunner({
      judge: (text, { mode }) =>
        mode === 'first' ? honest(text, { mode }) : verdictWith({ value: 1.01, low: 0.98, mode, faster: false }),
    });
    const seen: Judged[] = [];
    const { record } = await run(runner, blocks([256], seen));
    expect(record.state.incumbent).toBeUndefined();
    expect(seen[0]?.verdict).toMatchObject({ mode: 'confirm', faster: false });
    expect(runner.jobs).toHaveLength(3);
  });

  test('an interval that reaches below 1 is not confirmed until the end, when nothing better is there', async () => {
    const unsure = (text: string, { mode }: { mode: Verdict['mode'] }): Verdict =>
      mode === 'confirm' || valueIn(text) === 128
        ? honest(text, { mode })
        : verdictWith({ value: valueIn(text) / 128, low: 0.9, high: 5 });
    const runner = new ScriptedRunner({ judge: unsure });
    const { record } = await run(runner, blocks([64, 256, 512]));
    expect(runner.jobs.map((j) => `${valueIn(j.text)} ${j.mode}`).slice(-2)).toEqual(['512 first', '512 confirm']);
    expect(record.state.incumbent).toBe('c3');
  });

  test('where every interval reaches below 1, only the best is looked at once more', async () => {
    const runner = new ScriptedRunner({
      judge: (text, { mode }) =>
        mode === 'confirm'
          ? verdictWith({ value: 1.01, low: 0.98, mode, faster: false })
          : verdictWith({ value: valueIn(text) / 128, low: 0.9, high: 9 }),
    });
    const { record } = await run(runner, blocks([256, 512, 1024]));
    expect(runner.jobs.filter((j) => j.mode === 'confirm').map((j) => valueIn(j.text))).toEqual([1024]);
    expect(record.state.incumbent).toBeUndefined();
  });

  test('an unlucky first run of a better one, just below the best, is confirmed; well below it is not', async () => {
    const first: Record<number, number> = { 128: 1, 256: 2, 512: 1.95, 64: 1.85 };
    const runner = new ScriptedRunner({
      judge: (text, { mode }) =>
        mode === 'confirm'
          ? honest(text, { mode })
          : verdictWith({ value: first[valueIn(text)], low: first[valueIn(text)] }),
    });
    const { record } = await run(runner, blocks([256, 512, 64]));
    expect(runner.jobs.filter((j) => j.mode === 'confirm').map((j) => valueIn(j.text))).toEqual([256, 512]);
    expect(record.state.incumbent).toBe('c2');
  });

  test('the best so far is sent along, and only who beats it in the same rounds replaces it', async () => {
    const sent: (string | undefined)[] = [];
    // Over the original all look better and better; beside the best only 512 does.
    const over: Record<number, { value: number; low: number; high: number }> = {
      512: { value: 1.2, low: 1.1, high: 1.3 },
      1024: { value: 1.02, low: 0.97, high: 1.07 },
      2048: { value: 0.9, low: 0.88, high: 0.92 },
    };
    const runner = new ScriptedRunner({
      judge: (text, { mode, incumbent }) => {
        const best = incumbent?.[0]?.text;
        sent.push(best && String(valueIn(best)));
        const provenance = {
          candidateSha256: text,
          originalSha256: ORIGINAL,
          ...(best && { incumbentSha256: best }),
          ...{ flags: [], compiler: 'none', seed: '', startedAt: '' },
        };
        const beside = best && { overIncumbent: { ...over[valueIn(text)]!, confidence: 0.95 } };
        return { ...honest(text, { mode }), provenance, ...beside };
      },
    });
    const { record } = await run(runner, blocks([256, 512, 1024, 2048]));
    expect(runner.jobs.map((j) => `${valueIn(j.text)} ${j.mode}`)).toEqual([
      '128 first',
      '256 first',
      '256 confirm',
      '512 first',
      '512 confirm',
      '1024 first',
      '1024 confirm',
      '2048 first',
    ]);
    expect(sent).toEqual([undefined, undefined, undefined, '256', '256', '512', '512', '512']);
    expect(record.state.incumbent).toBe('c2');
  });

  test('duplicates, and the original itself, are answered without the runner and cost nothing', async () => {
    const runner = new ScriptedRunner({ judge: honest });
    const seen: Judged[] = [];
    const { record } = await run(runner, blocks([256, 128, 256, 128], seen), {
      budget: { evaluations: 1, minutes: 1 },
    });
    expect(seen.map((j) => j.candidate)).toEqual(['c1', 'c2', 'c1', 'c2']);
    expect(runner.jobs).toHaveLength(3);
    expect(record.state.evaluations).toBe(1);
    expect(record.state.finished?.reason).toBe('exhausted');
  });

  test('a verdict that says nothing about the candidate is asked again, as another job', async () => {
    let first = true;
    const runner = new ScriptedRunner({
      judge: (text, params) => {
        if (valueIn(text) !== 256 || !first) return honest(text, params);
        first = false;
        return verdictWith({ status: 'inconclusive' });
      },
    });
    const { record } = await run(runner, blocks([256, 256]));
    const jobs = runner.jobs.filter((j) => valueIn(j.text) === 256).map((j) => j.job);
    expect(new Set(jobs).size).toBe(3);
    expect(record.state.incumbent).toBe('c1');
  });

  test('a confirmation that comes to nothing leaves the first verdict, and is tried again', async () => {
    let confirmations = 0;
    const runner = new ScriptedRunner({
      judge: (text, params) => {
        if (params.mode === 'confirm' && ++confirmations === 1)
          return verdictWith({ mode: 'confirm', status: 'infrastructure' });
        return honest(text, params);
      },
    });
    const seen: Judged[] = [];
    const { record } = await run(runner, blocks([256], seen));
    expect(seen.map(({ verdict }) => [verdict.status, verdict.mode])).toEqual([['correct', 'first']]);
    expect(confirmations).toBe(2);
    expect(record.state.incumbent).toBe('c1');
  });

  test('sources other than the task’s are refused', async () => {
    const { record } = await run(new ScriptedRunner({ judge: honest }), (context) =>
      context
        .evaluate({ sources: [{ path: '../other.cu', text: '' }], author: 'agent', note: '' })
        .then(() => ({ reason: 'agent', message: '' })),
    );
    expect(record.state.finished).toMatchObject({ reason: 'failed', message: expect.stringContaining('../other.cu') });
  });
});

describe('limits', () => {
  test('no more first verdicts than the budget; a resumed session with a larger one goes on without paying twice', async () => {
    const runner = new ScriptedRunner({ judge: honest });
    const budget = { evaluations: 2, minutes: 10 };
    const { folder, record } = await run(runner, blocks([64, 256, 512]), { budget });
    expect(record.state).toMatchObject({ evaluations: 2, incumbent: 'c2', finished: { reason: 'budget', best: 'c2' } });
    const before = runner.jobs.length;
    const more = { evaluations: 3, minutes: 10 };
    const again = await run(runner, blocks([64, 256, 512]), { resume: folder, budget: more });
    expect(runner.jobs.slice(before).map((j) => `${valueIn(j.text)} ${j.mode}`)).toEqual(['512 first', '512 confirm']);
    expect(again.record.state).toMatchObject({ incumbent: 'c3', budget: more, finished: { reason: 'exhausted' } });
  });

  test('the target ends the session, with the verdict that reached it', async () => {
    const task = sampleTask({ objective: { target: 1.9 } });
    const { record } = await run(new ScriptedRunner({ judge: honest }), blocks([192, 256, 512]), { task });
    expect(record.state.finished).toMatchObject({ reason: 'target', best: 'c2' });
    expect(record.state.finished?.message).toContain('2.000×');
    expect(record.state.candidates).toHaveLength(2);
  });

  test('time that is up interrupts an evaluation; the candidate stays open', async () => {
    const runner = new ScriptedRunner({
      judge: (text, params) => (valueIn(text) === 256 ? new Promise(() => undefined) : honest(text, params)),
    });
    const { record } = await run(runner, blocks([256]), { budget: { evaluations: 5, minutes: 0.005 } });
    expect(record.state.finished).toMatchObject({ reason: 'budget', message: expect.stringContaining('minutes') });
    expect(record.state.candidates[0]?.first).toBeUndefined();
  });

  test('stop keeps the best and says so', async () => {
    const stop = new AbortController();
    const runner = new ScriptedRunner({
      judge: (text, params) => {
        if (valueIn(text) !== 512) return honest(text, params);
        stop.abort(new Error('stopped'));
        return new Promise(() => undefined);
      },
    });
    const { record } = await run(runner, blocks([256, 512]), { stop });
    expect(record.state.finished).toMatchObject({ reason: 'stopped', best: 'c1' });
  });

  test('an original that is not correct is refused with what is wrong with it, and measured anew on resume', async () => {
    const wrong = verdictWith({ status: 'compile_error', message: 'it does not compile' });
    wrong.diagnostics.push({ file: 'k.cu', line: 7, severity: 'error', message: 'expected ;' });
    const { folder, record } = await run(new ScriptedRunner({ judge: () => wrong }), blocks([256]));
    expect(record.state.finished?.reason).toBe('failed');
    expect(record.state.finished?.message).toMatch(/original itself.*compile_error.*k\.cu:7: expected ;/);
    expect(record.state.baseline).toMatchObject({ status: 'compile_error' });
    expect(record.state.candidates).toEqual([]);
    const mended = new ScriptedRunner({ judge: honest });
    const again = await run(mended, blocks([256]), { resume: folder });
    expect(mended.jobs[0]?.job).toMatch(/-original-1$/);
    expect(again.record.state.incumbent).toBe('c1');
  });

  test('an original that is not as fast as itself is measured once more; if that does not help, it is said', async () => {
    const noisy = (times: number) => {
      let left = times;
      return new ScriptedRunner({
        judge: (text, params) =>
          valueIn(text) === 128 && left-- > 0
            ? verdictWith({ value: 1.3, low: 1.07, high: 1.6 })
            : honest(text, params),
      });
    };
    const originals = (runner: ScriptedRunner) => runner.jobs.filter((j) => valueIn(j.text) === 128);
    const once = noisy(1);
    const { record } = await run(once, blocks([256]));
    expect(record.state.baseline?.speedup?.value).toBe(1);
    expect(record.state.troubles).toEqual([]);
    const always = noisy(9);
    const unreliable = await run(always, blocks([256]));
    expect([originals(once).length, originals(always).length]).toEqual([2, 2]);
    expect(new Set(originals(always).map((j) => j.job)).size).toBe(2);
    expect(unreliable.record.state.troubles[0]?.message).toMatch(/unreliable now/);
    expect(unreliable.record.state.incumbent).toBe('c1');
  });
});

describe('the road', () => {
  test('a lost runner is told and found again; the job keeps its id', async () => {
    let losses = 2;
    const runner = new ScriptedRunner({
      judge: (text, params) => {
        if (valueIn(text) === 256 && losses-- > 0) throw new RunnerError('lost', 'the line is dead');
        return honest(text, params);
      },
    });
    const { record } = await run(runner, blocks([256]));
    expect(record.state.incumbent).toBe('c1');
    expect(runner.connections).toBe(3);
    expect(new Set(runner.jobs.filter((j) => j.mode === 'first').map((j) => j.job)).size).toBe(2);
    expect(record.state.troubles.map((t) => t.message)).toEqual([
      expect.stringContaining('the line is dead'),
      expect.stringContaining('the line is dead'),
    ]);
  });

  test('a candidate that takes the runner down every time is given up, and the next one runs', async () => {
    const runner = new ScriptedRunner({
      judge: (text, params) => {
        if (valueIn(text) === 256) throw new RunnerError('lost', 'gone');
        return honest(text, params);
      },
    });
    const { record } = await run(runner, blocks([256, 512]));
    expect(record.state.candidates.map((c) => c.first?.status)).toEqual(['infrastructure', 'correct']);
    expect(record.state.incumbent).toBe('c2');
  });

  test('a runner that fails at everything ends the session', async () => {
    const runner = new ScriptedRunner({
      judge: (text, params) => {
        if (valueIn(text) !== 128) throw new RunnerError('infrastructure', 'disk full');
        return honest(text, params);
      },
    });
    const { record } = await run(runner, blocks([256, 512, 1024, 2048]));
    expect(record.state.finished).toMatchObject({ reason: 'failed', message: expect.stringContaining('disk full') });
    expect(record.state.candidates).toHaveLength(3);
  });

  test('a runner that refuses us ends the session with its reason', async () => {
    const runner = new ScriptedRunner({
      judge: () => {
        throw new RunnerError('unauthorized', 'the token is wrong');
      },
    });
    const { record } = await run(runner, blocks([256]));
    expect(record.state.finished).toMatchObject({ reason: 'failed', message: 'the token is wrong' });
  });

  test('a session does not go on with another device than it began with', async () => {
    const budget = { evaluations: 1, minutes: 10 };
    const { folder } = await run(new ScriptedRunner({ judge: honest }), blocks([256, 512]), { budget });
    const target = { kind: 'cuda', id: 'GPU-1', name: 'Some GPU', compiler: 'nvcc' } as const;
    const other = new ScriptedRunner({ judge: honest, target });
    const { record } = await run(other, blocks([512]), { resume: folder, budget: { evaluations: 9, minutes: 10 } });
    expect(record.state.finished?.message).toMatch(/measured on scripted CPU.*offers Some GPU/);
    expect(other.jobs).toEqual([]);
  });
});

test('cut anywhere, the session ends as it would have, and no verdict is paid for twice', async () => {
  const whole = new ScriptedRunner({ judge: honest });
  const { folder, record } = await run(whole, blocks([64, 256, 512]));
  const bytes = await readFile(path.join(folder, 'trace.jsonl'));
  const { events } = await readTrace(folder);
  const ends: number[] = [];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) ends.push(at + 1);
  // After each event, and a few bytes into the next.
  for (const [i, end] of ends.slice(0, -1).entries()) {
    const at = end + (i % 3) * 7;
    const again = await mkdtemp(`${folder}-`);
    await cp(path.join(folder, 'candidates.git'), path.join(again, 'candidates.git'), { recursive: true });
    await writeFile(path.join(again, 'trace.jsonl'), bytes.subarray(0, at));
    const runner = new ScriptedRunner({ judge: honest });
    const resumed = await run(runner, blocks([64, 256, 512]), { resume: again });
    const paid = events.slice(0, i + 1).filter((e) => e.type === 'verdict' || e.type === 'baseline').length;
    expect(runner.jobs).toHaveLength(whole.jobs.length - paid);
    expect(resumed.record.state.incumbent).toBe(record.state.incumbent);
    expect(resumed.record.state.finished).toEqual(record.state.finished);
    expect(resumed.record.state.candidates.map((c) => c.sourcesSha256)).toEqual(
      record.state.candidates.map((c) => c.sourcesSha256),
    );
  }
});
