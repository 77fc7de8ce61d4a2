// What goes wrong around an evaluation, each against a real runner over a real WebSocket: a readable outcome, the next job is
// right, and no process, folder or open job is left.
import { randomUUID } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { EvaluateParams, Verdict } from '../../remote-runner/protocol.js';
import { LIMITS } from '../../remote-runner/protocol.js';
import { prepareTask, type PreparedTask } from '../../src/runner/prepare.js';
import { RunnerError, type RunnerConnection } from '../../src/runner/types.js';
import { bundle } from '../support/bundle.js';
import { root } from '../support/evaluations.js';
import { testParser } from '../support/grammar.js';
import { RunnerHome, until } from '../support/runner-process.js';

const MIB = 2 ** 20;
const files = new Map<string, Uint8Array>();
let home: RunnerHome;
let task: PreparedTask;
let client: RunnerConnection;

beforeAll(async () => {
  const parser = await testParser();
  task = await prepareTask(path.join(root, 'test/faults/affine.task.json'), {
    parser: () => Promise.resolve(parser),
    root,
  });
  home = await RunnerHome.create(await bundle('remote-runner/main.ts'));
  await home.start();
  client = await home.connect();
  await expectGood();
});
afterAll(() => home.dispose());
afterEach(async () => {
  await expectGood();
  await home.clean();
});

const head = '#include <cuda_runtime.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n';
const kernel = `__global__ void k(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + 1.f;
}
`;
const launch = 'k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n);';
const entry = (body: string): string =>
  `${head}${kernel}extern "C" void affine(const float* x, float* y, float a, int n, cudaStream_t stream) { ${body} }\n`;

function paramsOf(text: string, fresh = true): EvaluateParams {
  const [source] = task.wire.original;
  const { task: whole } = task.wire;
  return {
    kind: 'evaluate',
    task: { ...task.wire, task: { ...(whole as object), scenarios: [{ n: 1001 }] } },
    candidate: [{ path: source!.path, text }],
    target: 'cpu',
    mode: 'first',
    fresh,
  };
}

/** The verdict; where the runner itself failed, what it said as one. */
async function outcome(
  text: string,
  job = randomUUID() as string,
): Promise<Pick<Verdict, 'status' | 'message' | 'output' | 'target'>> {
  try {
    const result = await client.run(job, paramsOf(text), files, {});
    if (result.kind === 'verdict') return result.verdict;
    throw new Error('a calibration');
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'infrastructure') {
      return { status: 'infrastructure', message: error.message };
    }
    throw error;
  }
}

async function expectGood(): Promise<void> {
  expect(await outcome(entry(launch))).toMatchObject({ status: 'correct' });
}

/** A client that sees its connections end again and again gives the runner up: each runner gets a new one. */
async function restart(options?: Parameters<RunnerHome['start']>[0]): Promise<void> {
  await home.end();
  await home.start(options);
  client = await home.connect();
}

/** Kills the runner's processes whose program has this name, until `work` has an end. */
async function killing<T>(name: RegExp, work: Promise<T>): Promise<T> {
  let hasEnded = false;
  const ended = work.finally(() => (hasEnded = true));
  let killed = 0;
  while (!hasEnded) {
    await sleep(200);
    for (const { pid, command } of home.processes()) {
      if (!name.test(command.split(' ', 1)[0] ?? '')) continue;
      process.kill(pid, 'SIGKILL');
      killed += 1;
    }
  }
  expect(killed).toBeGreaterThan(0);
  return ended;
}

/** Resolves once the runner has a process whose program has this name. */
const running = (name: RegExp): Promise<void> =>
  until(() => home.processes().some(({ command }) => name.test(command.split(' ', 1)[0] ?? '')));

