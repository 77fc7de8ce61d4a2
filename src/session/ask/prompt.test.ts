// The first message: every fact of task and machine that a person at the keyboard would have, and no advice.
import { expect, test } from 'vitest';
import type { Verdict } from '../../../remote-runner/protocol.js';
import { verdictWith } from '../../../test/support/sample-trace.js';
import { ORIGINAL, sampleTask } from '../../../test/support/session-rig.js';
import type { StrategyContext } from '../strategy.js';
import { briefOf } from './brief.js';
import { systemPrompt, taskPrompt } from './prompt.js';
import { quoteWith } from './text.js';

function promptOf(task: Record<string, unknown>, baseline: Verdict = verdictWith({ value: 1 })): string {
  const target = { kind: 'cuda', id: 'GPU-1', name: 'Some GPU', arch: 'sm_90a', compiler: 'nvcc 13.0' } as const;
  const context: Pick<StrategyContext, 'baseline' | 'original' | 'evaluationsLeft' | 'minutesLeft'> = {
    baseline: { ...baseline, target },
    original: [{ path: 'k.cu', text: ORIGINAL }],
    evaluationsLeft: () => 40,
    minutesLeft: () => 1,
  };
  return taskPrompt(context as StrategyContext, briefOf(sampleTask(task), quoteWith('data')), ['n.h']);
}

test('the machine, how it is built and timed, what arguments hold', () => {
  const text = promptOf({
    arguments: [
      { name: 'a', type: 'const float*', shape: ['n'] },
      { name: 'i', type: 'const int*', shape: ['n'], fill: { integers: [0, 'n - 1'] } },
      { name: 'x', type: 'float*', shape: ['n'], role: 'output', rtol: 0.01, atol: 0 },
      { name: 'm', type: 'int*', shape: [4], role: 'output' },
      { name: 'n', type: 'int' },
    ],
    build: { std: 'c++20', flags: ['-O2'], define: { TILE: 8 } },
    measure: { cache: 'warm' },
  });
  expect(text).toContain('Target: <data>Some GPU, sm_90a</data>');
  expect(text).toContain('Compiler: <data>nvcc 13.0</data>, -std=c++20 -O2 -DTILE=8');
  expect(text).toContain('Timed with a warm cache.');
  expect(text).toContain('  a: const float* [n] (input, normal)\n');
  expect(text).toContain('  i: const int* [n] (input, integers 0 to n - 1)\n');
  expect(text).toContain('  x: float* [n] (output, within 0 + 0.01·|expected|)\n');
  expect(text).toContain('  m: int* [4] (output, exact)\n  n: int\n');
  expect(text).toContain('k.cu (2 lines)');
  expect(text).toContain('Budget: 40 evaluations, 1 minute.');
});

test('weights and held-out scenarios are stated where there are any, and only there', () => {
  const plain = promptOf({});
  expect(plain).toContain('the geometric mean speedup over the original; no scenario below 0.98');
  expect(plain).not.toMatch(/weight|Not shown/);
  const more = promptOf({ scenarios: [{ n: 1024, weight: 3 }, { n: 8 }], heldOut: [{ n: 4099 }, { n: 7 }] });
  expect(more).toContain('the weighted geometric mean');
  expect(more).toContain('n=1024: 1.00 ms, weight 3');
  expect(more).toContain('Not shown: 2 scenarios with other values, checked when a candidate is confirmed.');
  expect(more).not.toContain('4099');
  expect(systemPrompt('data', 'ask')).not.toContain('not shown');
});

test('a machine whose timing cannot be trusted is called that', () => {
  expect(promptOf({}, verdictWith({ value: 1.329, low: 1.072, high: 1.646 }))).toContain(
    'The original against itself measures 1.33× [1.07, 1.65], which excludes 1: timing on this machine is unreliable now.',
  );
  expect(promptOf({})).not.toContain('unreliable');
});
