// The CPU target: g++ or clang++ builds the trampoline library against the emulation headers.
//
// The runtime (fibres, launches, the CUDA runtime API) is one shared library. The trusted host program links it, and so does
// every candidate, with `-z defs`: a function that is declared but nowhere defined is an error of the build, not of dlopen.
// When the host opens a candidate, the loader finds the runtime by its soname among what the host has loaded already, so
// both share one state and one set of thread-local variables. The soname carries the hash of harness and compiler.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readHostCompilerDiagnostics } from '../../../src/profile/readers/host-compiler.js';
import type { Diagnostic, TargetInfo } from '../../protocol.js';
import { compilerConfinement } from '../../sandbox/confinements.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { compilerView } from '../../sandbox/views.js';
import { compiledOnce } from '../compiled-once.js';
import { machineFault } from '../machine-fault.js';
import { regularFile, runTool, type ToolRun } from '../run-tool.js';
import { readTraces, traceOptions } from '../traced.js';
import type { BuildRequest, BuildResult, Toolchain, WorkerView } from '../toolchain.js';
import type { Sanitizer } from '../sanitizer.js';
import type { CpuCompiler } from './compiler.js';
import { mapFlags, mapStandard } from './flags.js';
import { tooLargeShared } from './static-shared.js';
import { strictFlags, strictLinkFlags, withFences } from './strict-build.js';
import { CpuSanitizer } from './strict.js';
import { platformFlags, type PlatformFlags } from './platform.js';
import { PrecompiledHeaders } from './precompiled.js';
import { prepareJob } from './prepare.js';
import type { Unsupported } from './unsupported.js';

export { findCpuCompiler, type CpuCompiler } from './compiler.js';

export interface CpuToolchainOptions {
  /** Where host.cpp and cpu/ lie. */
  harnessFolder: string;
  /** Compiled programs of our own are kept below it, in `programs`. */
  cacheFolder: string;
  /** KS_CPU_THREADS reaches the workers. */
  environment?: NodeJS.ProcessEnv;
  /** Builds of candidates run in it; without one they run as the runner does. */
  sandbox?: Sandbox;
  /** Tells it from others on this machine; `cpu` where there is one. */
  id?: string;
}

/** A main need not return, but under its other name it is warned about. */
const MAIN_WITHOUT_RETURN =
  /^.*ks_main_of_the_file.*:\n.*: warning: (?:no return statement|control reaches end|non-void function does not).*$/gm;

export class CpuToolchain implements Toolchain {
  readonly emulated = true;
  readonly info: TargetInfo;
  readonly identity: string;
  readonly workerEnvironment: Record<string, string>;
  private readonly headers: PrecompiledHeaders;
  readonly workerView: WorkerView = { read: [], devices: [], limitsMemory: true };

  private constructor(
    private readonly compiler: CpuCompiler,
    private readonly options: CpuToolchainOptions,
    /** Hash of harness, compiler and processor; names the runtime and the host program. */
    readonly key: string,
    private readonly ownHeaders: ReadonlySet<string>,
  ) {
    // Without the signal of any one build: whoever else waits for the same must not see its end.
    const { signal } = new AbortController();
    this.headers = new PrecompiledHeaders(
      compiler,
      path.join(options.cacheFolder, 'programs'),
      key,
      (args, temporary) => this.compileOwn('emulation headers', args, temporary, signal),
    );
    const cpus = os.cpus();
    this.info = {
      kind: 'cpu',
      id: options.id ?? 'cpu',
      name: `CPU emulation, ${cpus[0]?.model.trim() || os.arch()}, ${cpus.length} cores`,
      compiler: `${compiler.name} ${compiler.version}`,
      memoryBytes: os.totalmem(),
    };
    this.identity = `${compiler.name} ${compiler.version} ${compiler.path} ${key}`;
    const threads = options.environment?.KS_CPU_THREADS;
    this.workerEnvironment = {
      PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      ...(threads ? { KS_CPU_THREADS: threads } : {}),
    };
  }

