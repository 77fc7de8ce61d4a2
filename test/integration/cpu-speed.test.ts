// What is built differently for speed on the CPU target computes the same. How fast it is: `npm run bench:cpu-target`.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { findCpuCompiler } from '../../remote-runner/targets/cpu/compiler.js';
import { CpuRig } from '../support/cpu-target.js';

const clang = await findCpuCompiler({ ...process.env, CXX: 'clang++' });
const compilers = ['g++', 'clang++'].filter((name) => name === 'g++' || clang?.name === 'clang++');
if (compilers.length === 1) console.log('clang++ is not tested: it is missing (apt-get install clang)');

describe.each(compilers)('with %s', (CXX) => {
  // The first of a compiler compiles the runtime.
  it('runs kernels without barriers', { timeout: 240_000 }, async () => {
    const rig = await CpuRig.create({ ...process.env, CXX });
    try {
      const sources = { 'barrier_free.cu': await readFile('test/cpu/barrier_free.cu', 'utf8') };
      const run = await rig.run({ sources, call: 'run_checks();' });
      expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
      expect(run.stdout).toContain('0 failures\nerror 719');
      expect(run.stderr).toBe('kernelseek: __trap in block (0,0,0), thread (13,0,0)\n');
    } finally {
      await rig.dispose();
    }
  });

  it('lets macros of the task reach the headers that are compiled in advance', { timeout: 240_000 }, async () => {
    const rig = await CpuRig.create({ ...process.env, CXX });
    try {
      const sources = { 'k.cu': '__global__ void k(int n) { assert(n == 0); printf("asserts are %s\\n", KIND); }\n' };
      const job = { sources, call: 'k<<<1, 1>>>(1); cudaDeviceSynchronize();' };
      const without = await rig.run({ ...job, build: { define: { NDEBUG: '', KIND: '"off"' } } });
      expect(without.stdout).toContain('asserts are off');
      const withThem = await rig.run({ ...job, build: { define: { KIND: '"on"' } } });
      expect(withThem.stdout).not.toContain('asserts are');
      expect(withThem.stderr).toContain('Assertion `n == 0` failed');
    } finally {
      await rig.dispose();
    }
  });
});
