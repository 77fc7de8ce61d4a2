// The CPU target on another processor: cross-compiled for aarch64 and run by qemu-user. Skipped where either is missing.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformFlags } from '../../remote-runner/targets/cpu/platform.js';
import { prepareJob } from '../../remote-runner/targets/cpu/prepare.js';

const COMPILER = 'aarch64-linux-gnu-g++';
const QEMU = 'qemu-aarch64-static';
const missing = [COMPILER, QEMU].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
if (missing.length > 0)
  console.log(
    `aarch64 is not tested: ${missing.join(' and ')} missing (apt-get install g++-aarch64-linux-gnu qemu-user-static)`,
  );

describe.skipIf(missing.length > 0)('on aarch64', () => {
  const harness = path.resolve('remote-runner/harness/cpu');
  const flags = platformFlags('linux', 'arm64', 'g++');
  let folder: string;
  let headers: Set<string>;

  const compile = (args: string[]): void => {
    execFileSync(COMPILER, ['-std=c++17', '-O2', '-ffp-contract=off', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-aarch64-'));
    headers = new Set(await readdir(path.join(harness, 'include'), { recursive: true }));
    const sources = (await readdir(path.join(harness, 'runtime'))).filter((n) => n.endsWith('.cpp'));
    compile([
      ...['-shared', '-fPIC', '-fvisibility=hidden', ...flags.stacks, '-pthread'],
      ...sources.map((n) => path.join(harness, 'runtime', n)),
      ...['-o', path.join(folder, 'libks.so'), ...flags.runtime('libks.so')],
    ]);
    compile([
      ...[path.resolve('test/cpu/driver.cpp'), '-o', path.join(folder, 'driver'), '-Wl,--no-as-needed'],
      ...[path.join(folder, 'libks.so'), ...flags.host],
    ]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('builds the host program', () => {
    const host = path.join(folder, 'host');
    const own = [path.resolve(harness, '../host.cpp'), '-o', host, path.join(folder, 'libks.so'), ...flags.host];
    compile(['-I', path.join(harness, 'include'), ...own, '-pthread']);
    // Without commands it ends at once.
    const run = spawnSync(QEMU, ['-L', '/usr/aarch64-linux-gnu', host], { input: '', timeout: 60_000 });
    expect(run.signal).toBeNull();
  });

  it.each(['language.cu', 'fibres.cu', 'numbers.cu'])(
    'runs %s',
    async (name) => {
      const work = path.join(folder, name);
      await mkdir(work);
      const trampoline =
        `#include <cuda_runtime.h>\n#define main ks_main_of_the_file\n#include "${name}"\n` +
        'extern "C" __attribute__((visibility("default"))) int ks_call_0(void**, void*) { run_checks(); return cudaPeekAtLastError(); }\n';
      const prepared = await prepareJob(
        {
          sources: [{ path: name, text: await readFile(path.join('test/cpu', name), 'utf8') }],
          files: [],
          directory: '',
          trampoline,
          build: {
            arch: 'auto',
            std: 'c++17',
            flags: [],
            define: {},
            include: [],
            link: [],
            trace: [],
            timeoutMs: 60_000,
          },
          folder: work,
          signal: new AbortController().signal,
        },
        headers,
      );
      if (prepared.status !== 'ready') throw new Error(JSON.stringify(prepared));
      const library = path.join(work, 'candidate.so');
      compile([
        ...[
          '-x',
          'c++',
          '-shared',
          '-fPIC',
          '-fvisibility=hidden',
          '-fno-finite-loops',
          ...flags.fast,
          ...prepared.flags,
        ],
        ...['-std=gnu++17', '-D__CUDACC__=1', '-D__KERNELSEEK_CPU__=1', ...prepared.macros.map((m) => `-D${m}=1`)],
        ...['-Wno-attributes', '-I', path.join(harness, 'include'), '-include', 'cuda_runtime.h'],
        ...[path.join(prepared.work, 'ks_trampoline.cu'), '-x', 'none', '-o', library],
        ...[...flags.library, path.join(folder, 'libks.so'), '-pthread'],
      ]);
      const run = spawnSync(QEMU, ['-L', '/usr/aarch64-linux-gnu', path.join(folder, 'driver'), library], {
        encoding: 'utf8',
        env: { KS_CPU_THREADS: '2' },
        timeout: 100_000,
      });
      expect(run.stdout.split('\n').filter((l) => l.includes('FAILED'))).toEqual([]);
      expect(run.stdout).toContain('0 failures\nerror 0');
    },
    120_000,
  );
});
