// Public reports turned into small inputs (test/cases), on the real CPU toolchain.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CpuRig, readCase } from '../support/cpu-target.js';

let rig: CpuRig;
beforeAll(async () => {
  rig = await CpuRig.create();
});
afterAll(() => rig.dispose());

const numbers = (text: string): number[] => text.trim().split(/\s+/).map(Number);

it('05: launches in macros, and a configuration in a macro', async () => {
  const run = await rig.run({
    sources: { 'macros.cu': await readCase('05-macro-kernels/macros.cu') },
    call: `float x[100], y[100]; for (float& v : x) v = 1;
      run(y, x, 100, stream); int right = 0; for (float v : y) right += v == 64.f; printf("%d\\n", right);`,
  });
  expect(run.stdout).toBe('100\nerror 0\n');
});

it('37: shuffles at every edge', async () => {
  const run = await rig.run({
    sources: { 'shuffles.cu': await readCase('37-shuffle-edges/shuffles.cu') },
    call: 'static int out[512]; run(out, 512, stream); for (int v : out) printf("%d ", v);',
  });
  expect(numbers(run.stdout.replace('error 0', ''))).toEqual(numbers(await readCase('37-shuffle-edges/expected.txt')));
});

it('40: atomics by compare-and-swap, blocks in parallel', async () => {
  const run = await rig.run({
    sources: { 'cas.cu': await readCase('40-cas-double-add/cas.cu') },
    call: `static double x[10007]; for (int i = 0; i < 10007; ++i) x[i] = i;
      for (int r = 0; r < 20; ++r) { double sum = -1, native = -1; float top = -1; run(x, &sum, &top, &native, 10007, stream);
        printf("%.0f %.0f %.0f\\n", sum, top, native); }`,
  });
  expect(run.stdout).toBe('50065021 10006 50065021\n'.repeat(20) + 'error 0\n');
});

it('41: constant and device variables by symbol', async () => {
  const run = await rig.run({
    sources: { 'taps.cu': await readCase('41-constant-symbols/taps.cu') },
    call: `for (int n : {1000, 3}) { static float x[1000], y[1000], z[1000]; int count[2]; for (float& v : x) v = 1;
        run(x, y, z, count, n, stream); int right = 0;
        for (int i = 0; i < n; ++i) right += y[i] == 15.f && z[i] == 42.f; printf("%d %d %d\\n", right, count[0], count[1]); }`,
  });
  expect(run.stdout).toBe('1000 2000 2000\n3 6 6\nerror 0\n');
});

it('01: every form of launch configuration', async () => {
  const run = await rig.run({
    sources: { 'launches.cu': await readCase('01-launch-config-expressions/launches.cu') },
    call: `static float x[5000], y[5000]; for (float& v : x) v = 1;
      run(y, x, 5000, stream); int right = 0; for (float v : y) right += v == 14.f; printf("%d\\n", right);`,
  });
  // 2·1·1 + 1·2·1 + 2·3·1 + 1·4·1
  expect(run.stdout).toBe('5000\nerror 0\n');
});

it('07: overloads, namespaces, default arguments', async () => {
  const run = await rig.run({
    sources: { 'overloads.cu': await readCase('07-overloads-namespaces/overloads.cu') },
    call: `static float f[32]; static double d[32]; static int k[32]; f[0] = 1; d[0] = 4; k[0] = 5;
      run(f, d, k, 32, stream); printf("%g %g %d\\n", f[0], d[0], k[0]);`,
  });
  // f: 1·3, squared, then times 4·sizeof(float)
  expect(run.stdout).toBe('144 2 10\nerror 0\n');
});

it('25: a sum in half stops growing where half does', async () => {
  for (const [file, want] of [
    ['rowsum.cu', '2048 4096 inf'],
    ['half-accumulator.cu', '2048 2048 2048'],
  ] as const) {
    const run = await rig.run({
      sources: { [file]: await readCase(`25-half-accumulator/${file}`) },
      call: `static __half x[70000], y[1]; for (__half& v : x) v = 1.0f;
        for (int cols : {2048, 4096, 70000}) { rowsum(x, y, 1, cols, stream); printf("%g ", __half2float(y[0])); }`,
    });
    expect(run.stdout).toBe(`${want} error 0\n`);
  }
});

it('29: --use_fast_math neither flushes subnormals nor loses infinities, and says that it is ignored', async () => {
  const job = {
    sources: { 'tiny.cu': await readCase('29-fast-math-leaks/tiny.cu') },
    call: `static float x[64]; for (float& v : x) v = 1; unsigned y[64], z[64]; run(x, y, z, 64, stream);
      printf("%u %u\\n", y[63], z[63]);`,
    build: { flags: ['--use_fast_math'] },
  };
  const built = await rig.build(job);
  expect(built).toMatchObject({ status: 'built', warnings: [expect.stringContaining('ignores --use_fast_math')] });
  expect((await rig.run(job)).stdout).toBe('71362 1\nerror 0\n');
});
