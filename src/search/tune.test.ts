// The strategy `tune` on real sources, with an evaluator whose verdicts follow from the text it is given.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SourceFile, Verdict } from '../../remote-runner/protocol.js';
import { testParser } from '../../test/support/grammar.js';
import { verdictOf } from '../../test/support/verdict.js';
import type { KernelParser } from '../kernel/parser.js';
import { readKernels } from '../kernel/reader.js';
import { BudgetSpent, type Judged, type Proposal, type StrategyContext } from '../session/strategy.js';
import { outcomeOf, tune } from './tune.js';

let parser: KernelParser;
beforeAll(async () => {
  parser = await testParser();
});

const SOURCE = `#include <cuda_runtime.h>
#define BLOCK 128  // BLOCK = 128 threads
constexpr unsigned ITEMS = 4u;
constexpr int TILE = BLOCK * ITEMS;
__global__ void scale(const float* x, float* y, int n) {
  const char* word = "BLOCK 128";
  int first = blockIdx.x * TILE + threadIdx.x;
  for (unsigned i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK < n) y[first + i * BLOCK] = 2.f * x[first + i * BLOCK] + (word == nullptr);
}
extern "C" void run(const float* x, float* y, int n) { scale<<<(n + TILE - 1) / TILE, BLOCK>>>(x, y, n); }
`;

const task = (tunables?: Record<string, number[]>) => ({
  sources: ['scale.cu'],
  entry: 'run',
  arguments: [
    { name: 'x', type: 'const float*', shape: ['n'] },
    { name: 'y', type: 'float*', shape: ['n'], role: 'output' },
    { name: 'n', type: 'int' },
  ],
  scenarios: [{ n: 1000 }],
  ...(tunables && { tunables }),
});

