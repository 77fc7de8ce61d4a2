// A whole session through its real process, a real runner and the test model server: from prompt to applied best, with
// everything on the way that goes wrong on real roads, and a kill in the middle.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { applyBest, bestSources } from '../../src/cli/best.js';
import { SessionClient } from '../../src/session/client.js';
import type { TraceEvent } from '../../src/session/events.js';
import type { SessionState } from '../../src/session/fold.js';
import { fold } from '../../src/session/fold.js';
import type { StartParams } from '../../src/session/protocol.js';
import { listSessions } from '../../src/session/sessions.js';
import { readTrace } from '../../src/session/trace.js';
import type { MessagesServer, Reply, Script } from '../support/messages-server.js';
import { latestResults, messagesServer } from '../support/messages-server.js';
import { toldIn } from '../support/rounds-task.js';
import { sessionBundle } from '../support/product.js';

const KEY = 'sk-secret-4f9c2b7d1e8a';

/** Adds up in many rounds what one round gives; no rounds at all give zero. */
const KERNEL = `#include <cuda_runtime.h>

constexpr int ROUNDS = 256;

__global__ void mean_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int r = 0; r < ROUNDS; ++r) sum += x[i];
  y[i] = ROUNDS > 0 ? sum / ROUNDS : 0.0f;
}

void mean(const float* x, float* y, int n) { mean_kernel<<<(n + 127) / 128, 128>>>(x, y, n); }
`;

const TASK = {
  source: 'mean.cu',
  entry: 'mean',
  arguments: [
    { name: 'x', type: 'const float*', shape: ['n'], fill: 'normal' },
    { name: 'y', type: 'float*', shape: ['n'], role: 'output', tolerance: { rtol: 1e-3, atol: 1e-4 } },
    { name: 'n', type: 'int' },
  ],
  scenarios: [{ n: 100_000 }],
};

let workspace: string;
let server: MessagesServer | undefined;
const clients: SessionClient[] = [];
const log: string[] = [];

beforeEach(async () => {
  workspace = await mkdtemp(path.join(os.tmpdir(), 'ks-workspace-'));
  execFileSync('git', ['init', '-q'], { cwd: workspace });
  await mkdir(path.join(workspace, 'kernels'));
  await writeFile(path.join(workspace, 'kernels/mean.cu'), KERNEL);
  await writeFile(path.join(workspace, 'kernels/mean.task.json'), JSON.stringify(TASK));
  log.length = 0;
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((c) => c.kill()));
  await server?.close();
  server = undefined;
  vi.unstubAllEnvs();
  await rm(workspace, { recursive: true, force: true });
});

async function client(): Promise<SessionClient> {
  const made = new SessionClient({ bundle: await sessionBundle(), log: (line) => void log.push(line) });
  clients.push(made);
  return made;
}

function params(more: Partial<StartParams> = {}): StartParams {
  return {
    task: path.join(workspace, 'kernels/mean.task.json'),
    target: 'cpu',
    runner: {},
    model: { key: KEY, ...(server && { baseUrl: server.url }), name: 'test-model' },
    budget: { evaluations: 5, minutes: 10 },
    ...more,
  };
}

const call = (name: string, input: Record<string, unknown>): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });
const rounds = (from: number, to: number): Reply =>
  call('edit', { path: 'kernels/mean.cu', old: `ROUNDS = ${from};`, new: `ROUNDS = ${to};` });

/** Tries no rounds; told that this is wrong, tries one; told that this is correct and the best, finishes. */
const agent: Script = (request) => {
  const last = latestResults(request).at(-1);
  if (toldIn(request).includes('Call ask')) return call('ask', { question: 1, answer: 'as the verdicts say' });
  const said = JSON.stringify(request.messages);
  // Its wish to stop is met by more than one question.
  const won = /speedup over the original: ([\d.]+)×[^"]*confirmed in fresh processes/.exec(said)?.[1];
  if (last === 'go on' && won !== undefined) return call('finish', { reason: `${won} is enough` });
  if (last === undefined || (last === 'go on' && !said.includes('ROUNDS = 256')))
    return call('view', { path: 'kernels/mean.cu' });
  if (last.includes('ROUNDS = 256')) return rounds(256, 0);
  if (last.startsWith('edited'))
    return call('evaluate', { note: said.includes('ROUNDS = 1;') ? 'one round' : 'no rounds' });
  if (/^c\d+: wrong/.test(last)) return rounds(0, 1);
  if (/^c\d+: correct/.test(last) && won !== undefined) return call('finish', { reason: `${won} is enough` });
  throw new Error(`the agent does not know what to make of: ${last}`);
};

const of = <T extends TraceEvent['type']>(events: TraceEvent[], type: T): Extract<TraceEvent, { type: T }>[] =>
  events.filter((e): e is Extract<TraceEvent, { type: T }> => e.type === type);

/** Every file below a folder, git objects inflated by git itself where there are any. */
async function everythingIn(folder: string): Promise<string> {
  const parts: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) parts.push(await readFile(path.join(entry.parentPath, entry.name), 'latin1'));
    if (entry.isDirectory() && entry.name === 'candidates.git') {
      const git = path.join(entry.parentPath, entry.name);
      parts.push(execFileSync('git', ['--git-dir', git, 'log', '--all', '-p']).toString());
    }
  }
  return parts.join('\n');
}

