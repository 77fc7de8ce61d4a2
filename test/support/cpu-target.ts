// Builds sources with the real CPU toolchain and runs them in a process of their own.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CpuToolchain, findCpuCompiler } from '../../remote-runner/targets/cpu/toolchain.js';
import { runTool, type ToolRun } from '../../remote-runner/targets/run-tool.js';
import type { BuildRequest, BuildResult } from '../../remote-runner/targets/toolchain.js';

const root = process.cwd();

export interface Job {
  sources: Record<string, string>;
  files?: Record<string, string>;
  /** Body of the one call. */
  call: string;
  /** Before the sources are included. */
  preamble?: string;
  directory?: string;
  build?: Partial<BuildRequest['build']>;
  signal?: AbortSignal;
}

/** One toolchain; what it builds lies in a temporary folder. */
export class CpuRig {
  private constructor(
    readonly toolchain: CpuToolchain,
    private readonly folder: string,
    private readonly driver: string,
  ) {}

  /** @param environment where `CXX` may name a compiler */
  static async create(environment: NodeJS.ProcessEnv = process.env): Promise<CpuRig> {
    const compiler = await findCpuCompiler(environment);
    if (!compiler) throw new Error('no C++ compiler: install g++');
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-cpu-'));
    const harnessFolder = path.join(root, 'remote-runner/harness');
    // Shared by the test files, since its names carry the hash of what is in it.
    const cacheFolder = path.join(root, 'node_modules/.cache/kernelseek-test');
    const toolchain = await CpuToolchain.create(compiler, { harnessFolder, cacheFolder });
    const programs = path.join(cacheFolder, 'programs');
    await toolchain.hostProgram(programs, new AbortController().signal);
    const runtime = `libks-cpu-${toolchain.key}.so`;
    const driver = path.join(folder, 'driver');
    const rig = new CpuRig(toolchain, folder, driver);
    const built = await rig.tool(compiler.path, [
      path.join(root, 'test/cpu/driver.cpp'),
      ...['-o', driver, '-Wl,--no-as-needed', path.join(programs, runtime), `-Wl,-rpath,${programs}`, '-ldl'],
    ]);
    if (built.code !== 0) throw new Error(built.stderr);
    return rig;
  }

  private tool(file: string, args: string[], env: Record<string, string> = {}, timeoutMs = 60_000): Promise<ToolRun> {
    const signal = new AbortController().signal;
    return runTool(file, args, { cwd: this.folder, env: { PATH: process.env.PATH ?? '', ...env }, signal, timeoutMs });
  }

  async build(job: Job): Promise<BuildResult> {
    const folder = await mkdtemp(path.join(this.folder, 'build-'));
    const stored = path.join(folder, 'stored');
    await mkdir(stored);
    const files = await Promise.all(
      Object.entries(job.files ?? {}).map(async ([name, text], i) => {
        const file = path.join(stored, String(i));
        await writeFile(file, text);
        return { path: name, stored: file };
      }),
    );
    const directory = job.directory ?? '';
    const includes = Object.keys(job.sources).map((n) => `#include "${path.posix.relative(directory, n)}"\n`);
    const trampoline =
      `#include <cuda_runtime.h>\n${job.preamble ?? ''}\n${includes.join('')}` +
      `extern "C" __attribute__((visibility("default"))) int ks_call_0(void** ks_a, void* ks_s) {\n` +
      `  (void)ks_a; cudaStream_t stream = (cudaStream_t)ks_s; (void)stream;\n${job.call}\n  return (int)cudaPeekAtLastError();\n}\n`;
    return this.toolchain.build({
      sources: Object.entries(job.sources).map(([name, text]) => ({ path: name, text })),
      files,
      directory,
      trampoline,
      build: {
        ...{ arch: 'auto', std: 'c++17', flags: [], define: {}, include: [], link: [], trace: [], timeoutMs: 60_000 },
        ...job.build,
      },
      folder,
      signal: job.signal ?? new AbortController().signal,
    });
  }

  /** Builds and runs; rejects with the compiler's words if it does not build. */
  async run(job: Job, env: Record<string, string> = {}, timeoutMs?: number): Promise<ToolRun> {
    const built = await this.build(job);
    if (built.status !== 'built') throw new Error(JSON.stringify(built, null, 1));
    return this.tool(this.driver, [built.library], env, timeoutMs);
  }

  dispose(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

export const readCase = (name: string): Promise<string> => readFile(path.join(root, 'test/cases', name), 'utf8');
