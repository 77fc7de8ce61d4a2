// Device code alone, from the text of a candidate to a verdict: real client, plans, workers and keeper over a stand-in for the
// CUDA driver (test/fake-driver). That the real driver does the same is for the GPU suite to see.
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceFile, Verdict } from '../../remote-runner/protocol.js';
import { prepareTask, type PreparedTask } from '../../src/runner/prepare.js';
import { root } from '../support/evaluations.js';
import { FakeGpu } from '../support/fake-gpu.js';
import { testParser } from '../support/grammar.js';

let gpu: FakeGpu;
let task: PreparedTask;
beforeAll(async () => {
  gpu = await FakeGpu.create();
  task = await prepareTask(path.join(root, 'test/faults/affine.task.json'), { parser: testParser, root });
}, 120_000);
afterAll(() => gpu.close());

const kernel =
  '__global__ void k(const float* x, float* y, float a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = a * x[i] + 1.f;\n}\n';
const launch = 'k<<<(n + 127) / 128, 128, 0, stream>>>(x, y, a, n);';
const sources = (body: string, before = kernel): SourceFile[] => [
  {
    path: task.wire.original[0]!.path,
    text: `#include <cuda_runtime.h>\n${before}extern "C" void affine(const float* x, float* y, float a, int n, cudaStream_t stream) {\n${body}\n}\n`,
  },
];
const judge = (body: string, before?: string): Promise<Verdict> => gpu.evaluate(task, sources(body, before));

test('the original, and a candidate that launches otherwise', async () => {
  const verdict = await gpu.evaluate(task);
  expect(verdict).toMatchObject({ status: 'correct', tier: 1 });
  expect(verdict.whyTier2).toBeUndefined();
  expect(await judge(launch)).toMatchObject({ status: 'correct', tier: 1 });
}, 60_000);

test('a wrong kernel is wrong, one that dies is a crash', async () => {
  const wrong = await judge(launch, kernel.replace('1.f', '2.f'));
  expect(wrong).toMatchObject({ status: 'wrong', tier: 1 });
  expect(wrong.scenarios[0]?.outputs[0]?.mismatches).toBeGreaterThan(900);
  expect(await judge(launch, kernel.replace('y[i]', '((float*)8)[i]'))).toMatchObject({ status: 'crash', tier: 1 });
  expect(await judge(launch.replace('128, 0', '2048, 0'))).toMatchObject({ status: 'launch_error', tier: 1 });
  expect(await judge(launch.replace('(x,', '(x + 1,'))).toMatchObject({ status: 'wrong', tier: 1 });
}, 60_000);

test('host code outside of the entry never runs', async () => {
  const trap = '__attribute__((constructor)) static void ks_trap() { __builtin_trap(); }\n';
  expect(await judge(launch, kernel + trap)).toMatchObject({ status: 'correct', tier: 1 });
}, 60_000);

test('what a kernel keeps in device memory of its own does not outlive the call', async () => {
  const once = kernel
    .replace('__global__', '__device__ int calls = 0;\n__global__')
    .replace('+ 1.f', '+ (calls < n ? 1.f : 0.f), ++calls');
  // On a GPU these additions would race; the stand-in makes one after the other.
  expect(await judge(launch, once)).toMatchObject({ status: 'correct', tier: 1 });
}, 60_000);

