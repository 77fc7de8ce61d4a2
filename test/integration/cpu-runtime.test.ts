// The CUDA runtime API on the CPU target.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CpuRig } from '../support/cpu-target.js';

let rig: CpuRig;
beforeAll(async () => {
  rig = await CpuRig.create();
});
afterAll(() => rig.dispose());

it('launches, captures, allocates and copies as CUDA does', async () => {
  const run = await rig.run({
    sources: { 'runtime.cu': await readFile('test/cpu/runtime.cu', 'utf8') },
    call: 'run_checks();',
  });
  expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
  expect(run.stdout).toContain('0 failures\nerror 0');
  expect(run.stderr).toBe('');
});