  /** Reads the harness, whose content is part of the identity: a library only fits the runtime it was linked with. */
  static async create(compiler: CpuCompiler, options: CpuToolchainOptions): Promise<CpuToolchain> {
    const folder = path.join(options.harnessFolder, 'cpu');
    // Headers of the C++ library's kind have no ending.
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = entries
      .filter((e) => e.isFile())
      .map((e) => path.relative(folder, path.join(e.parentPath ?? e.path, e.name)))
      .sort();
    const hash = createHash('sha256').update(`${compiler.path}\0${compiler.version}\0`);
    // The code is compiled for this very processor.
    hash.update(`${os.arch()} ${os.cpus()[0]?.model ?? ''}\0`);
    const flags = platformFlags(process.platform, process.arch, compiler.name);
    hash.update(JSON.stringify([flags, flags.runtime('')]));
    for (const name of names) hash.update(`${name}\0`).update(await readFile(path.join(folder, name)));
    for (const name of ['host.cpp', 'control.h', 'driver.h', 'module.h', 'sanitized.cpp'])
      hash.update(await readFile(path.join(options.harnessFolder, name)));
    const include = `include${path.sep}`;
    const own = names
      .filter((n) => n.startsWith(include))
      .map((n) => n.slice(include.length).replaceAll(path.sep, '/'));
    return new CpuToolchain(compiler, options, hash.digest('hex').slice(0, 24), new Set(own));
  }

  private get platform(): PlatformFlags {
    return platformFlags(process.platform, process.arch, this.compiler.name);
  }

  private get includeFolder(): string {
    return path.join(this.options.harnessFolder, 'cpu', 'include');
  }

  private environment(temporary: string): Record<string, string> {
    return {
      PATH: `${path.dirname(this.compiler.path)}:/usr/local/bin:/usr/bin:/bin`,
      TMPDIR: temporary,
      LANG: 'C.UTF-8',
    };
  }

  /** Compiles hostile sources; they and what becomes of them lie in the request's folder. */
  private async compile(args: string[], cwd: string, temporary: string, request: BuildRequest): Promise<ToolRun> {
    const command = { file: this.compiler.path, args };
    const { timeoutMs } = request.build;
    const options = { cwd, env: this.environment(temporary), signal: request.signal, timeoutMs };
    const { sandbox, cacheFolder } = this.options;
    if (!sandbox) return runTool(command.file, args, options);
    const own = [this.includeFolder, path.join(cacheFolder, 'programs')];
    const view = [...(await compilerView([this.compiler.path])), ...own];
    return sandbox.run(command, compilerConfinement(view, request.folder, timeoutMs), options);
  }

