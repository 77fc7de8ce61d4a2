// What the CUDA target does before any device is needed: nvcc builds, its errors and ptxas' resources are read.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../../remote-runner/sandbox/sandbox.js';
import { findCpuCompiler } from '../../remote-runner/targets/cpu/compiler.js';
import { findNvcc, findToolkit } from '../../remote-runner/targets/cuda/device.js';
import type { CudaDevice } from '../../remote-runner/targets/cuda/smi.js';
import { CudaToolchain } from '../../remote-runner/targets/cuda/toolchain.js';
import type { BuildResult } from '../../remote-runner/targets/toolchain.js';
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
    options: { flags?: string[]; define?: Record<string, string>; timeoutMs?: number } = {},
  ): Promise<BuildResult> {
    return toolchain.build({
      sources: [{ path: 'kernels/affine.cu', text }],
      files: [],
      directory: 'kernels',
      trampoline:
        '#include <cuda_runtime.h>\n#include "affine.cu"\nextern "C" int ks_call_0(void**, void*) {\n' +
        '  affine(nullptr, nullptr, 1.f, 0, 0);\n  return (int)cudaPeekAtLastError();\n}\n',
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

  it('is ended at its time limit', async () => {
    expect((await build(await affine(), { timeoutMs: 50 })).status).toBe('timeout');
  });

  it('compiles the trusted host program', async () => {
    const program = await toolchain.hostProgram(path.join(folder, 'programs'), new AbortController().signal);
    expect((await readFile(program)).subarray(1, 4).toString()).toBe('ELF');
  });
});
