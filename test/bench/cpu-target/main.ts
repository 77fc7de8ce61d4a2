// `npm run bench:cpu-target [ROUNDS]`: what the CPU target costs, side by side in one run. Every ratio is of calls made in turn in one
// process (compilers: one after the other), given as the median with the 95 % interval of the sign test.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { medianInterval, type Interval } from '../../../remote-runner/evaluate/statistics.js';
import { findCpuCompiler } from '../../../remote-runner/targets/cpu/compiler.js';
import { platformFlags } from '../../../remote-runner/targets/cpu/platform.js';
import { CpuToolchain } from '../../../remote-runner/targets/cpu/toolchain.js';

const here = path.resolve('test/bench/cpu-target');
const harnessFolder = path.resolve('remote-runner/harness');
const ROUNDS = Number(process.argv[2] ?? 25);
const LEVEL = '-O3';
const signal = new AbortController().signal;

const run = (file: string, args: string[], env: NodeJS.ProcessEnv = process.env): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${file} ended with ${code}`))));
  });

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const ratio = (logs: number[]): Interval => {
  const { value, low, high } = medianInterval(logs, 0.95);
  return { value: Math.exp(value), low: Math.exp(low), high: Math.exp(high) };
};
const show = (i: Interval, digits = 2): string =>
  `${i.value.toFixed(digits)} [${i.low.toFixed(digits)}, ${i.high.toFixed(digits)}]`;

async function main(): Promise<void> {
  const compiler = await findCpuCompiler(process.env);
  if (!compiler) throw new Error('no C++ compiler: install g++');
  const flags = platformFlags(process.platform, process.arch, compiler.name);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-bench-'));
  try {
    const cores = os.cpus();
    console.log(
      `${cores[0]?.model.trim() ?? os.arch()}, ${cores.length} cores, ${compiler.name} ${compiler.version}, ${LEVEL}`,
    );
    console.log(`load ${os.loadavg()[0]!.toFixed(1)} at the start; ${ROUNDS} rounds; median [95 % interval]\n`);

    const cacheFolder = path.join(folder, 'cache');
    const toolchain = await CpuToolchain.create(compiler, { harnessFolder, cacheFolder, environment: process.env });
    const programs = path.join(cacheFolder, 'programs');
    const cold = await timed(() => toolchain.hostProgram(programs, signal));
    const warm = await timed(() => toolchain.hostProgram(programs, signal));

    let builds = 0;
    const build = async (name: string, text?: string): Promise<string> => {
      const source = text ?? (await readFile(path.join(here, name), 'utf8'));
      const result = await toolchain.build({
        sources: [{ path: name, text: source }],
        files: [{ path: 'cases.h', stored: path.join(here, 'cases.h') }],
        directory: '',
        trampoline: `#include "${name}"\n`,
        build: {
          arch: 'auto',
          std: 'c++17',
          flags: [LEVEL],
          define: {},
          include: [],
          link: [],
          trace: [],
          timeoutMs: 120_000,
        },
        folder: path.join(folder, `build-${builds++}`),
        signal,
      });
      if (result.status !== 'built') throw new Error(JSON.stringify(result));
      return result.library;
    };
    const library = path.join(folder, 'hand.so');
    const byHand = (source: string, ...more: string[]): Promise<string> =>
      run(compiler.path, [
        ...['-std=c++17', LEVEL, ...flags.native, ...flags.fast, '-ffp-contract=off', '-fno-finite-loops'],
        ...['-shared', '-fPIC', '-fvisibility=hidden', '-I', here, source, '-o', library, ...more],
      ]);
    const kernels = await build('kernels.cu');
    const waits = await build('waits.cu');
    await byHand(path.join(here, 'openmp.cpp'), '-fopenmp');
    const driver = path.join(folder, 'driver');
    const runtime = path.join(programs, `libks-cpu-${toolchain.key}.so`);
    await run(compiler.path, [
      ...['-std=c++17', '-O2', '-I', here, path.join(here, 'driver.cpp'), '-o', driver],
      ...['-Wl,--no-as-needed', runtime, `-Wl,-rpath,${programs}`, '-ldl'],
    ]);
    /** Milliseconds of both libraries, call by call. */
    const pairs = async (rounds: number, first: string, second: string, name: string): Promise<[number, number][]> => {
      const lines = (await run(driver, [String(rounds), first, second, name])).trim().split('\n');
      const wrong = lines.find((l) => l.endsWith('differs'));
      if (wrong !== undefined) throw new Error(`${name}: both compute something else`);
      return lines.map((l) => l.split(' ').slice(1).map(Number) as [number, number]);
    };

    console.log('Kernels without barriers: speed beside the same loops by hand with OpenMP, same compiler and flags');
    for (const name of ['saxpy', 'scale', 'stencil', 'gelu', 'softmax_row', 'gemm', 'mandelbrot', 'histogram']) {
      const times = await pairs(ROUNDS, kernels, library, name);
      const speed = ratio(times.map(([emulated, hand]) => Math.log(hand / emulated)));
      const [emulated, hand] = [0, 1].map(
        (i) =>
          medianInterval(
            times.map((t) => t[i]!),
            0.95,
          ).value,
      ) as [number, number];
      console.log(`  ${name.padEnd(12)} ${show(speed)}×   ${emulated.toFixed(2)} ms, by hand ${hand.toFixed(2)} ms`);
    }

    const workers = Math.min(Number(process.env.KS_CPU_THREADS ?? cores.length), 24);
    console.log('\nOne wait of one thread, in ns of one core');
    for (const name of ['barriers_32', 'barriers_256', 'barriers_1024', 'shuffles_32', 'shuffles_1024', 'warps_1024']) {
      const threads = Number(name.split('_')[1]) * 32 * 100;
      const times = (await pairs(ROUNDS, waits, waits, name)).flat();
      console.log(
        `  ${name.padEnd(14)} ${show(
          medianInterval(
            times.map((ms) => (ms * 1e6 * workers) / threads),
            0.95,
          ),
          1,
        )}`,
      );
    }
    const large = (await pairs(2, waits, waits, 'large')).flat();
    console.log(
      `4,096 blocks of 1,024 threads with 32 barriers: ${show(medianInterval(large, 0.95), 0)} ms, ${large.length} calls`,
    );
    const nothing = (await pairs(ROUNDS, waits, waits, 'nothing')).flat();
    console.log(
      `A launch of one warp that does nothing: ${show(
        medianInterval(
          nothing.map((ms) => ms * 1e3),
          0.95,
        ),
        1,
      )} µs`,
    );

    console.log('\nCompile time beside plain host code with the same loops, same compiler and flags');
    const small = path.join(here, 'saxpy.cpp');
    for (const [source, hand] of [
      ['kernels.cu', path.join(here, 'openmp.cpp')],
      ['saxpy.cu', small],
    ] as const) {
      const logs: number[] = [];
      const mine: number[] = [];
      for (let i = 0; i < Math.min(ROUNDS, 15); i++) {
        const both = [() => build(source), () => byHand(hand)];
        const taken: number[] = [];
        for (const turn of i % 2 ? [1, 0] : [0, 1]) taken[turn] = await timed(both[turn]!);
        logs.push(Math.log(taken[0]! / taken[1]!));
        mine.push(taken[0]!);
      }
      console.log(
        `  ${source.padEnd(12)} ${show(ratio(logs))}×   ${show(medianInterval(mine, 0.95), 0)} ms, ${logs.length} pairs`,
      );
    }

    const starts: number[] = [];
    for (let i = 0; i < 11; i++) starts.push(await timed(() => run(driver, ['0', waits, waits, 'nothing'])));
    console.log(
      `\nRuntime and host program: ${(cold / 1000).toFixed(1)} s once per machine, ${warm.toFixed(1)} ms when they are there`,
    );
    console.log(
      `A process that loads a library and makes its first launch: ${show(medianInterval(starts, 0.95), 0)} ms`,
    );
    console.log(`\nload ${os.loadavg()[0]!.toFixed(1)} at the end`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

void main();
