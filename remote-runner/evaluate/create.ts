// Puts the evaluator of this machine together: which targets it has, with which tools, and why one is missing.
import { createHash } from 'node:crypto';
import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  bareVerdict,
  type EvaluateParams,
  type InitializeResult,
  type TargetChoice,
  type Verdict,
} from '../protocol.js';
import { withIsolation } from '../sandbox/isolation.js';
import { Sandbox } from '../sandbox/sandbox.js';
import { findNcu } from '../profile/find-ncu.js';
import { profile } from '../profile/profile.js';
import { withDevice, withoutDevice } from '../profile/tools.js';
import { CheckerToolchain } from '../targets/checker.js';
import { missingPlatform } from '../targets/cpu/platform.js';
import { CpuToolchain, findCpuCompiler } from '../targets/cpu/toolchain.js';
import { findDevices, findNvcc, findToolkit } from '../targets/cuda/device.js';
import { makeDeviceNodes } from '../targets/cuda/driver-view.js';
import { CudaToolchain } from '../targets/cuda/toolchain.js';
import { runTool } from '../targets/run-tool.js';
import type { Toolchain } from '../targets/toolchain.js';
import { VERSION } from '../version.js';
import { Builds } from './builds.js';
import { calibrate } from './calibrate.js';
import { DeviceLock } from './device-lock.js';
import { Devices } from './devices.js';
import { evaluate, type EvaluateTools } from './evaluate.js';
import type { EvaluateContext, Evaluator } from './evaluator.js';
import { Flights } from './flights.js';
import { keeperProgram } from './keeper-program.js';
import { KnownVerdicts } from './known-verdicts.js';
import { Others } from './others.js';

export interface CreateOptions {
  /** Where host.cpp, keeper.cpp and cpu/ lie. */
  harnessFolder: string;
  /** Programs and builds are kept here. */
  cacheFolder: string;
  environment: NodeJS.ProcessEnv;
  /** The bundle that evaluates: verdicts that another one gave do not count. */
  bundle?: string;
}

export type Created = {
  evaluator: Evaluator;
  abilities: Pick<InitializeResult, 'targets' | 'missing' | 'tools' | 'profiling' | 'isolation'>;
};

/** What is compiled for where there is no GPU and the task names none. */
const NO_GPU = { uuid: 'none', name: 'no GPU', capability: '9.0', memoryBytes: 0, driver: '' };