test('several steps: a memset, large shared memory, clusters', async () => {
  const two =
    '__global__ void add(float* y, float v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += v; }\n' +
    '__global__ void k(const float* x, float* y, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }\n';
  const body =
    'cudaMemsetAsync(y, 0, n * sizeof(float), stream);\n' +
    'cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);\n' +
    'k<<<(n + 127) / 128, 128, 65536, stream>>>(x, y, a, n);\n' +
    'cudaLaunchConfig_t c = {};\nc.gridDim = (n + 255) / 256 * 2;\nc.blockDim = dim3(128);\nc.stream = stream;\n' +
    'cudaLaunchAttribute t[1];\nt[0].id = cudaLaunchAttributeClusterDimension;\nt[0].val.clusterDim.x = 2;\nt[0].val.clusterDim.y = 1;\nt[0].val.clusterDim.z = 1;\n' +
    'c.attrs = t;\nc.numAttrs = 1;\ncudaLaunchKernelEx(&c, add, y, 1.f, n);';
  expect(await judge(body, two)).toMatchObject({ status: 'correct', tier: 1 });
  expect(await judge(body.replace(' / 256 * 2', ' / 256 * 2 + 1'), two)).toMatchObject({
    status: 'launch_error',
    tier: 1,
  });
}, 60_000);

test('what is not plain runs with its host code, and the verdict says why', async () => {
  const synchronised = await judge(`${launch} cudaStreamSynchronize(stream);`);
  expect(synchronised).toMatchObject({
    status: 'correct',
    tier: 2,
    whyTier2: "the candidate's host function calls cudaStreamSynchronize (line 7)",
  });
  const incumbent = sources(`static int n_calls; ${launch}`);
  const beside = await gpu.evaluate(task, sources(launch), { incumbent });
  expect(beside).toMatchObject({ status: 'correct', tier: 2 });
  expect(beside.whyTier2).toMatch(/^the incumbent's host function keeps something/);
}, 60_000);

test('a plan that does not fit what was built is not followed', async () => {
  const built = gpu.modules.built;
  const plain = 'extern "C" __global__ void k(';
  const sizes = 'extern "C" __device__ __attribute__((visibility("default"))) const char k_parameters[] = "ppfl";\n';
  const misfit = await judge(launch, kernel.replace('__global__ void k(', plain) + sizes.replace('__device__', ''));
  expect(misfit).toMatchObject({
    tier: 2,
    whyTier2: 'does not fit the parameters: the parameters of its kernel 1 have other sizes',
  });
  const beyond = await judge(launch.replace('y, a', 'y + n + 1, a'));
  expect(beyond).toMatchObject({ tier: 2, whyTier2: "the candidate's host function leaves a buffer of the task" });
  expect(gpu.modules.built).toBeGreaterThan(built);
  const other = sources(launch.replaceAll('k<<<', 'q<<<'), kernel.replace('void k', 'void q'));
  const { plans } = await gpuPlans(sources(launch));
  const foreign = await gpu.evaluate(task, other, { plans });
  expect(foreign).toMatchObject({ status: 'correct', tier: 2 });
  expect(foreign.whyTier2).toMatch(/launches k, which is 0 kernels of what was built/);
}, 60_000);

test('a win is confirmed by the keeper’s clock and the sanitizers, whose build has the host code', async () => {
  const slow = kernel.replace('y[i] =', 'for (volatile int j = 0; j < 200; ++j) {}\n  if (i < n) y[i] =');
  const slowTask = { ...task, wire: { ...task.wire, original: sources(launch, slow) } };
  const win = await gpu.evaluate(slowTask, sources(launch), { mode: 'confirm' });
  expect(win, win.message).toMatchObject({ status: 'correct', tier: 1, faster: true });
  const unlinked = sources(launch, `${kernel}void elsewhere();\nvoid unused() { elsewhere(); }\n`);
  expect(await gpu.evaluate(slowTask, unlinked)).toMatchObject({ status: 'correct', tier: 1 });
  expect(await gpu.evaluate(slowTask, unlinked, { mode: 'confirm' })).toMatchObject({
    status: 'compile_error',
    tier: 1,
  });
}, 120_000);

async function gpuPlans(candidate: SourceFile[]) {
  const { withPlans } = await import('../../src/runner/launch-plan.js');
  return withPlans(
    { kind: 'evaluate', task: task.wire, candidate, target: 'cuda', mode: 'first' },
    task.files,
    testParser,
  );
}