/** Processes whose command line names our runner bundle. */
async function runners(): Promise<string[]> {
  const bundle = path.join(path.dirname(await sessionBundle()), 'runner.js');
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (line.includes(bundle)) found.push(pid);
  }
  return found;
}

describe('a session through its own process', { timeout: 180_000 }, () => {
  test('from prompt to applied best, past a rate limit, a broken stream and a malformed call', async () => {
    let faults = 0;
    server = await messagesServer(KEY, (request, count) => {
      if (count === 2) return (faults++, { fault: 'status', status: 429, headers: { 'retry-after': '0.1' } });
      if (count === 3) return (faults++, { fault: 'drop', blocks: [{ type: 'text', text: 'I will now edit the' }] });
      const results = latestResults(request);
      if (count === 4)
        return (faults++, { blocks: [{ type: 'tool_use', name: 'edit', json: '{"path": "kernels/me' }] });
      if (results[0]?.includes('not a JSON object')) return rounds(256, 0);
      return agent(request, count);
    });
    vi.stubEnv('ANTHROPIC_API_KEY', KEY);
    const session = await client();
    const events: TraceEvent[] = [];
    session.onEvent((e) => events.push(e));
    const place = await session.start(params());
    expect(await session.exited).toEqual({ code: 0, signal: null });
    expect(faults).toBe(3);

    const trace = await readTrace(place.folder);
    expect(trace.events).toEqual(events);
    const state = fold(events) as SessionState;
    expect(state.finished).toMatchObject({
      reason: 'agent',
      best: 'c2',
      message: expect.stringMatching(/^[\d.]+ is enough$/),
    });
    expect(state.strategy).toBe('ask');
    expect(state.candidates.map((c) => [c.note, c.first?.status])).toEqual([
      ['no rounds', 'wrong'],
      ['one round', 'correct'],
    ]);
    expect(state.candidates[1]?.confirmed).toMatchObject({ mode: 'confirm', faster: true, emulated: true });
    expect(state.troubles.map((t) => t.message)).toEqual([
      expect.stringContaining('rate limit'),
      expect.stringMatching(/broke off|cannot be reached/),
    ]);

    const best = await bestSources(place.folder, state);
    if (!best) throw new Error('no best');
    expect(await applyBest(workspace, best)).toEqual([path.join(workspace, 'kernels/mean.cu')]);
    const applied = await readFile(path.join(workspace, 'kernels/mean.cu'), 'utf8');
    expect(applied).toBe(KERNEL.replace('ROUNDS = 256', 'ROUNDS = 1'));

    // The user's repository knows nothing of it, and the key is nowhere.
    const status = execFileSync('git', ['status', '--porcelain'], { cwd: workspace }).toString();
    expect(status).not.toContain('.kernelseek');
    expect(await everythingIn(path.join(workspace, '.kernelseek'))).not.toContain(KEY);
    expect(log.join('\n')).not.toContain(KEY);
    expect(JSON.stringify(server.requests)).not.toContain(KEY);
    await vi.waitFor(async () => expect(await runners()).toEqual([]), 10_000);
  });

  test('killed in mid-evaluation, it goes on: nothing is paid for twice, the conversation continues', async () => {
    server = await messagesServer(KEY, agent);
    const first = await client();
    const place = await new Promise<{ session: string; folder: string }>((resolve, reject) => {
      let candidates = 0;
      first.onEvent((e) => {
        if (e.type === 'candidate' && ++candidates === 2) void first.kill();
      });
      first.start(params()).then(resolve, reject);
    });
    expect(await first.exited).toMatchObject({ signal: 'SIGKILL', message: expect.stringContaining('SIGKILL') });
    // The runner it had started ends with it.
    await vi.waitFor(async () => expect(await runners()).toEqual([]), 10_000);
    const before = await readTrace(place.folder);
    expect(await listSessions(workspace)).toMatchObject([{ session: place.session, running: false }]);

    const second = await client();
    const told: TraceEvent[] = [];
    second.onEvent((e) => told.push(e));
    const third = await client();
    await second.resume({ ...params(), session: place.folder, budget: undefined });
    // One process drives a session.
    await expect(third.resume({ ...params(), session: place.folder })).rejects.toThrow(
      /another process .* drives this session/,
    );
    expect(await second.exited).toEqual({ code: 0, signal: null });

    const { events } = await readTrace(place.folder);
    expect(events.slice(0, before.events.length)).toEqual(before.events);
    expect(told).toEqual(events.slice(before.events.length));
    // A noisy machine measures it twice, but not anew after the kill.
    expect(of(events, 'baseline')).toEqual(of(before.events, 'baseline'));
    expect(of(events, 'prompt').filter((e) => e.moment === undefined)).toHaveLength(1);
    expect(of(events, 'candidate').map((e) => e.id)).toEqual(['c1', 'c2']);
    expect(of(events, 'verdict').map((e) => `${e.candidate} ${e.verdict.mode}`)).toEqual([
      'c1 first',
      'c2 first',
      'c2 confirm',
    ]);
    expect(of(events, 'model')).toHaveLength(server.requests.length);
    expect(of(events, 'finished')).toMatchObject([{ reason: 'agent', best: 'c2' }]);
    expect(await everythingIn(path.join(workspace, '.kernelseek'))).not.toContain(KEY);
  });

  test('stopped, and left by closing its pipe, it ends with what it has', async () => {
    server = await messagesServer(KEY, (request, count) => (count < 4 ? agent(request, count) : { fault: 'hang' }));
    for (const leave of [(c: SessionClient) => c.stop(), (c: SessionClient) => c.close()]) {
      server.requests.length = 0;
      const session = await client();
      const hangs = new Promise<void>((resolve) =>
        session.onEvent((e) => {
          if (e.type === 'tool' && e.name === 'edit') resolve();
        }),
      );
      const place = await session.start(params());
      await hangs;
      await leave(session);
      expect(await session.exited).toEqual({ code: 0, signal: null });
      const { events } = await readTrace(place.folder);
      expect(events.at(-1)).toMatchObject({ type: 'finished', reason: 'stopped' });
    }
    await vi.waitFor(async () => expect(await runners()).toEqual([]), 10_000);
  });

  test('without a key it searches constants, on the same path', async () => {
    const tunables = { ROUNDS: [64, 128, 256, 512] };
    await writeFile(path.join(workspace, 'kernels/mean.task.json'), JSON.stringify({ ...TASK, tunables }));
    const session = await client();
    const place = await session.start(params({ model: {}, budget: { evaluations: 2, minutes: 10 }, seed: 3 }));
    expect(await session.exited).toMatchObject({ code: 0 });
    const state = fold((await readTrace(place.folder)).events) as SessionState;
    expect(state).toMatchObject({ strategy: 'tune', seed: 3, evaluations: 2, finished: { reason: 'budget' } });
    expect(state.candidates[0]).toMatchObject({ author: 'search', configuration: expect.objectContaining({}) });
  });
});

