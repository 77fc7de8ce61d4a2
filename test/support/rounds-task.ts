// A kernel that does in many rounds what one round gives, its task, and a scripted agent that finds out.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { MessagesRequest, Reply, Script } from './messages-server.js';

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
  files: ['secret.h'],
  arguments: [
    { name: 'x', type: 'const float*', shape: ['n'], fill: 'normal' },
    { name: 'y', type: 'float*', shape: ['n'], role: 'output', tolerance: { rtol: 1e-3, atol: 1e-4 } },
    { name: 'n', type: 'int' },
  ],
  scenarios: [{ n: 20_000 }],
};

/** A workspace with the kernel and its task, `mean.task.json`. */
export async function roundsWorkspace(): Promise<string> {
  const workspace = await mkdtemp(path.join(os.tmpdir(), 'ks-workspace-'));
  await mkdir(path.join(workspace, '.git'));
  await writeFile(path.join(workspace, 'mean.cu'), KERNEL);
  await writeFile(path.join(workspace, 'secret.h'), '// nobody else should read this\n');
  await writeFile(path.join(workspace, 'mean.task.json'), JSON.stringify(TASK));
  return workspace;
}

/** What the session says to the agent beside tool results. */
export function toldIn(request: MessagesRequest): string {
  const last = request.messages.at(-1)?.content ?? [];
  return typeof last === 'string'
    ? last
    : last.flatMap((b) => (b.type === 'text' ? [String(b['text'])] : [])).join('\n');
}

export const toolCall = (name: string, input: Record<string, unknown>): Reply => ({
  blocks: [{ type: 'tool_use', name, input }],
});

/** Halves the rounds from verdict to verdict, `times` times, then finishes; answers the first of what it is asked. */
export const halving =
  (times: number): Script =>
  (request) => {
    if (toldIn(request).includes('Call ask')) {
      return toolCall('ask', { question: 1, why: 'it comes first', answer: 'as far as I can see' });
    }
    const said = JSON.stringify(request.messages);
    const edits = said.match(/"new":"ROUNDS = /g)?.length ?? 0;
    const evaluated = said.match(/"note":"half the rounds"/g)?.length ?? 0;
    // A question may come between the two.
    if (edits > evaluated) return toolCall('evaluate', { note: 'half the rounds' });
    if (edits >= times) return toolCall('finish', { reason: 'nothing left to halve' });
    return toolCall('edit', { path: 'mean.cu', old: `ROUNDS = ${256 >> edits}`, new: `ROUNDS = ${128 >> edits}` });
  };
