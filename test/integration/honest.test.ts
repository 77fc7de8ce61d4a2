// Honest kernels on the CPU target: the original against itself and a faster version of it, correct and without a finding.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../../remote-runner/protocol.js';
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
