// What is built differently for speed on the CPU target computes the same. How fast it is: `npm run bench:cpu-target`.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CpuRig } from '../support/cpu-target.js';

let rig: CpuRig;
beforeAll(async () => {
  rig = await CpuRig.create();
});
afterAll(() => rig.dispose());

it('runs kernels without barriers', async () => {
  const sources = { 'barrier_free.cu': await readFile('test/cpu/barrier_free.cu', 'utf8') };
  const run = await rig.run({ sources, call: 'run_checks();' });
  expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
  expect(run.stdout).toContain('0 failures\nerror 719');
  expect(run.stderr).toBe('kernelseek: __trap in block (0,0,0), thread (13,0,0)\n');
});
