// The CUDA language and runtime on the CPU target: a few sources with many checks each.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CpuRig } from '../support/cpu-target.js';

let rig: CpuRig;
beforeAll(async () => {
  rig = await CpuRig.create();
});
afterAll(() => rig.dispose());

const source = (name: string): Promise<string> => readFile(`test/cpu/${name}`, 'utf8');
const preamble = '#define main ks_main_of_the_file';

for (const threads of ['1', '2', '7'])
  it(`runs the language checks on ${threads} OS threads`, async () => {
    const job = { sources: { 'language.cu': await source('language.cu') }, preamble, call: 'run_checks();' };
    const run = await rig.run(job, { KS_CPU_THREADS: threads });
    expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
    expect(run.stdout).toContain('0 failures\nerror 0');
  });

it('computes as CUDA does: intrinsics, rounding, half and bfloat16', async () => {
  // Extended precision for the independent computation is an extension of the language.
  const job = {
    sources: { 'numbers.cu': await source('numbers.cu') },
    call: 'run_checks();',
    build: { std: 'gnu++17' },
  };
  const run = await rig.run(job);
  expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
  expect(run.stdout).toContain('0 failures\nerror 0');
});

it('runs kernels as courses teach them: a main in the file, a shared header with a launch, templates', async () => {
  const job = {
    sources: { 'src/courses.cu': await source('courses.cu') },
    files: { 'src/courses.cuh': await source('courses.cuh') },
    directory: 'src',
    preamble: '#include <algorithm>\n#include <vector>\n' + preamble,
    call: 'ks_main_of_the_file();',
  };
  const run = await rig.run(job);
  expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
  expect(run.stdout).toContain('0 failures\nerror 0');
  expect(run.stderr).toBe('');
});
