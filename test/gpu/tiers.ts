// Device code alone on the real driver: modules load and launch, both tiers tell the same times, and what one holds back shows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { SourceFile } from '../../remote-runner/protocol.js';
import type { Suite } from './corpora.js';

const header = '#include <cuda_runtime.h>\n';
const entry = (body: string): string =>
  `extern "C" void affine(const float* x, float* y, float a, int n, cudaStream_t stream) {\n${body}\n}\n`;
const kernel =
  '__global__ void k(const float* x, float* y, float a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = a * x[i] + 1.f;\n}\n';

/** Candidates of the affine task, what they show, and the status that they must have in tier 1. */
const candidates: [name: string, text: string, status: string][] = [
  [
    'a static kernel in an unnamed namespace',
    `namespace { ${kernel.replace('__global__', 'static __global__')} }\n${entry('k<<<(n + 127) / 128, 128, 0, stream>>>(x, y, a, n);')}`,
    'correct',
  ],
  [
    'a template',
    `template <typename T, int B> ${kernel.replaceAll('float*', 'T*').replace('blockDim.x', 'B')}${entry('k<float, 128><<<(n + 127) / 128, 128, 0, stream>>>(x, y, a, n);')}`,
    'correct',
  ],
  [
    'dynamic shared memory of 100 KiB',
    `${kernel}${entry('cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 102400);\nk<<<(n + 127) / 128, 128, 102400, stream>>>(x, y, a, n);')}`,
    'correct',
  ],
  [
    'clusters of two blocks',
    `${kernel}${entry('cudaLaunchConfig_t c = {};\nc.gridDim = (n + 255) / 256 * 2;\nc.blockDim = 128;\nc.stream = stream;\ncudaLaunchAttribute t[1];\nt[0].id = cudaLaunchAttributeClusterDimension;\nt[0].val.clusterDim.x = 2;\nt[0].val.clusterDim.y = 1;\nt[0].val.clusterDim.z = 1;\nc.attrs = t;\nc.numAttrs = 1;\ncudaLaunchKernelEx(&c, k, x, y, a, n);')}`,
    'correct',
  ],
  [
    'a memset and two kernels',
    `${kernel.replace('y[i] =', 'y[i] +=')}${entry('cudaMemsetAsync(y, 0, n * sizeof(float), stream);\nk<<<(n + 127) / 128, 128, 0, stream>>>(x, y, a, n / 2);\nk<<<(n - n / 2 + 127) / 128, 128, 0, stream>>>(x + n / 2, y + n / 2, a, n - n / 2);')}`,
    'correct',
  ],
  [
    'a variable in device memory that starts anew',
    `__device__ int calls = 0;\n${kernel.replace('+ 1.f', '+ (calls == 0 ? 1.f : 0.f)')}__global__ void count() { calls++; }\n${entry('k<<<(n + 127) / 128, 128, 0, stream>>>(x, y, a, n);\ncount<<<1, 1, 0, stream>>>();')}`,
    'correct',
  ],
  [
    'an illegal address',
    `${kernel.replace('y[i] =', '((float*)16)[i] =')}${entry('k<<<(n + 127) / 128, 128, 0, stream>>>(x, y, a, n);')}`,
    'crash',
  ],
  [
    'blocks of 2048 threads',
    `${kernel}${entry('k<<<(n + 127) / 128, 2048, 0, stream>>>(x, y, a, n);')}`,
    'launch_error',
  ],
  [
    'a wrong kernel',
    `${kernel.replace('1.f', '2.f')}${entry('k<<<(n + 127) / 128, 128, 0, stream>>>(x, y, a, n);')}`,
    'wrong',
  ],
  [
    'a host constructor that traps',
    `__attribute__((constructor)) static void trap() { __builtin_trap(); }\n${kernel}${entry('k<<<(n + 127) / 128, 128, 0, stream>>>(x, y, a, n);')}`,
    'correct',
  ],
];

export function tiers({ root, rows, prepare, evaluate }: Suite): void {
  void describe('tier 1', () => {
    const affine = () => prepare(path.join(root, 'test/faults/affine.task.json'));
    for (const [name, text, status] of candidates)
      test(`${name}: ${status}`, async () => {
        const task = await affine();
        const sources: SourceFile[] = [{ path: task.wire.original[0]!.path, text: header + text }];
        const verdict = await evaluate(task, sources, 'first', { tier: 'any' });
        rows.push(
          `tier ${verdict.tier}: ${name}: ${verdict.status} (${verdict.message.slice(0, 120)}) ${verdict.whyTier2 ?? ''}`,
        );
        assert.equal(verdict.tier, 1, verdict.whyTier2);
        assert.equal(verdict.status, status, `${verdict.message}\n${verdict.output ?? ''}`);
      });
    for (const name of ['matmul', 'reduce', 'softmax'])
      test(`${name}: both tiers tell the same times`, async () => {
        const task = await prepare(path.join(root, 'examples', `${name}.gpu.task.json`));
        const alone = await evaluate(task, undefined, 'first', { tier: 'any' });
        const whole = await evaluate(task);
        assert.equal(alone.tier, 1, alone.whyTier2);
        assert.deepEqual([alone.status, whole.status, whole.tier], ['correct', 'correct', 2], alone.message);
        alone.scenarios.forEach(({ id, timing }, i) => {
          const other = whole.scenarios[i]!.timing!;
          const ratio = timing!.candidateMs / other.candidateMs;
          rows.push(
            `tiers of ${name}, ${id}: ${timing!.candidateMs.toPrecision(4)} ms alone, ${other.candidateMs.toPrecision(4)} ms with host code, ${ratio.toFixed(3)}×`,
          );
          // A module that was just loaded has cold instructions: microseconds.
          assert.ok(
            Math.abs(timing!.candidateMs - other.candidateMs) < 0.02 + 0.1 * other.candidateMs,
            `${id}: ${ratio}`,
          );
        });
        rows.push(`    phases alone ${JSON.stringify(alone.phases)}, with host code ${JSON.stringify(whole.phases)}`);
      });
    test('a win is confirmed in tier 1', async () => {
      const task = await affine();
      const original = readFileSync(path.join(root, 'test/faults/affine.cu'), 'utf8');
      const slower = original.replace('if (i < n)', 'for (int j = 0; j < 4000; ++j) __nanosleep(1);\n  if (i < n)');
      const slow = { ...task, wire: { ...task.wire, original: [{ path: task.wire.original[0]!.path, text: slower }] } };
      const verdict = await evaluate(slow, [{ path: task.wire.original[0]!.path, text: original }], 'confirm', {
        tier: 'any',
      });
      rows.push(`tier ${verdict.tier}: confirmed: ${verdict.status} (${verdict.message}) ${verdict.whyTier2 ?? ''}`);
      assert.deepEqual([verdict.status, verdict.tier, verdict.faster], ['correct', 1, true], verdict.message);
    });
  });
}