describe('what cannot be', () => {
  test('a task that is wrong, a session that is not there, a missing model: each is said, without the key', async () => {
    await writeFile(path.join(workspace, 'kernels/bad.task.json'), JSON.stringify({ ...TASK, source: 'absent.cu' }));
    const bad = params({ task: path.join(workspace, 'kernels/bad.task.json') });
    await expect((await client()).start(bad)).rejects.toThrow(/absent\.cu/);
    const nowhere = { ...params(), session: path.join(workspace, '.kernelseek/sessions/20260101-000000-00000000') };
    await expect((await client()).resume(nowhere)).rejects.toThrow(/there is no session in/);
    await expect((await client()).start(params({ strategy: 'ask', model: {} }))).rejects.toThrow(
      /needs a model: set a key/,
    );
    const url = params({ model: { key: KEY, baseUrl: `https://u:${KEY}@host/` } });
    const refused = await (await client()).start(url).catch((e: unknown) => String(e));
    expect(refused).toContain('must not hold a password');
    expect(refused).not.toContain(KEY);
  });

  test('a session whose task changed is refused with what changed', async () => {
    // It also says our key aloud, which must not reach the trace.
    server = await messagesServer(KEY, () => ({ fault: 'status', status: 400, message: `bad ${KEY}` }));
    const session = await client();
    const place = await session.start(params());
    await session.exited;
    const trace = await everythingIn(place.folder);
    expect(trace).toContain('bad [key removed]');
    expect(trace).not.toContain(KEY);
    await writeFile(path.join(workspace, 'kernels/mean.task.json'), JSON.stringify({ ...TASK, scenarios: [{ n: 8 }] }));
    const again = (await client()).resume({ ...params(), session: place.folder });
    await expect(again).rejects.toThrow(/the task file changed since this session began/);
  });

  test('a process that dies says what it said last', async () => {
    const broken = path.join(workspace, 'broken.js');
    await writeFile(broken, 'console.error("no such luck"); process.exit(3);');
    const session = new SessionClient({ bundle: broken });
    await expect(session.start(params())).rejects.toThrow(/ended with code 3; it said last:\nno such luck/);
  });
});
