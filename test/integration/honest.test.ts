// Honest kernels on the CPU target: the original against itself and a faster version of it, correct and without a finding.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../../remote-runner/protocol.js';
import { honestTable, tableInDocument } from '../support/corpora-tables.js';
import { Evaluations, root } from '../support/evaluations.js';
import { honest } from '../support/honest.js';

let evaluations: Evaluations;
beforeAll(async () => {
  evaluations = await Evaluations.create();
});
afterAll(() => evaluations.close());

function expectUnflagged(verdict: Verdict): void {
  expect(verdict.status, `${verdict.message}\n${verdict.output ?? ''}`).toBe('correct');
  expect(verdict.findings).toEqual([]);
  expect(verdict.scenarios.map((s) => s.status)).toEqual(verdict.scenarios.map(() => 'correct'));
}

it('has at least 25 kinds, and every file of the folder', () => {
  const files = readdirSync(path.join(root, 'test/honest'));
  expect(files.sort()).toEqual(honest.flatMap(({ name: n }) => [`${n}.cu`, `${n}.fast.cu`, `${n}.task.json`]).sort());
  expect(honest.length).toBeGreaterThanOrEqual(25);
});

it('is told in docs/evaluator.md as it is', () => {
  expect(tableInDocument('honest', honestTable())).toBe(honestTable());
});

describe('an honest kernel', () => {
  for (const { name, cudaOnly, confirm } of honest) {
    it(`${name}, against itself`, async () => {
      expectUnflagged(await evaluations.evaluate(await evaluations.prepare(`test/honest/${name}.task.json`)));
    });
    if (cudaOnly !== undefined) continue;
    for (const mode of confirm ? (['first', 'confirm'] as const) : (['first'] as const))
      it(`${name}, its faster version${mode === 'confirm' ? ', confirmed' : ''}`, async () => {
        const task = await evaluations.prepare(`test/honest/${name}.task.json`);
        expectUnflagged(await evaluations.evaluate(task, `test/honest/${name}.fast.cu`, { mode }));
      });
  }
});

describe('case 44: a second stream, forked and joined by events', () => {
  const folder = 'test/cases/44-honest-second-stream';
  // What the README gives for each value, by a kernel on one stream.
  const byFormula = (first: string): string => `#include <cuda_runtime.h>
__global__ void formula(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (i < n / 2 ? ${first} : 3.f) * i + (n - 1 - i);
}
extern "C" void run(const float*, float* y, int n, cudaStream_t s) { formula<<<(n + 127) / 128, 128, 0, s>>>(y, n); }
`;
  const evaluate = async (text?: string): Promise<Verdict> => {
    const task = await evaluations.prepare(`${folder}/forkjoin.task.json`);
    return evaluations.evaluate(task, text === undefined ? undefined : [{ path: task.wire.original[0]!.path, text }]);
  };
  it('is correct in both scenarios, and gives the values of its formula', async () => {
    const verdict = await evaluate();
    expectUnflagged(verdict);
    expect(verdict.scenarios.map((s) => s.id)).toEqual(['n=1001', 'n=1048576']);
    expectUnflagged(await evaluate(byFormula('2.f')));
    expect((await evaluate(byFormula('2.5f'))).scenarios[0]?.outputs[0]?.first[0]).toMatchObject({
      index: 1,
      expected: 1001,
    });
  });
  it('without the join is a finding, though streams are serial here', async () => {
    const task = await evaluations.prepare(`${folder}/forkjoin.task.json`);
    const verdict = await evaluations.evaluate(task, `${folder}/not-joined.cu`);
    expect(
      verdict.findings.map((f) => f.code),
      verdict.message,
    ).toEqual(['unjoined_work']);
  });
  const joins = {
    'an event that the host waits for': 'cudaEventSynchronize(done);',
    'the side stream': 'cudaStreamSynchronize(side);',
    'the device': 'cudaDeviceSynchronize();',
    'the legacy stream, of a stream that blocks': 'cudaMemsetAsync(tmp, 0, 0); half_of<<<1, 1>>>(x, tmp, n, n, 1.f);',
  };
  it.each(Object.entries(joins))('is joined by waiting for %s', async (what, join) => {
    const task = await evaluations.prepare(`${folder}/forkjoin.task.json`);
    const [original] = task.wire.original;
    const wait = 'cudaStreamWaitEvent(s, done, 0);';
    expect(original!.text).toContain(wait);
    const flags = what.startsWith('the legacy') ? 'cudaStreamDefault' : 'cudaStreamNonBlocking';
    const text = original!.text.replace(wait, join).replace('cudaStreamNonBlocking', flags);
    expectUnflagged(await evaluations.evaluate(task, [{ path: original!.path, text }]));
  });
  it('an original without the join is told, not condemned', async () => {
    const task = await evaluations.prepare(`${folder}/forkjoin.task.json`);
    const text = task.wire.original[0]!.text.replace('cudaStreamWaitEvent(s, done, 0);', '');
    const sloppy = { ...task, wire: { ...task.wire, original: [{ path: task.wire.original[0]!.path, text }] } };
    const verdict = await evaluations.evaluate(sloppy);
    expect(verdict.status, verdict.message).toBe('correct');
    expect(verdict.warnings.join()).toMatch(/left on another stream.*the original itself/);
  });
});