  async build(request: BuildRequest): Promise<BuildResult> {
    const { folder, build } = request;
    const { flags: mapped, warnings } = mapFlags(build.flags);
    const flags = [`-std=${mapStandard(build.std)}`, ...mapped];
    const prepared = await prepareJob(request, this.ownHeaders);
    if (prepared.status === 'unsupported') return unsupported(prepared.found);
    if (prepared.status === 'refused') {
      const { diagnostics } = prepared;
      const output = diagnostics.map((d) => `${d.file}:${d.line}: error: ${d.message}`).join('\n');
      return {
        status: 'compile_error',
        message: output.replace(': error', '').split('\n')[0]!,
        diagnostics,
        output,
        flags,
      };
    }
    const temporary = path.join(folder, 'tmp');
    await mkdir(temporary, { recursive: true });
    const library = path.join(folder, 'candidate.so');
    const headerFlags = [
      ...['-fPIC', '-fvisibility=hidden', '-fno-semantic-interposition', '-pthread'],
      ...this.platform.native,
      ...this.platform.fast,
      // As nvcc with -fmad=false: contraction would make results depend on how the compiler happened to inline.
      '-ffp-contract=off',
      // Emulated threads are abandoned, not unwound; and a spinning loop must not be assumed to end.
      ...['-fno-finite-loops', '-Wno-attributes', '-Wno-unknown-pragmas'],
      ...['-D__CUDACC__=1', '-D__NVCC__=1', '-D__CUDACC_VER_MAJOR__=12', '-D__CUDACC_VER_MINOR__=8'],
      ...['-D__CUDACC_RELAXED_CONSTEXPR__=1', '-D__CUDACC_EXTENDED_LAMBDA__=1', '-D__KERNELSEEK_CPU__=1'],
      ...prepared.macros.map((m) => `-D${m}=1`),
      ...prepared.flags,
      ...['-I', this.includeFolder],
      ...flags,
      ...(request.sanitized ? strictFlags[this.compiler.name] : []),
    ];
    const defines = Object.entries(build.define).map(([k, v]) => `-D${k}=${v}`);
    const compileArgs = [
      ...['-x', 'c++', ...headerFlags],
      ...(await this.headers.prefix(headerFlags, defines, prepared.text)),
      ...defines,
      ...build.include.map((i) => `-I${i}`),
    ];
    const linkArgs = [
      ...['-shared', '-o', library, ...this.platform.library],
      // Apple's linker cannot.
      ...(process.platform === 'darwin' ? [] : traceOptions(build.trace).map((option) => `-Wl,${option}`)),
      await this.runtime(path.join(this.options.cacheFolder, 'programs'), request.signal),
      ...build.link.map((l) => `-l${l}`),
      '-pthread',
    ];
    const run = request.sanitized
      ? await this.compileStrict(compileArgs, linkArgs, prepared.work, temporary, request)
      : await this.compile(
          [...compileArgs, 'ks_trampoline.cu', '-x', 'none', ...linkArgs],
          prepared.work,
          temporary,
          request,
        );
    const { findings, output } = readTraces((run.stdout + run.stderr).trim());
    const diagnostics = readHostCompilerDiagnostics(output.replace(MAIN_WITHOUT_RETURN, '')).map((d) =>
      this.inJob(d, request, prepared.moved),
    );
    if (run.timedOut) {
      const message = `${this.compiler.name} did not end within ${build.timeoutMs / 1000} s`;
      return { status: 'timeout', message, diagnostics, output, flags };
    }
    if (run.code !== 0) {
      const first = diagnostics.find((d) => d.severity === 'error');
      const fault = await machineFault(this.compiler.name, run, folder);
      if (fault !== undefined || (!first && run.signal)) {
        const message = fault ?? `${this.compiler.name} was killed (${run.signal})`;
        return { status: 'infrastructure', message, diagnostics, output, flags };
      }
      const message = first
        ? `${first.file}:${first.line}: ${first.message}`
        : `${this.compiler.name} failed (exit code ${run.code}): ${output.slice(-300)}`;
      return { status: 'compile_error', message, diagnostics, output, flags };
    }
    await regularFile(library);
    const large = tooLargeShared(await readFile(library));
    if (large !== undefined) return { status: 'compile_error', message: large, diagnostics, output, flags };
    const kept = diagnostics.filter((d) => path.basename(d.file) !== 'ks_trampoline.cu');
    kept.push(...prepared.warnings);
    return { status: 'built', library, diagnostics: kept, resources: [], findings, warnings, output, flags };
  }

  /** By way of its assembly: that is where fences can be put between variables. */
  private async compileStrict(
    compileArgs: string[],
    linkArgs: string[],
    work: string,
    temporary: string,
    request: BuildRequest,
  ): Promise<ToolRun> {
    const assembly = path.join(request.folder, 'candidate.s');
    const args = [...compileArgs, '-S', 'ks_trampoline.cu', '-o', assembly];
    const compiled = await this.compile(args, work, temporary, request);
    if (compiled.code !== 0) return compiled;
    await regularFile(assembly);
    await writeFile(assembly, withFences(await readFile(assembly, 'utf8')));
    const link = ['-fPIC', ...this.platform.native, assembly, ...strictLinkFlags, ...linkArgs];
    return this.compile(link, work, temporary, request);
  }

