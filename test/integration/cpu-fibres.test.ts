// The threads of a block on the CPU target: what they must not share, and that nothing of them is left behind.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CpuRig } from '../support/cpu-target.js';

let rig: CpuRig;
beforeAll(async () => {
  rig = await CpuRig.create();
});
afterAll(() => rig.dispose());

for (const threads of ['1', '3'])
  it(`keeps threads of a block apart and cleans up after them, on ${threads} OS threads`, async () => {
    const sources = { 'fibres.cu': await readFile('test/cpu/fibres.cu', 'utf8') };
    const run = await rig.run({ sources, call: 'run_checks();' }, { KS_CPU_THREADS: threads });
    expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
    expect(run.stdout).toContain('0 failures\nerror 0');
    expect(run.stderr).toBe('');
  });
