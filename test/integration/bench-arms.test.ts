// `kernelseek bench arms` end to end: real sessions on the CPU target, the test model server, a first call that goes wrong.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ArmRun, ArmSummary } from '../../src/bench/arms.js';
import { cli } from '../support/cli-process.js';
import { buildDist } from '../support/dist.js';
import { toldIn } from '../support/rounds-task.js';
import { type MessagesRequest, messagesServer, type Reply } from '../support/messages-server.js';

const KEY = 'sk-test-0123456789abcdef';
const KERNEL = `constexpr int ROUNDS = 64;

__global__ void mean_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int r = 0; r < ROUNDS; ++r) sum += x[i];
  y[i] = sum / ROUNDS;
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
  scenarios: [{ n: 20_000 }],
};

let dist: string;
let remove: () => Promise<void>;
let folder: string;
beforeAll(async () => {
  ({ dist, remove } = await buildDist());
  folder = await mkdtemp(path.join(tmpdir(), 'kernelseek-arms-'));
});
afterAll(async () => {
  await remove();
  await rm(folder, { recursive: true, force: true });
});

const call = (name: string, input: Record<string, unknown>): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });

/** Profiles where it can, makes one candidate. */
function agent(request: MessagesRequest): Reply {
  const tools = request.tools?.map((t) => t.name) ?? [];
  // The advisor of the arm `feedback` has none.
  if (tools.length === 0) return { blocks: [{ type: 'text', text: 'It adds up the same value again and again.' }] };
  if (!tools.includes('edit')) {
    const sources = [{ path: 'mean.cu', text: KERNEL.replace('ROUNDS = 64', 'ROUNDS = 1') }];
    return call('evaluate', { note: 'one round', sources });
  }
  const profiles = tools.includes('profile');
  const steps = [
    ...(profiles ? [call('profile', {})] : []),
    call('edit', { path: 'mean.cu', old: 'ROUNDS = 64', new: 'ROUNDS = 1' }),
    call('evaluate', { note: 'one round' }),
  ];
  if (toldIn(request).includes('Call ask')) return call('ask', { question: 1, answer: 'as far as I can see' });
  const answers = request.messages.filter((m) => m.role === 'assistant');
  const turn = answers.filter((m) => !JSON.stringify(m.content).includes('"name":"ask"')).length;
  return steps[turn] ?? call('finish', { reason: 'done' });
}

test('what failed is tried again, what was run is not, and the arms stand side by side', async () => {
  execFileSync('git', ['init', '-q'], { cwd: folder });
  await writeFile(path.join(folder, 'mean.cu'), KERNEL);
  await writeFile(path.join(folder, 'mean.task.json'), JSON.stringify(TASK));
  const server = await messagesServer(KEY, (request, n) =>
    n === 1 ? { fault: 'status', status: 401, type: 'authentication_error', message: 'no' } : agent(request),
  );
  try {
    const bench = (...more: string[]) =>
      cli(
        dist,
        path.join(folder, 'state'),
        [
          'bench',
          'arms',
          'mean.task.json',
          '--seeds',
          '1',
          '--evaluations',
          '1',
          '--target',
          'cpu',
          '--arms',
          'ask,equipped,feedback',
          ...more,
        ],
        { cwd: folder, env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url } },
      );
    const first = await bench('--json');
    expect(first.code, first.stderr).toBe(3);
    expect(first.stderr).toMatch(/left out: 1 of 3: mean\.task\.json, ask, seed 1: .*401/);
    expect((JSON.parse(first.stdout) as { runs: ArmRun[] }).runs.map((r) => r.arm)).toEqual(['equipped', 'feedback']);
    const paid = server.requests.length;

    const second = await bench('--json');
    expect(second.code, second.stderr).toBe(0);
    const { runs, summaries } = JSON.parse(second.stdout) as { runs: ArmRun[]; summaries: ArmSummary[] };
    // Only the arm that had failed asked the model again, and its session went on.
    expect(server.requests.slice(paid).every((r) => r.tools?.some((t) => t.name === 'ask'))).toBe(true);
    expect(await readdir(path.join(folder, '.kernelseek/sessions'))).toHaveLength(3);
    expect(runs.map((r) => [r.arm, r.seed, r.evaluations, r.correctShare, r.emulated])).toEqual([
      ['ask', 1, 1, 1, true],
      ['equipped', 1, 1, 1, true],
      ['feedback', 1, 1, 1, true],
    ]);
    for (const run of runs) {
      expect(run.tokens).toBeGreaterThan(0);
      expect(run.deviceMinutes).toBeGreaterThan(0);
      expect(run.pathLength).toBeGreaterThan(0);
    }
    expect(summaries.map((s) => s.arm)).toEqual(['ask', 'equipped', 'feedback']);

    const asked = server.requests.length;
    const third = await bench();
    expect(server.requests).toHaveLength(asked);
    expect(third.stdout).toMatch(/equipped +1 [^]*mean \[95 %\][^]*CPU emulation/);
    const refused = await bench('--arms', 'ask,magic');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--arms magic: there are ask, equipped'),
    ]);
  } finally {
    await server.close();
  }
});