/** Constants of a candidate, read back from its text alone. */
function constants(text: string): { block: number; items: number } {
  return {
    block: Number(/#define BLOCK (\d+)/.exec(text)?.[1]),
    items: Number(/ITEMS = (\d+)u/.exec(text)?.[1]),
  };
}

function speedup(value: number): Verdict {
  return verdictOf({ speedup: { value, low: value * 0.99, high: value * 1.01, confidence: 0.95, over: 'original' } });
}

/** Best at BLOCK = 512 and ITEMS = 2; beyond 512 threads times items of 2048 nothing launches. */
function judge(text: string): Verdict {
  const { block, items } = constants(text);
  if (block * items > 2048) return verdictOf({ status: 'launch_error', message: 'invalid argument' });
  return speedup(4 / (1 + Math.abs(Math.log2(block / 512)) + Math.abs(Math.log2(items / 2))));
}

function contextOf(options: {
  task: unknown;
  evaluations: number;
  source?: string;
  judged?: Judged[];
  judge?: (text: string) => Verdict;
}) {
  const original: SourceFile[] = [{ path: 'k/scale.cu', text: options.source ?? SOURCE }];
  const judged: Judged[] = [...(options.judged ?? [])];
  const proposals: Proposal[] = [];
  const context: StrategyContext = {
    task: options.task,
    original,
    baseline: speedup(1),
    seed: 5,
    signal: new AbortController().signal,
    judged,
    incumbent: () => undefined,
    evaluationsLeft: () => options.evaluations - proposals.length,
    minutesLeft: () => 10,
    spareWork: () => undefined,
    profile: () => Promise.reject(new Error('not in this test')),
    readKernels: (text) => Promise.resolve(readKernels(parser, text)),
    evaluate: (proposal) => {
      if (proposals.length >= options.evaluations) return Promise.reject(new BudgetSpent('evaluations'));
      proposals.push(proposal);
      const verdict = (options.judge ?? judge)(proposal.sources[0]?.text ?? '');
      const result = { candidate: `c${judged.length + 1}`, proposal, verdict };
      judged.push(result);
      return Promise.resolve(result);
    },
  };
  return { context, proposals, judged };
}

describe('tune', () => {
  test('edits exactly the literals: no comment, string or derived constant changes', async () => {
    const { context, proposals } = contextOf({ task: task(), evaluations: 1000 });
    expect(await tune(context)).toMatchObject({ reason: 'exhausted' });
    for (const { sources, note, configuration, author } of proposals) {
      const text = sources[0]?.text ?? '';
      const { block, items } = constants(text);
      const expected = SOURCE.replace('#define BLOCK 128', `#define BLOCK ${block}`).replace('= 4u', `= ${items}u`);
      expect(text).toBe(expected);
      expect(configuration).toEqual({ BLOCK: block, ITEMS: items });
      const changes = [...(block === 128 ? [] : [`BLOCK = ${block}`]), ...(items === 4 ? [] : [`ITEMS = ${items}`])];
      expect([note, author]).toEqual([changes.join(', '), 'search']);
    }
    const texts = proposals.map((p) => p.sources[0]?.text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts).not.toContain(SOURCE);
  });

  test('finds the optimum within a small budget and ends by BudgetSpent', async () => {
    const { context, judged } = contextOf({ task: task(), evaluations: 12 });
    await expect(tune(context)).rejects.toThrow(BudgetSpent);
    expect(Math.max(...judged.map((j) => j.verdict.speedup?.value ?? 0))).toBe(4);
  });

  test('stays within the values of the task, and tells valid, failed and invalid apart', async () => {
    const { context, proposals } = contextOf({ task: task({ BLOCK: [512, 64, 1024] }), evaluations: 100 });
    const { message } = await tune(context);
    expect(proposals.map((p) => p.configuration?.['BLOCK']).sort()).toEqual([1024, 512, 64]);
    expect(message).toBe('every configuration of BLOCK was tried: 2 correct, 0 failed, 1 invalid');
  });

  test('compiles nothing that a restriction of the task forbids, and says what is wrong with one', async () => {
    const restricted = (...restrictions: string[]) => ({ ...task(), restrictions });
    const { context, proposals, judged } = contextOf({
      task: restricted('BLOCK * ITEMS <= 2048', 'BLOCK != 64'),
      evaluations: 1000,
    });
    await tune(context);
    expect(proposals.length).toBeGreaterThan(5);
    for (const { block, items } of proposals.map((p) => constants(p.sources[0]!.text))) {
      expect(block * items <= 2048 && block !== 64).toBe(true);
    }
    expect(judged.every((j) => j.verdict.status === 'correct')).toBe(true);
    const wrong = contextOf({ task: restricted('BLOK < 2'), evaluations: 9 });
    await expect(tune(wrong.context)).rejects.toThrow(/\$\.restrictions\[0\].*did you mean "BLOCK"/);
  });

  test('case 34: configurations that cannot launch end no search, are counted apart, and teach the bound', async () => {
    const folder = 'test/cases/34-launch-limit-tunable';
    const source = await readFile(`${folder}/transpose.cu`, 'utf8');
    const json: unknown = JSON.parse(await readFile(`${folder}/transpose.task.json`, 'utf8'));
    const tileOf = (text: string) => Number(/#define TILE (\d+)/.exec(text)?.[1]);
    const { context, proposals, judged } = contextOf({
      task: json,
      evaluations: 100,
      source,
      judge: (text) => {
        const bytes = tileOf(text) * (tileOf(text) + 1) * 4;
        return bytes > 49152
          ? verdictOf({ status: 'launch_error', message: 'invalid argument' })
          : speedup(bytes / 4224);
      },
    });
    const { message } = await tune(context);
    expect(message).toBe('every configuration of TILE was tried: 4 correct, 0 failed, 3 invalid');
    const order = proposals.map((p) => tileOf(p.sources[0]!.text));
    expect([...order].sort((a, b) => a - b)).toEqual([16, 64, 96, 110, 111, 128, 256]);
    const bound = order.findIndex((t) => t > 110);
    const untilLastValid = order.slice(bound + 1, order.findLastIndex((t) => t <= 110) + 1);
    expect(untilLastValid.filter((t) => t > order[bound]!)).toEqual([]);
    const best = judged.reduce((a, b) => ((b.verdict.speedup?.value ?? 0) > (a.verdict.speedup?.value ?? 0) ? b : a));
    expect(best.proposal.configuration).toEqual({ TILE: 110 });
  });

  test('goes on where it stopped', async () => {
    const whole = contextOf({ task: task(), evaluations: 1000 });
    await tune(whole.context);
    const first = contextOf({ task: task(), evaluations: 5 });
    await expect(tune(first.context)).rejects.toThrow(BudgetSpent);
    const second = contextOf({ task: task(), evaluations: 1000, judged: first.judged });
    await tune(second.context);
    const notes = (of: { proposals: Proposal[] }) => of.proposals.map((p) => p.note);
    expect([...notes(first), ...notes(second)]).toEqual(notes(whole));
  });

  test('names what it looked for when there is nothing to tune', async () => {
    const source = 'extern "C" void run(const float* x, float* y, int n) { (void)x; (void)y; (void)n; }\n';
    const { context, proposals } = contextOf({ task: task(), evaluations: 10, source });
    const { reason, message } = await tune(context);
    expect([reason, proposals.length]).toEqual(['exhausted', 0]);
    expect(message).toMatch(/nothing to tune in k\/scale\.cu: looked for #define, constexpr.*"tunables"/);
  });

  test('leaves alone what sets a launch that the task gives itself, and says what would help', async () => {
    const { entry: _entry, ...rest } = task();
    const bare = { ...rest, kernel: 'scale', launch: { grid: ['ceil_div(n, 512)'], block: [128] } };
    const { context, proposals } = contextOf({ task: bare, evaluations: 100 });
    await tune(context);
    expect(proposals.length).toBeGreaterThan(0);
    for (const { sources } of proposals) expect(constants(sources[0]!.text).block).toBe(128);
    const source = SOURCE.replace('constexpr unsigned ITEMS = 4u;', '').replaceAll('ITEMS', '4u');
    const nothing = contextOf({ task: bare, evaluations: 100, source });
    expect((await tune(nothing.context)).message).toMatch(/nothing to tune.*put the launch into a host function/);
  });

  test('names the constants there are when the task names another', async () => {
    const { context } = contextOf({ task: task({ BLOK: [1, 2] }), evaluations: 10 });
    await expect(tune(context)).rejects.toThrow('$.tunables.BLOK: no #define');
    await expect(tune(context)).rejects.toThrow('there are: BLOCK, ITEMS');
  });
});

test('every status is a value, a failure or no configuration at all', () => {
  const kind = (status: Verdict['status']) => outcomeOf({ ...speedup(2), status }).kind;
  expect(outcomeOf(speedup(2))).toEqual({ kind: 'value', value: 0.5 });
  expect(['compile_error', 'launch_error', 'out_of_memory'].map((s) => kind(s as Verdict['status']))).toEqual([
    'invalid',
    'invalid',
    'invalid',
  ]);
  expect(['wrong', 'crash', 'timeout', 'finding'].map((s) => kind(s as Verdict['status']))).toEqual([
    'failed',
    'failed',
    'failed',
    'failed',
  ]);
  expect(outcomeOf(verdictOf({ status: 'correct' }))).toEqual({ kind: 'failed' });
});