describe('a candidate', () => {
  test('that writes to an illegal address', async () => {
    expect(await outcome(entry(`${launch} *(volatile int*)8 = 1;`))).toMatchObject({ status: 'crash' });
  });

  test('that does not end', async () => {
    const verdict = await outcome(entry('for (volatile int go = 1; go;) {}'));
    expect(verdict).toMatchObject({ status: 'timeout', message: expect.stringContaining('it was killed') as string });
  });

  test('that asks for more memory than there is', async () => {
    const verdict = await outcome(entry(`void* p; cudaMalloc(&p, 1ull << 50); ${launch}`));
    expect(verdict).toMatchObject({ status: 'out_of_memory' });
  });

  test('that prints 64 MiB', async () => {
    const before = home.memory;
    const block = `static char b[1 << 20]; static int done; for (int i = 0; i < 1 << 20; ++i) b[i] = 'x';`;
    const body = `${block} if (!done++) for (int i = 0; i < 64; ++i) fwrite(b, 1, sizeof b, stdout); fflush(stdout); ${launch}`;
    const verdict = await outcome(entry(`${body} if (done) abort();`));
    expect(verdict.status).toBe('crash');
    expect(verdict.output).toMatch(/x{1000}$/);
    expect(verdict.output!.length).toBeLessThanOrEqual(LIMITS.output + 64);
    expect(home.memory - before).toBeLessThan(150 * MIB);
  });

  test('that starts processes without end', async () => {
    // Each of them ends by itself in the end: where nothing else stops them, the machine of the test must live.
    const verdict = await outcome(entry('for (;;) if (fork() == 0) { setsid(); alarm(8); }'));
    expect(['timeout', 'crash', 'out_of_memory', 'finding']).toContain(verdict.status);
  });

  test('whose worker is killed', async () => {
    const spins = '__attribute__((constructor)) static void spin() { for (volatile int go = 1; go;) {} }\n';
    const verdict = await killing(/\/host-cpu-/, outcome(spins + entry(launch)));
    // Which of the two it hits first is chance; with the original's gone, none can be judged.
    expect(['out_of_memory', 'task_error']).toContain(verdict.status);
    expect(verdict.message).toContain('the system killed it');
  });
});

describe('a compiler', () => {
  test('that is killed in the middle', async () => {
    const slow =
      'constexpr unsigned long slow(unsigned long n) { unsigned long s = 0; for (unsigned long i = 0; i < n; ++i) s += i * s + 1; return s; }\n' +
      Array.from({ length: 20 }, (_, i) => `static_assert(slow(${3_000_000 + i}) != 3);\n`).join('');
    const verdict = await killing(/\/cc1plus$/, outcome(slow + entry(launch)));
    expect(verdict.status, verdict.message).toBe('infrastructure');
    expect(verdict.message).toContain('g++ was killed');
  });

  test('that is missing', async () => {
    const compiler = { PATH: '/nowhere', CXX: '' };
    await restart({ env: compiler });
    const verdict = await outcome(entry(launch));
    expect(verdict).toMatchObject({
      status: 'infrastructure',
      message: expect.stringContaining('install g++') as string,
    });
    await home.clean();
    await restart();
  });
});

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
test.skipIf(!canMount)('a disk that is full, and has room again [needs user namespaces]', async () => {
  const mounts = ['run', 'jobs'].map(
    (name) => `mount -t tmpfs -o size=24m,mode=700 none ${path.join(home.state, name)}`,
  );
  await restart({ under: ['unshare', '-rm', 'sh', '-c', `${mounts.join(' && ')} && exec "$@"`, 'sh'] });
  const seen = (name: string): string => `/proc/${home.pid}/root${path.join(home.state, name)}`;
  await expectGood();
  for (const left of [0, 20_000]) {
    for (const name of ['run', 'jobs']) {
      await writeFile(path.join(seen(name), 'filler'), Buffer.alloc(24 * MIB)).catch(() => undefined);
      if (left > 0) spawnSync('truncate', ['-s', `-${left}`, path.join(seen(name), 'filler')]);
    }
    const job = `full-${left}`;
    // Another text each time: what was built before needs no room.
    const verdict = await outcome(entry(`/* ${left} */ ${launch}`), job);
    expect(verdict.status, verdict.message).toBe('infrastructure');
    expect(verdict.message).toMatch(/ENOSPC|full|no space/i);
    for (const name of ['run', 'jobs']) await rm(path.join(seen(name), 'filler'));
  }
  await expectGood();
  expect(await readdir(path.join(seen('run'), (await readdir(seen('run')))[0]!, 'jobs'))).toEqual([]);
  await restart();
});