  /** Paths relative to the job root; no columns on lines that the rewriter changed, since they count the changed text. */
  private inJob(diagnostic: Diagnostic, request: BuildRequest, moved: Map<string, Set<number>>): Diagnostic {
    const root = path.join(request.folder, 'job');
    const place = <P extends { file: string; line: number; column?: number }>(p: P): P => {
      const relative = path.relative(root, path.resolve(root, request.directory, p.file));
      const file = relative.startsWith('..') ? path.basename(p.file) : relative;
      const { column, ...rest } = p;
      const isMoved = moved.get(file)?.has(p.line) ?? false;
      return { ...rest, file, ...(column === undefined || isMoved ? {} : { column }) } as P;
    };
    return { ...place(diagnostic), ...(diagnostic.related ? { related: diagnostic.related.map(place) } : {}) };
  }

  /** The runtime as a shared library in `folder`. */
  private async runtime(folder: string, signal: AbortSignal): Promise<string> {
    const name = `libks-cpu-${this.key}.so`;
    return compiledOnce(path.join(folder, name), async (target, temporary) => {
      const sources = path.join(this.options.harnessFolder, 'cpu', 'runtime');
      const files = (await readdir(sources)).filter((n) => n.endsWith('.cpp')).sort();
      const args = [
        ...['-std=c++17', '-O2', '-shared', '-fPIC', '-fvisibility=hidden', ...this.platform.stacks, '-pthread'],
        ...files.map((n) => path.join(sources, n)),
        ...['-o', target, ...this.platform.runtime(name)],
      ];
      await this.compileOwn('runtime of the CPU target', args, temporary, signal);
    });
  }

  async hostProgram(cacheFolder: string, signal: AbortSignal): Promise<string> {
    const runtime = await this.runtime(cacheFolder, signal);
    return compiledOnce(path.join(cacheFolder, `host-cpu-${this.key}`), async (target, temporary) => {
      const source = path.join(this.options.harnessFolder, 'host.cpp');
      const args = [
        ...['-std=c++17', '-O2', '-I', this.includeFolder, source, '-o', target, runtime],
        ...[...this.platform.host, '-pthread'],
      ];
      await this.compileOwn('host program', args, temporary, signal);
    });
  }

  async sanitizer(cacheFolder: string, signal: AbortSignal): Promise<Sanitizer | { missing: string }> {
    if (process.platform !== 'linux') return { missing: 'strict mode runs on Linux only' };
    const runtime = await this.runtime(cacheFolder, signal);
    const program = await compiledOnce(
      path.join(cacheFolder, `sanitized-cpu-${this.key}`),
      async (target, temporary) => {
        const source = path.join(this.options.harnessFolder, 'sanitized.cpp');
        const args = [
          ...['-std=c++17', '-O2', '-I', this.includeFolder, source, '-o', target, runtime],
          ...[...this.platform.host, '-pthread'],
        ];
        await this.compileOwn('host program of strict mode', args, temporary, signal);
      },
    );
    return new CpuSanitizer(program, this.compiler.path, this.workerEnvironment);
  }

  private async compileOwn(what: string, args: string[], temporary: string, signal: AbortSignal): Promise<void> {
    const options = { cwd: temporary, env: this.environment(temporary), signal, timeoutMs: 300_000 };
    const run = await runTool(this.compiler.path, args, options);
    if (run.code === 0) return;
    throw new Error(
      `the ${what} does not compile with ${this.compiler.path}: ${(run.stdout + run.stderr).slice(-2000)}`,
    );
  }
}

function unsupported({ construct, file, line, cudaWouldDo }: Unsupported): BuildResult {
  const remedy = cudaWouldDo ? 'a CUDA device can: evaluate with --target cuda' : 'neither can a CUDA device';
  const message = `${file}:${line}: the CPU target cannot run ${construct}; ${remedy}`;
  return { status: 'unsupported', construct, file, line, cudaWouldDo, message };
}
