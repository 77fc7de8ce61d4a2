// The CUDA target: nvcc builds the trampoline library; ptxas tells the resources of each kernel.
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readNvccDiagnostics } from '../../../src/profile/readers/nvcc.js';
import { readHostCompilerDiagnostics } from '../../../src/profile/readers/host-compiler.js';
import { readPtxas } from '../../../src/profile/readers/ptxas.js';
import type { KernelResources, TargetInfo } from '../../protocol.js';
import { compilerConfinement } from '../../sandbox/confinements.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { compilerView } from '../../sandbox/views.js';
import { compiledOnce } from '../compiled-once.js';
import { layOutJob } from '../job-folder.js';
import { machineFault } from '../machine-fault.js';
import { regularFile, runTool, type ToolRun } from '../run-tool.js';
import { readTraces, traceOptions } from '../traced.js';
import type { Builder, BuildRequest, BuildResult, KernelName, Toolchain, WorkerView } from '../toolchain.js';
import type { Sanitizer } from '../sanitizer.js';
import { kernelsOf } from './cubin.js';
import { archOf } from './device.js';
import { driverView } from './driver-view.js';
import type { CudaDevice } from './smi.js';
import { CudaSanitizer, findComputeSanitizer } from './sanitizer.js';

export interface CudaToolchainOptions {
  /** Builds of candidates run in it; without one they run as the runner does. */
  sandbox?: Sandbox;
  /** The folder that nvcc's parts lie in, where nvcc itself is a script elsewhere. */
  toolkit?: string;
  /** What `--version` of the compiler that nvcc uses for host code says. */
  hostCompiler?: string;
}

export class CudaToolchain implements Toolchain {
  readonly emulated = false;
  readonly info: TargetInfo;
  readonly identity: string;
  readonly workerEnvironment: Record<string, string>;

  constructor(
    private readonly nvcc: string,
    /** First line of `nvcc --version` that names the release. */
    version: string,
    readonly device: CudaDevice,
    private readonly harnessFolder: string,
    private readonly options: CudaToolchainOptions = {},
  ) {
    this.info = {
      kind: 'cuda',
      id: device.uuid,
      name: device.name,
      arch: archOf(device.capability),
      driver: device.driver,
      compiler: `nvcc ${version}`,
      memoryBytes: device.memoryBytes,
    };
    this.workerEnvironment = {
      PATH: '/usr/bin:/bin',
      CUDA_VISIBLE_DEVICES: device.uuid,
      CUDA_CACHE_DISABLE: '1',
      LANG: 'C.UTF-8',
    };
    this.identity = `nvcc ${version} ${nvcc} ${this.info.arch} ${options.hostCompiler ?? ''}`;
  }

  /** Read anew for each worker: the driver makes its device nodes when it is first used. */
  get workerView(): WorkerView {
    const { toolkit } = this.options;
    const { read, devices } = driverView();
    return { read: toolkit === undefined ? read : [...read, toolkit], devices, limitsMemory: false };
  }

  private environment(temporary: string): Record<string, string> {
    return { PATH: `${path.dirname(this.nvcc)}:/usr/local/bin:/usr/bin:/bin`, TMPDIR: temporary, LANG: 'C.UTF-8' };
  }

  private archFlag(arch: string): string {
    const wanted = arch === 'auto' ? this.info.arch! : arch;
    // The -gencode form: the -arch shorthand runs a plain pass too, which refuses wgmma.
    const compute = wanted.replace(/^sm_/, 'compute_');
    // For another architecture than the device's, PTX comes along, so that the driver can run it.
    return `-gencode=arch=${compute},code=${wanted === this.info.arch ? wanted : `[${wanted},${compute}]`}`;
  }

  build(request: BuildRequest): Promise<BuildResult> {
    return this.make(request, false);
  }

  /** The same sources without their host code: a cubin for this very device. */
  get modules(): Builder {
    return { identity: `${this.identity} cubin`, build: (request) => this.make(request, true) };
  }

  private async make(request: BuildRequest, isModule: boolean): Promise<BuildResult> {
    const { folder, build } = request;
    const work = await layOutJob(request);
    const temporary = path.join(folder, 'tmp');
    await mkdir(temporary, { recursive: true });
    const library = path.join(folder, 'candidate.so');
    const flags = [
      this.archFlag(build.arch),
      // Lines for what a sanitizer finds; the machine code stays the same.
      ...(request.sanitized ? ['-lineinfo'] : []),
      `-std=${build.std}`,
      ...build.flags,
      ...Object.entries(build.define).map(([k, v]) => `-D${k}=${v}`),
      ...build.include.map((i) => `-I${i}`),
    ];
    const linked = [
      '-shared',
      '-Xcompiler',
      '-fPIC,-fvisibility=hidden',
      '-Xlinker',
      '-Bsymbolic',
      '-Xlinker',
      '-z,defs',
      ...traceOptions(build.trace).flatMap((option) => ['-Xlinker', option]),
      ...build.link.map((l) => `-l${l}`),
    ];
    const args = [
      ...(isModule ? ['-cubin'] : linked),
      ...['-Xptxas', '-v', ...flags, 'ks_trampoline.cu', '-o', library],
    ];
    const run = await this.compile(args, work, temporary, request);
    const { findings, output } = readTraces((run.stdout + run.stderr).trim());
    const main = request.sources[0]!.path;
    const diagnostics = [...readNvccDiagnostics(output, main), ...readHostCompilerDiagnostics(output)].map((d) => ({
      ...d,
      file: this.fileOf(d.file, request),
      ...(d.related ? { related: d.related.map((r) => ({ ...r, file: this.fileOf(r.file, request) })) } : {}),
    }));
    if (run.timedOut)
      return {
        status: 'timeout',
        message: `nvcc did not end within ${build.timeoutMs / 1000} s`,
        diagnostics,
        output,
        flags,
      };
    if (run.code !== 0) {
      const first = diagnostics.find((d) => d.severity === 'error');
      const fault = await machineFault('nvcc', run, folder);
      if (fault !== undefined || (!first && run.signal)) {
        const message = fault ?? `nvcc was killed (${run.signal})`;
        return { status: 'infrastructure', message, diagnostics, output, flags };
      }
      const message = first
        ? `${first.file}:${first.line}: ${first.message}`
        : `nvcc failed (exit code ${run.code}): ${output.slice(-300)}`;
      return { status: 'compile_error', message, diagnostics, output, flags };
    }
    await regularFile(library);
    return {
      status: 'built',
      library,
      diagnostics: diagnostics.filter((d) => d.file !== 'ks_trampoline.cu'),
      resources: await this.resources(output, request.signal),
      ...(isModule && { kernels: await this.kernels(library, request.signal) }),
      findings,
      warnings: [],
      output,
      flags,
    };
  }

