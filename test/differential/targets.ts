// The toolchain of a target of this machine, as the runner makes it.
import { CpuToolchain, findCpuCompiler } from '../../remote-runner/targets/cpu/toolchain.js';
import { findDevices, findNvcc } from '../../remote-runner/targets/cuda/device.js';
import { CudaToolchain } from '../../remote-runner/targets/cuda/toolchain.js';
import { runTool } from '../../remote-runner/targets/run-tool.js';
import type { Toolchain } from '../../remote-runner/targets/toolchain.js';

/** @throws Error that says what is missing */
export async function toolchainOf(
  kind: 'cpu' | 'cuda',
  options: { harnessFolder: string; cacheFolder: string },
): Promise<Toolchain> {
  if (kind === 'cpu') {
    const compiler = await findCpuCompiler(process.env);
    if (!compiler) throw new Error('no C++ compiler: install g++');
    return CpuToolchain.create(compiler, options);
  }
  const signal = new AbortController().signal;
  const [device] = await findDevices(process.env, signal);
  const nvcc = await findNvcc(process.env);
  if (!device || nvcc === undefined) throw new Error('no CUDA device, or no nvcc');
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C' };
  const { stdout } = await runTool(nvcc, ['--version'], { cwd: '/', env, signal, timeoutMs: 30_000 });
  const version = /release [\d.]+, V([\d.]+)/.exec(stdout)?.[1] ?? 'unknown';
  return new CudaToolchain(nvcc, version, device, options.harnessFolder);
}
