// Profiling: the profiler as a process, what it says when it cannot, and the command as a person types it without a GPU.
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findNcu } from '../../remote-runner/profile/find-ncu.js';
import { Profiler } from '../../remote-runner/profile/ncu.js';
import { troubleOf } from '../../remote-runner/profile/trouble.js';
import type { Profile, ProfileParams } from '../../remote-runner/protocol.js';
import { cli } from '../support/cli-process.js';
import { buildDist } from '../support/dist.js';
import { recordedFacts, recordedPages } from '../support/recorded-profile.js';

const root = path.resolve(__dirname, '../..');
const cases = path.join(root, 'test/cases');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kernelseek-profile-'));
  return () => rm(folder, { recursive: true, force: true });
});

const params = (more: Partial<ProfileParams> = {}): ProfileParams => ({
  kind: 'profile',
  task: { task: {}, directory: '', original: [{ path: 'k.cu', text: '' }], files: [] },
  target: 'auto',
  set: 'detailed',
  ...more,
});

/** An installation of the stand-in below a toolkit folder. */
async function install(play: string, version = '2025.3.1'): Promise<string> {
  const target = path.join(folder, `toolkit/nsight-compute-${version}/target/linux-desktop-x64`);
  await mkdir(target, { recursive: true });
  await copyFile(path.join(root, 'test/support/fake-ncu.mjs'), path.join(target, 'fake.mjs'));
  await writeFile(path.join(target, 'ncu'), `#!/bin/sh\nexec "${process.execPath}" "${target}/fake.mjs" "$@"\n`);
  await chmod(path.join(target, 'ncu'), 0o755);
  await writeFile(path.join(target, 'play'), JSON.stringify({ play, fixtures: path.join(root, 'test/fixtures') }));
  return target;
}

async function profiler(): Promise<Profiler> {
  const ncu = await findNcu({}, path.join(folder, 'toolkit'));
  return new Profiler(ncu!, '/bin/true', { PATH: '/usr/bin:/bin' });
}

const call = (signal = new AbortController().signal) => ({
  library: '/nowhere.so',
  folder,
  confine: (command: { file: string; args: string[] }) => command,
  commands: () => '',
  input: 0,
  results: [1, 2] as const,
  signal,
});

describe('the profiler as a process', () => {
  test('the newest version is found, its program and not the script before it', async () => {
    await install('report', '2024.1.0');
    await install('report', '2024.10.0');
    const found = await findNcu({ CUDA_HOME: path.join(folder, 'toolkit') }, undefined);
    expect(found?.version).toBe('2024.10.0');
    expect(found?.file).toMatch(/target\/linux-desktop-x64\/ncu$/);
    expect(await findNcu({}, path.join(folder, 'nothing'))).toBeUndefined();
  });

  test('a report is made with the clocks left alone and read page by page', async () => {
    const target = await install('report');
    const of = await profiler();
    const asked = params({ kernel: 'ns::softmax<4>', launches: 2, metrics: ['dram__bytes_read.sum'] });
    const run = await of.profile(call(), asked, 60_000);
    expect(troubleOf(run, asked)).toBeUndefined();
    expect(run.messages.profiled).toHaveLength(3);
    expect(await of.pages(call(), run.report!)).toEqual(recordedPages());
    const [first] = (await readFile(path.join(target, 'calls'), 'utf8')).split('\n');
    const args = JSON.parse(first!) as string[];
    const after = (option: string): string | undefined => args[args.indexOf(option) + 1];
    expect(['--clock-control', '--set', '--kernel-name', '--launch-count', '--metrics'].map(after)).toEqual([
      ...['none', 'detailed', 'softmax', '2', 'dram__bytes_read.sum'],
    ]);
  });

  test.each([
    ['21-ncu-not-permitted/no-permission.txt', 'not-permitted', /on device 1.*NVreg_RestrictProfilingToAdminUsers=0/],
    ['21-ncu-not-permitted/failed-to-prepare.txt', 'failed-kernel', /gather_rows/],
    ['../fixtures/nvidia/ncu-no-kernel-matched.txt', 'no-match', /matmul_tiled, softmax_block_per_row, spilling/],
  ])('%s: %s, with the remedy that fits', async (file, kind, message) => {
    await install(path.join(cases, file));
    const run = await (await profiler()).profile(call(), params({ kernel: 'other' }), 60_000);
    const trouble = troubleOf(run, params({ kernel: 'other' }));
    expect(trouble).toMatchObject({ kind, message: expect.stringMatching(message) as string });
    if (kind !== 'not-permitted') expect(trouble!.message).not.toContain('NVreg');
  });

  test('one that does not end is ended, and cancelling ends it too', async () => {
    await install('hang');
    const run = await (await profiler()).profile(call(), params(), 300);
    expect(troubleOf(run, params())).toMatchObject({ kind: 'time' });
    const controller = new AbortController();
    const cancelled = (await profiler()).profile(call(controller.signal), params(), 60_000);
    controller.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
  });
});

describe('facts of a report', () => {
  test('lines of the task and of headers, with counters and mix; instructions beside them', () => {
    const { launches, instructions, warnings } = recordedFacts();
    expect(launches.map((l) => l.kernel.base)).toEqual(['softmax_block_per_row', 'matmul_tiled', 'spilling']);
    const [softmax] = launches;
    expect(new Set(softmax!.lines.map((l) => [l.file, l.isOfTask].join()))).toEqual(
      new Set(['softmax.cu,true', '/usr/local/cuda/targets/x86_64-linux/include/sm_30_intrinsics.hpp,false']),
    );
    const own = softmax!.lines.filter((l) => l.isOfTask);
    expect(own.reduce((sum, l) => sum + l.samples, 0)).toBe(4656);
    const line = own.find((l) => l.line === 17)!;
    expect(line).toMatchObject({ samples: 32, notIssued: 15, executed: 32768, mix: { LDC: 32768 } });
    expect(instructions.map((i) => [i.launch, i.rows.length])).toEqual([[0, 600]]);
    expect(warnings).toEqual([]);
  });

  test('only the kernel that was asked for', () => {
    expect(recordedFacts('matmul_tiled<32>').launches.map((l) => l.id)).toEqual([1]);
    expect(recordedFacts('matmul').launches).toEqual([]);
  });
});

describe('the command, without a GPU', () => {
  let dist: string;
  let remove: () => Promise<void>;
  let state: string;
  beforeAll(async () => {
    ({ dist, remove } = await buildDist());
    state = await mkdtemp(path.join(tmpdir(), 'kernelseek-state-'));
  });
  afterAll(async () => {
    await remove();
    await rm(state, { recursive: true, force: true });
  });
  const profile = (...args: string[]) =>
    cli(dist, state, ['profile', 'examples/reduce.task.json', ...args], { cwd: root });

  test('says what is missing, and what ptxas knows', async () => {
    const { code, stdout } = await profile('--json');
    expect(code).toBe(3);
    const told = JSON.parse(stdout) as Profile;
    expect(told).toMatchObject({ status: 'correct', trouble: { kind: 'no-device' }, launches: [] });
    expect(told.resources.map((r) => [r.name, r.registers > 0])).toEqual([
      ['sum_parts(float const*, float*, int)', true],
    ]);
  });

  test('names the scenarios when one is asked for that is not there', async () => {
    const { code, stdout } = await profile('--scenario', 'n=7');
    expect(code).toBe(2);
    expect(stdout).toMatch(/no scenario "n=7"; there are: n=/);
  });
});