  /** Compiles hostile sources; they and what becomes of them lie in the request's folder. */
  private async compile(args: string[], cwd: string, temporary: string, request: BuildRequest): Promise<ToolRun> {
    const { timeoutMs } = request.build;
    const options = { cwd, env: this.environment(temporary), signal: request.signal, timeoutMs };
    const { sandbox, toolkit } = this.options;
    if (!sandbox) return runTool(this.nvcc, args, options);
    const view = await compilerView(toolkit === undefined ? [this.nvcc] : [this.nvcc, path.join(toolkit, 'bin/nvcc')]);
    const confinement = compilerConfinement(view, request.folder, timeoutMs);
    return sandbox.run({ file: this.nvcc, args }, confinement, options);
  }

  /** Path below the job root, whichever way the compiler named it. */
  private fileOf(file: string, request: BuildRequest): string {
    const absolute = path.resolve(path.join(request.folder, 'job', request.directory), file);
    const relative = path.relative(path.join(request.folder, 'job'), absolute);
    return relative.startsWith('..') ? path.basename(file) : relative;
  }

  private async resources(output: string, signal: AbortSignal): Promise<KernelResources[]> {
    const entries = readPtxas(output);
    const names = await demangled(
      entries.map((e) => e.entry),
      signal,
    );
    return entries.map((e, i) => ({ ...e, name: names[i] ?? e.entry }));
  }

  private async kernels(module: string, signal: AbortSignal): Promise<KernelName[]> {
    const mangled = kernelsOf(await readFile(module));
    const names = await demangled(mangled, signal);
    return mangled.map((m, i) => ({ mangled: m, name: names[i] ?? m }));
  }

  hostProgram(cacheFolder: string, signal: AbortSignal): Promise<string> {
    return this.trusted('host', ['control.h', 'driver.h', 'module.h'], cacheFolder, signal);
  }

  async sanitizer(cacheFolder: string, signal: AbortSignal): Promise<Sanitizer | { missing: string }> {
    const tool = await findComputeSanitizer(this.nvcc, this.options.toolkit);
    if (tool === undefined)
      return { missing: 'compute-sanitizer is not there: it comes with the CUDA toolkit, beside nvcc' };
    const program = await this.watchedProgram(cacheFolder, signal);
    return new CudaSanitizer(tool, program, this.workerEnvironment);
  }

  /** harness/sanitized.cpp: one call in a process of its own, for tools that watch it. */
  watchedProgram(cacheFolder: string, signal: AbortSignal): Promise<string> {
    return this.trusted('sanitized', [], cacheFolder, signal);
  }

  /** A program of ours, NAME.cpp of the harness, compiled against this target. @param headers of ours that it includes */
  private async trusted(name: string, headers: string[], cacheFolder: string, signal: AbortSignal): Promise<string> {
    const source = path.join(this.harnessFolder, `${name}.cpp`);
    const hash = createHash('sha256').update(this.identity);
    for (const file of [source, ...headers.map((h) => path.join(this.harnessFolder, h))])
      hash.update(await readFile(file));
    const key = hash.digest('hex').slice(0, 24);
    return compiledOnce(path.join(cacheFolder, `${name}-cuda-${key}`), async (target, temporary) => {
      const run = await runTool(
        this.nvcc,
        ['-O2', '-std=c++17', '-x', 'cu', this.archFlag('auto'), source, '-o', target, '-Xlinker', '-z,now', '-ldl'],
        { cwd: temporary, env: this.environment(temporary), signal, timeoutMs: 300_000 },
      );
      if (run.code !== 0)
        throw new Error(`${name}.cpp does not compile with ${this.nvcc}: ${(run.stdout + run.stderr).slice(-2000)}`);
    });
  }
}

/** c++filt comes with the host compiler that nvcc needs anyway; without it the mangled names stay. */
async function demangled(names: readonly string[], signal: AbortSignal): Promise<string[]> {
  if (names.length === 0) return [];
  const options = { cwd: '/', env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C' }, signal, timeoutMs: 10_000 };
  // A name of assembly may look like an option.
  const run = await runTool('c++filt', ['--', ...names], options).catch(() => undefined);
  signal.throwIfAborted();
  const lines = run?.code === 0 ? run.stdout.split('\n') : [];
  return names.map((name, i) => lines[i] || name);
}