test('a clock that jumps by days, back and forth', async () => {
  const jump = path.join(home.folder, 'jump.js');
  await writeFile(
    jump,
    `const now = Date.now; let calls = 0;
     Date.now = () => now() + (calls++ % 2 === 0 ? 3 : -3) * 24 * 3600 * 1000;
     globalThis.Date = class extends Date { constructor(...a) { if (a.length > 0) super(...a); else super(Date.now()); } };`,
  );
  await restart({ node: ['--require', jump] });
  expect(await outcome(entry('for (volatile int go = 1; go;) {}'))).toMatchObject({ status: 'timeout' });
  await expectGood();
  await home.clean();
  await restart();
});

test('no limit of time hangs on the clock of the day', async () => {
  // Ages of files and the times that people read: nothing else may ask for the date.
  const allowed = /(?:jobs\/(?:journal|files)|evaluate\/(?:builds|known-verdicts|evaluate)|remote-runner\/log)\.ts$/;
  for (const folder of ['remote-runner', 'src/runner']) {
    for (const entry of await readdir(path.join(root, folder), { recursive: true })) {
      if (!entry.endsWith('.ts') || entry.endsWith('.test.ts')) continue;
      const file = path.join(root, folder, entry);
      if (/\bDate\b\s*[.(]/.test(await readFile(file, 'utf8'))) expect(file).toMatch(allowed);
    }
  }
});

test('500 jobs at once, all of them the same candidate: one evaluation, 500 verdicts', async () => {
  const text = entry(`/* ${randomUUID()} */ ${launch}`);
  const ids = Array.from({ length: 500 }, (_, i) => `many-${i}`);
  const results = await Promise.all(ids.map((id) => client.run(id, paramsOf(text, false), files, {})));
  const verdicts = results.flatMap((r) => (r.kind === 'verdict' ? [r.verdict] : []));
  expect(verdicts.filter((v) => v.status === 'correct')).toHaveLength(500);
  const evaluated = verdicts.filter((v) => v.fromStore === undefined);
  expect(evaluated).toHaveLength(1);
  expect(new Set(verdicts.map((v) => v.provenance?.seed))).toEqual(new Set([evaluated[0]?.provenance?.seed]));
});

test('two devices are used at the same time, an evaluation each', async () => {
  await restart({ env: { KS_CPU_DEVICES: '2' } });
  expect((await home.connect()).about.targets.map((t) => t.id)).toEqual(['cpu0', 'cpu1']);
  const endless = entry('for (volatile int go = 1; go;) {}');
  const both = await Promise.all([outcome(endless), outcome(endless)]);
  expect(both.map((v) => v.status)).toEqual(['timeout', 'timeout']);
  expect(both.map((v) => v.target?.id).sort()).toEqual(['cpu0', 'cpu1']);
  await home.clean();
  await restart();
});

test('two clients with one job id get one run; one of them does not read', async () => {
  const sameText = entry(`/* ${randomUUID()} */ ${launch}`);
  const stalled = await home.raw();
  stalled.ws.pause();
  for (let i = 0; i < 100; i += 1) void stalled.submit(`stalled-${i}`, paramsOf(sameText, false));
  const ids = ['shared', 'shared'];
  const second = await home.connect();
  const [one, two] = await Promise.all([client, second].map((c, i) => c.run(ids[i]!, paramsOf(sameText), files, {})));
  expect(one).toEqual(two);
  stalled.ws.resume();
  const last = await Promise.all(Array.from({ length: 100 }, (_, i) => stalled.last(`stalled-${i}`)));
  expect(last.every((e) => e.event.type === 'verdict')).toBe(true);
  stalled.ws.terminate();
});

test('a runner that is killed while it compiles and while it runs: one verdict each, nothing left', async () => {
  // Of its own: one whose connections end again and again gives the runner up.
  client = await home.connect();
  const endless = outcome(entry('for (volatile int go = 1; go;) {}'), 'endless');
  await running(/\/host-cpu-/);
  await home.end('SIGKILL');
  await home.start();
  expect(await endless).toMatchObject({ status: 'timeout' });
  const text = entry(`/* ${randomUUID()} */ ${launch}`);
  const compiled = outcome(text, 'compiled');
  await running(/\/cc1plus$/);
  await home.end('SIGKILL');
  await home.start();
  expect(await compiled).toMatchObject({ status: 'correct' });
  const again = await client.run('compiled', paramsOf(text), files, {});
  expect(again).toMatchObject({ kind: 'verdict', verdict: await compiled });
});
