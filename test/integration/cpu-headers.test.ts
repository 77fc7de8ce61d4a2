// The emulation's 16- and 8-bit floating point against NVIDIA's own headers for host code, where a toolkit has them.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findCpuCompiler } from '../../remote-runner/targets/cpu/compiler.js';
import { findNvcc } from '../../remote-runner/targets/cuda/device.js';
import { runTool } from '../../remote-runner/targets/run-tool.js';

const nvcc = await findNvcc(process.env);
const toolkit = nvcc && path.resolve(path.dirname(nvcc), '../include');
const usual = '/usr/local/cuda/include';
const folderOf = [toolkit, usual].find((f) => f !== undefined && existsSync(path.join(f, 'cuda_fp8.hpp')));
if (folderOf === undefined) console.warn('SKIPPED for want of a CUDA toolkit: headers against NVIDIA’s own');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-headers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function tool(file: string, args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C' };
  const signal = new AbortController().signal;
  const run = await runTool(file, args, { cwd: folder, env, signal, timeoutMs: 120_000 });
  if (run.code !== 0) throw new Error((run.stdout + run.stderr).slice(0, 4000));
  return run.stdout;
}

it.skipIf(folderOf === undefined)(
  'half, bfloat16 and 8-bit numbers are NVIDIA’s bit for bit: every number, every midpoint, all roundings',
  async () => {
    const compiler = await findCpuCompiler(process.env);
    const source = path.resolve('test/cpu/nvidia-headers.cpp');
    const own = path.resolve('remote-runner/harness/cpu/include');
    const flags = ['-std=c++17', '-O1', '-ffp-contract=off', '-w', source];
    const build = (name: string, ...args: string[]): Promise<string> =>
      tool(compiler!.path, [...flags, ...args, '-o', path.join(folder, name)]);
    await build('theirs', '-I', folderOf!);
    const theirs = (await tool(path.join(folder, 'theirs'), [])).split('\n');
    expect(theirs.length).toBeGreaterThan(160);
    // With the processor's own conversions, and without them.
    const native = process.arch === 'arm64' ? '-mcpu=native' : '-march=native';
    for (const [name, ...arch] of [['ours', native], ['ours-portable']] as [string, ...string[]][]) {
      await build(name, ...arch, '-I', own, '-include', 'cuda_runtime.h');
      const ours = (await tool(path.join(folder, name), [])).split('\n');
      expect(ours.filter((line, i) => line !== theirs[i])).toEqual([]);
    }
  },
  240_000,
);