const searchPath = { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', LANG: 'C' };

async function versionOf(tool: string, signal: AbortSignal): Promise<string | undefined> {
  const run = await runTool(tool, ['--version'], { cwd: '/', env: searchPath, signal, timeoutMs: 30_000 }).catch(
    () => undefined,
  );
  if (run?.code !== 0) return undefined;
  return /\b(\d+\.\d+(?:\.\d+)*)\b/.exec(/release [^\n]*|Version [^\n]*/.exec(run.stdout)?.[0] ?? run.stdout)?.[1];
}

/** Ids of the CPU targets: one, or `cpu0`, `cpu1` … where KS_CPU_DEVICES asks for several, as a machine with several GPUs has. */
function cpuDevices({ KS_CPU_DEVICES }: NodeJS.ProcessEnv): string[] {
  const count = /^[1-9]\d?$/.test(KS_CPU_DEVICES ?? '') ? Number(KS_CPU_DEVICES) : 1;
  return count === 1 ? ['cpu'] : Array.from({ length: count }, (_, i) => `cpu${i}`);
}

/** What the compiler says of itself that nvcc finds for host code: builds depend on it as much as on nvcc. */
async function hostCompilerOf(nvcc: string, signal: AbortSignal): Promise<string> {
  const env = { PATH: `${path.dirname(nvcc)}:/usr/local/bin:/usr/bin:/bin`, LANG: 'C' };
  const run = await runTool('g++', ['--version'], { cwd: '/', env, signal, timeoutMs: 30_000 }).catch(() => undefined);
  return run?.stdout.split('\n', 1)[0] ?? '';
}

/** Names this evaluator by the content of its programs. */
async function editionOf({ harnessFolder, bundle }: CreateOptions): Promise<string> {
  const hash = createHash('sha256').update(VERSION);
  if (bundle !== undefined) hash.update(await readFile(bundle));
  const entries = await readdir(harnessFolder, { recursive: true, withFileTypes: true });
  const files = entries.filter((e) => e.isFile()).map((e) => path.join(e.parentPath, e.name));
  for (const file of files.sort()) hash.update(`${path.relative(harnessFolder, file)}\0`).update(await readFile(file));
  return hash.digest('hex');
}

/** Looks at the machine once, at start. Never rejects for want of a compiler or device: `abilities.missing` says it. */
export async function createEvaluator(options: CreateOptions): Promise<Created> {
  const signal = new AbortController().signal;
  const { environment, harnessFolder } = options;
  const [devices, nvcc, compiler] = await Promise.all([
    findDevices(environment, signal),
    findNvcc(environment),
    missingPlatform(process.platform) === undefined ? findCpuCompiler(environment) : undefined,
  ]);
  const programs = path.join(options.cacheFolder, 'programs');
  const made = compiler
    ? await Sandbox.create(compiler.path, harnessFolder, programs, environment).catch((error: Error) => error)
    : new Error('no host compiler');
  const sandbox = made instanceof Sandbox ? made : undefined;
  const checkers = sandbox && compiler && (await CheckerToolchain.create(compiler, sandbox, harnessFolder));
  const tools: Record<string, string> = {};
  const missing: InitializeResult['missing'] = [];
  const toolchains: Toolchain[] = [];

  const toolkit = nvcc && (await findToolkit(nvcc, signal));
  const nvccVersion = nvcc ? await versionOf(nvcc, signal) : undefined;
  if (nvccVersion) tools.nvcc = nvccVersion;
  const sanitizerVersion = await versionOf('compute-sanitizer', signal);
  if (sanitizerVersion) tools['compute-sanitizer'] = sanitizerVersion;
  if (devices.length === 0)
    missing.push({
      kind: 'cuda',
      reason:
        'no NVIDIA device: nvidia-smi is missing or names none (driver not loaded, or hidden by CUDA_VISIBLE_DEVICES)',
    });
  else if (!nvcc || !nvccVersion)
    missing.push({
      kind: 'cuda',
      reason: 'a device is there but no nvcc: install the CUDA toolkit, or set CUDA_HOME to where it is',
    });
  else if (!compiler) missing.push({ kind: 'cuda', reason: 'nvcc needs a host compiler: install g++' });
  else {
    await makeDeviceNodes(signal);
    const of = { sandbox, toolkit, hostCompiler: await hostCompilerOf(nvcc, signal) };
    for (const device of devices) toolchains.push(new CudaToolchain(nvcc, nvccVersion, device, harnessFolder, of));
  }
  const ncu = toolchains.length > 0 ? await findNcu(environment, toolkit) : undefined;
  if (ncu) tools.ncu = ncu.version;

  if (compiler) {
    tools[compiler.name] = compiler.version;
    for (const id of cpuDevices(environment))
      toolchains.push(await CpuToolchain.create(compiler, { ...options, sandbox, id }));
  } else
    missing.push({
      kind: 'cpu',
      reason:
        missingPlatform(process.platform) ??
        'no C++ compiler: install g++ (Debian, Ubuntu: apt-get install g++) or clang++',
    });

  const compilerAlone =
    nvcc && nvccVersion ? new CudaToolchain(nvcc, nvccVersion, NO_GPU, harnessFolder, { sandbox, toolkit }) : undefined;

  const builds = new Builds(path.join(options.cacheFolder, 'builds'));
  const compiling = new Flights<[string, string]>();
  const locks = new Map(toolchains.map(({ info }) => [info.id, new DeviceLock(info.id, environment.KS_LOCK_SCOPE)]));
  const toolsOf = async (toolchain: Toolchain, context: EvaluateContext): Promise<EvaluateTools> => {
    // Without what it takes to confine them, nothing hostile is started at all.
    if (!compiler || !sandbox || !checkers) throw made;
    const [keeper, host] = await compiling.share(toolchain.identity, context.signal, (shared) =>
      Promise.all([
        keeperProgram(compiler.path, harnessFolder, programs, shared),
        toolchain.hostProgram(programs, shared),
      ]),
    );
    await access(host);
    return {
      toolchain,
      programs: { keeper, host, sandbox },
      builds,
      checkers,
      deviceLock: locks.get(toolchain.info.id)!,
    };
  };

  // A verdict also says how its candidate was kept apart.
  const edition = `${await editionOf(options)} ${JSON.stringify(sandbox?.isolation)}`;
  const known = new KnownVerdicts(path.join(options.cacheFolder, 'verdicts'), edition);
  const targets = new Devices(toolchains);
  const evaluated = async (
    params: EvaluateParams,
    context: EvaluateContext,
    toolchain: Toolchain,
  ): Promise<Verdict> => {
    const tools = await toolsOf(toolchain, context);
    const others = new Others(toolchain, environment);
    const verdict = await evaluate(params, others.watching(context), tools);
    const shared = await others.warning();
    if (shared !== undefined) verdict.warnings.push(shared);
    return withIsolation(verdict, tools.programs.sandbox.isolation);
  };
  const absent = (choice: TargetChoice): string =>
    missing
      .filter((m) => choice === 'auto' || m.kind === choice)
      .map((m) => m.reason)
      .join('; ') || `no ${choice} target`;

  return {
    evaluator: {
      evaluate: async (params, context) => {
        const possible = targets.of(params.target);
        if (possible.length === 0) return bareVerdict('infrastructure', absent(params.target), params.mode);
        return known.answer(params, possible, context.signal, () =>
          targets.use(possible, async (toolchain) => evaluated(params, context, toolchain)),
        );
      },
      holders: async () => {
        const held = new Map<string, string>();
        for (const [device, lock] of locks) {
          const holder = await lock.holder();
          if (holder !== undefined) held.set(device, holder);
        }
        return held;
      },
      profile: async (params, context) => {
        const possible = targets.of(params.target).filter((t) => t instanceof CudaToolchain);
        if (possible.length === 0)
          return profile(params, context, withoutDevice(compilerAlone, builds, absent('cuda')));
        return targets.use(possible, async (toolchain) => {
          const of = await toolsOf(toolchain, context);
          return profile(params, context, await withDevice(toolchain, of, ncu, programs, context.signal));
        });
      },
      calibrate: async (params, context) => {
        const possible = targets.of(params.target);
        if (possible.length === 0)
          return {
            status: 'infrastructure',
            message: absent(params.target),
            emulated: false,
            diagnostics: [],
            outputs: [],
          };
        return targets.use(possible, async (toolchain) =>
          calibrate(params, context, await toolsOf(toolchain, context)),
        );
      },
    },
    abilities: {
      targets: toolchains.map((t) => t.info),
      missing,
      tools,
      profiling: tools.ncu ? 'unknown' : 'absent',
      isolation: sandbox?.isolation,
    },
  };
}
