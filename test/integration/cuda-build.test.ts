// What the CUDA target does before any device is needed: nvcc builds, its errors and ptxas' resources are read.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Layout } from '../../remote-runner/evaluate/layout.js';
import { planModule, Unplanned } from '../../remote-runner/evaluate/module-plan.js';
import { launchPlan } from '../../remote-runner/protocol.js';
import { Sandbox } from '../../remote-runner/sandbox/sandbox.js';
import { findCpuCompiler } from '../../remote-runner/targets/cpu/compiler.js';
import { findNvcc, findToolkit } from '../../remote-runner/targets/cuda/device.js';
import type { CudaDevice } from '../../remote-runner/targets/cuda/smi.js';
import { CudaToolchain } from '../../remote-runner/targets/cuda/toolchain.js';
import type { Builder, BuildResult } from '../../remote-runner/targets/toolchain.js';
import { root } from '../support/evaluations.js';
import { Surroundings } from '../support/isolation.js';

const nvcc = await findNvcc(process.env);
if (nvcc === undefined) console.warn('SKIPPED for want of nvcc: builds of the CUDA target');

describe.skipIf(nvcc === undefined)('nvcc', () => {
  let folder: string;
  let toolchain: CudaToolchain;
  const device: CudaDevice = {
    uuid: 'GPU-0',
    name: 'NVIDIA H200',
    capability: '9.0',
    memoryBytes: 143771 * 2 ** 20,
    driver: '580.159.04',
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-nvcc-'));
    const harness = path.join(root, 'remote-runner/harness');
    const compiler = (await findCpuCompiler(process.env))!;
    const sandbox = await Sandbox.create(compiler.path, harness, path.join(folder, 'programs'), process.env);
    const toolkit = await findToolkit(nvcc!, new AbortController().signal);
    toolchain = new CudaToolchain(nvcc!, '13.0', device, harness, { sandbox, toolkit });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function build(
    text: string,
    options: {
      flags?: string[];
      define?: Record<string, string>;
      timeoutMs?: number;
      by?: Builder;
      call?: string;
    } = {},
  ): Promise<BuildResult> {
    return (options.by ?? toolchain).build({
      sources: [{ path: 'kernels/affine.cu', text }],
      files: [],
      directory: 'kernels',
      trampoline:
        '#include <cuda_runtime.h>\n#include "affine.cu"\nextern "C" int ks_call_0(void**, void*) {\n' +
        `  ${options.call ?? 'affine(nullptr, nullptr, 1.f, 0, 0);'}\n  return (int)cudaPeekAtLastError();\n}\n`,
      build: {
        arch: 'auto',
        std: 'c++17',
        flags: options.flags ?? ['-O3'],
        define: options.define ?? {},
        include: [],
        link: [],
        trace: [],
        timeoutMs: options.timeoutMs ?? 300_000,
      },
      folder: await mkdtemp(path.join(folder, 'build-')),
      signal: new AbortController().signal,
    });
  }
  const affine = (): Promise<string> => readFile(path.join(root, 'test/faults/affine.cu'), 'utf8');

  it('builds a library for the device, and says what each kernel takes', async () => {
    const built = await build(await affine());
    expect(built.status, 'output' in built ? built.output : '').toBe('built');
    if (built.status !== 'built') return;
    expect((await readFile(built.library)).subarray(1, 4).toString()).toBe('ELF');
    expect(built.flags).toContain('-gencode=arch=compute_90a,code=sm_90a');
    expect(built.resources).toHaveLength(1);
    expect(built.resources[0]).toMatchObject({ arch: 'sm_90a', spillStoreBytes: 0 });
    expect(built.resources[0]!.name).toMatch(/^affine_kernel\(/);
    expect(built.resources[0]!.registers).toBeGreaterThan(0);
  });

  it('tells errors at their line below the job, and an undefined function as an error of the build', async () => {
    const text = await affine();
    const wrong = await build(text.replace('a * x[i]', 'a * z[i]'));
    expect(wrong).toMatchObject({
      status: 'compile_error',
      message: 'kernels/affine.cu:6: identifier "z" is undefined',
    });
    const undefinedCall = await build(
      text
        .replace('extern "C" void affine', 'void elsewhere();\nextern "C" void affine')
        .replace('  affine_kernel<<<', '  elsewhere();\n  affine_kernel<<<'),
    );
    expect(undefinedCall.status).toBe('compile_error');
    expect('message' in undefinedCall && undefinedCall.message).toMatch(/undefined reference to .elsewhere\(\)/);
  });

  it('keeps files outside the job from sources, assembler and shell', async () => {
    const surroundings = await Surroundings.create();
    try {
      const { secret } = surroundings;
      const attempts: [text: string, define?: Record<string, string>][] = [
        [`#include "${secret}"\n`],
        [`#include "${'../'.repeat(24)}${secret.slice(1)}"\n`],
        [`asm(".globl s\\ns: .incbin \\"${secret}\\"\\n");\n`],
        ['#include "/proc/self/environ"\n'],
        // nvcc runs its tools through a shell.
        ['', { X: '$(cat ' + secret + ')' }],
        ['', { X: '`cat ' + secret + '`' }],
        ['X\n', { X: '$(cat ' + secret + ')' }],
      ];
      for (const [text, define] of attempts) {
        const built = await build(text + (await affine()), { define });
        expect(surroundings.leaksInto(built), text).toBe(false);
        expect(JSON.stringify(built)).not.toMatch(/TMPDIR=/);
        if (built.status === 'built')
          expect(surroundings.leaksInto(await readFile(built.library, 'latin1')), text).toBe(false);
      }
    } finally {
      surroundings.dispose();
    }
  });

  it('builds device code alone, whose kernels a plan finds by name, template and parameters', async () => {
    const text =
      '#include <cuda_fp16.h>\nnamespace ops {\nnamespace {\n' +
      'template <typename T, int W, bool B> __global__ void scale(const T* x, T* y, size_t n) { y[threadIdx.x] = x[n % W]; }\n}\n' +
      'template <typename T> static void run(const T* x, T* y, int n) { scale<T, 4, true><<<1, 1>>>(x, y, n); scale<T, 8, false><<<1, 1>>>(x, y, n); }\n}\n' +
      'static __global__ void plain(float* p, long long n, unsigned char c) { p[n] = c; }\n' +
      'extern "C" __global__ void named(float* p) { *p = 1; }\n__global__ void unused(int* p) { *p = 1; }\n' +
      'void elsewhere();\nvoid affine(float* p, half* h) { ops::run(p, p, 3); ops::run(h, h, 3); plain<<<1, 1>>>(p, 1, 2); elsewhere(); }\n';
    const built = await build(text, { by: toolchain.modules, call: 'affine((float*)0, (half*)0);' });
    if (built.status !== 'built') throw new Error(JSON.stringify(built));
    expect((await readFile(built.library)).readUInt16LE(18)).toBe(190); // EM_CUDA
    expect(built.resources.map((r) => r.name)).toEqual(expect.arrayContaining(['named', 'unused(int*)']));
    const found = (kernel: string, template: string[], parameters: string[]): string[] => {
      const launch = {
        kind: 'launch',
        kernel,
        template,
        parameters,
        grid: [1, 1, 1],
        block: [1, 1, 1],
        shared: 0,
        arguments: [],
      } as const;
      const plan = launchPlan.parse({ scenarios: { s: [launch] } });
      return planModule(plan, built.kernels!, [{ scenario: { id: 's' }, regions: [] } as unknown as Layout]).kernels;
    };
    const scale = ['*', '*', 'unsigned long'];
    const names = [
      ...found('ops::scale', ['float', '4', 'true'], scale),
      ...found('ops::scale', ['__half', '4'], scale),
      ...found('ops::scale', ['__half', '8', 'false'], scale),
      ...found('plain', [], ['*', 'long long', 'unsigned char']),
      ...found('named', [], ['*']),
    ];
    const demangled = names.map((n) =>
      built.kernels!.find((k) => k.mangled === n)!.name.replace(/\(anonymous namespace\)::/, ''),
    );
    expect(demangled.map((n) => n.replace(/\(.*/, ''))).toEqual([
      ...['void ops::scale<float, 4, true>', 'void ops::scale<__half, 4, true>', 'void ops::scale<__half, 8, false>'],
      ...['plain', 'named'],
    ]);
    for (const [kernel, template, parameters] of [
      ['ops::scale', [], scale],
      ['ops::scale', ['double', '4'], scale],
      ['scale', ['float', '4'], scale],
      ['plain', [], ['*', 'int', 'unsigned char']],
      ['named', ['1'], ['*']],
      ['missing', [], []],
    ] as [string, string[], string[]][])
      expect(() => found(kernel, template, parameters), kernel).toThrow(Unplanned);
    const wrong = await build(text.replace('y[threadIdx.x]', 'z[threadIdx.x]'), {
      by: toolchain.modules,
      call: 'affine((float*)0, (half*)0);',
    });
    expect(wrong).toMatchObject({
      status: 'compile_error',
      message: 'kernels/affine.cu:4: identifier "z" is undefined',
    });
  });

  it('is ended at its time limit', async () => {
    expect((await build(await affine(), { timeoutMs: 50 })).status).toBe('timeout');
  });

  it('compiles the trusted host program', async () => {
    const program = await toolchain.hostProgram(path.join(folder, 'programs'), new AbortController().signal);
    expect((await readFile(program)).subarray(1, 4).toString()).toBe('ELF');
  });
});
