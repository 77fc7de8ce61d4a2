// The CPU target with tier 1: its modules are built for a stand-in of the CUDA driver (test/fake-driver), which the trusted host
// program finds where it looks for the real one.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Builds } from '../../remote-runner/evaluate/builds.js';
import { DeviceLock } from '../../remote-runner/evaluate/device-lock.js';
import { evaluate, type EvaluateTools } from '../../remote-runner/evaluate/evaluate.js';
import { keeperProgram } from '../../remote-runner/evaluate/keeper-program.js';
import type { EvaluateParams, SourceFile, Verdict } from '../../remote-runner/protocol.js';
import { Sandbox } from '../../remote-runner/sandbox/sandbox.js';
import { CheckerToolchain } from '../../remote-runner/targets/checker.js';
import { CpuToolchain, findCpuCompiler } from '../../remote-runner/targets/cpu/toolchain.js';
import { runTool, type ToolRun } from '../../remote-runner/targets/run-tool.js';
import type { Builder, BuildRequest, BuildResult, Toolchain } from '../../remote-runner/targets/toolchain.js';
import type { KernelParser } from '../../src/kernel/parser.js';
import { readKernels } from '../../src/kernel/reader.js';
import { withPlans } from '../../src/runner/launch-plan.js';
import type { PreparedTask } from '../../src/runner/prepare.js';
import { root } from './evaluations.js';
import { testParser } from './grammar.js';

const driverFolder = path.join(root, 'test/fake-driver');

/** Device code alone as a shared library of plain functions: host functions are cut out of the text. */
class FakeModules implements Builder {
  readonly identity = 'stand-in for nvcc -cubin';
  built = 0;

  constructor(
    private readonly compiler: string,
    private readonly parser: KernelParser,
  ) {}

  async build({ sources, folder, signal }: BuildRequest): Promise<BuildResult> {
    this.built++;
    const [source] = sources;
    const text = readKernels(this.parser, source!.text).hostFunctions.reduceRight(
      (all, { range }) => all.slice(0, range.startIndex) + all.slice(range.endIndex),
      source!.text,
    );
    await writeFile(path.join(folder, 'a.cpp'), text);
    const library = path.join(folder, 'candidate.so');
    const options = [
      '-O1',
      '-std=c++17',
      '-shared',
      '-fPIC',
      '-fvisibility=hidden',
      '-Wl,-Bsymbolic',
      '-I',
      driverFolder,
    ];
    const tool = (name: string, args: string[]): Promise<ToolRun> =>
      runTool(name, args, { cwd: folder, env: { PATH: process.env.PATH ?? '' }, signal, timeoutMs: 60_000 });
    const run = await tool(this.compiler, [...options, 'a.cpp', '-o', library]);
    const rest = { diagnostics: [], output: run.stderr, flags: [] };
    if (run.code !== 0) return { status: 'compile_error', message: run.stderr.slice(0, 200), ...rest };
    const symbols = await tool('nm', ['-D', '--defined-only', library]);
    const mangled = [...symbols.stdout.matchAll(/ T (\w+)$/gm)].map((m) => m[1]!);
    const names = (await tool('c++filt', ['--', ...mangled])).stdout.split('\n');
    const kernels = mangled.map((m, i) => ({ mangled: m, name: names[i] ?? m }));
    return { status: 'built', library, resources: [], findings: [], warnings: [], kernels, ...rest };
  }
}

export class FakeGpu {
  private constructor(
    private readonly tools: EvaluateTools,
    readonly modules: FakeModules,
    private readonly parser: KernelParser,
    private readonly folder: string,
  ) {}

  static async create(): Promise<FakeGpu> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-fake-gpu-'));
    const signal = new AbortController().signal;
    const harnessFolder = path.join(root, 'remote-runner/harness');
    const programs = path.join(folder, 'programs');
    const compiler = (await findCpuCompiler(process.env))!;
    const parser = await testParser();
    const sandbox = await Sandbox.create(compiler.path, harnessFolder, programs, process.env);
    const cpu = await CpuToolchain.create(compiler, { harnessFolder, cacheFolder: folder, sandbox });
    const driver = path.join(folder, 'driver');
    await mkdir(driver);
    const args = ['-std=c++17', '-O1', '-shared', '-fPIC', path.join(driverFolder, 'libcuda.cpp'), '-o'];
    const built = await runTool(compiler.path, [...args, path.join(driver, 'libcuda.so.1')], {
      ...{ cwd: folder, env: { PATH: process.env.PATH ?? '' }, signal, timeoutMs: 60_000 },
    });
    if (built.code !== 0) throw new Error(built.stderr);
    const modules = new FakeModules(compiler.path, parser);
    const toolchain: Toolchain = Object.create(cpu, {
      modules: { value: modules },
      workerEnvironment: { value: { ...cpu.workerEnvironment, LD_LIBRARY_PATH: driver } },
      workerView: { value: { ...cpu.workerView, read: [...cpu.workerView.read, driver] } },
    }) as Toolchain;
    const tools: EvaluateTools = {
      toolchain,
      programs: {
        keeper: await keeperProgram(compiler.path, harnessFolder, programs, signal),
        host: await cpu.hostProgram(programs, signal),
        sandbox,
      },
      builds: new Builds(path.join(folder, 'builds')),
      checkers: await CheckerToolchain.create(compiler, sandbox, harnessFolder),
      deviceLock: new DeviceLock(path.basename(folder)),
    };
    return new FakeGpu(tools, modules, parser, folder);
  }

  /** @param more what differs from a first verdict with the plans that the client makes */
  async evaluate(task: PreparedTask, candidate?: SourceFile[], more: Partial<EvaluateParams> = {}): Promise<Verdict> {
    const plain = {
      kind: 'evaluate',
      task: task.wire,
      candidate,
      target: 'cpu',
      mode: 'first',
      sanitize: false,
    } as const;
    const params = await withPlans({ ...plain, ...more }, task.files, () => Promise.resolve(this.parser));
    const job = await mkdtemp(path.join(this.folder, 'job-'));
    return evaluate(
      { ...params, ...more },
      {
        ...{ signal: new AbortController().signal, progress: () => undefined, stored: () => '' },
        keep: () => Promise.reject(new Error('evaluations keep no files')),
        ...{ folder: job, scratch: this.folder },
      },
      this.tools,
    );
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
