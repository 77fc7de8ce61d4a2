// Everything the loop needs around it, in this process: a session folder, a task, a scripted runner, a strategy.
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { sourcesSha256, type WireTask } from '../../remote-runner/protocol.js';
import { History } from '../../src/session/history.js';
import { runLoop } from '../../src/session/loop.js';
import { newSessionId } from '../../src/session/place.js';
import type { SessionProgress, StrategyName } from '../../src/session/protocol.js';
import { SessionRecord } from '../../src/session/record.js';
import type { Strategy } from '../../src/session/strategy.js';
import { requireTask, validateTask } from '../../src/task/parse.js';
import type { TaskFile } from '../../src/task/schema.js';
import type { ScriptedRunner } from './scripted-connection.js';

export const ORIGINAL = 'constexpr int BLOCK = 128;\n__global__ void k(float* x) { x[0] = BLOCK; }\n';

export function sampleTask(more: Record<string, unknown> = {}): TaskFile {
  return requireTask(
    validateTask({
      source: 'k.cu',
      entry: 'run',
      arguments: [
        { name: 'x', type: 'float*', shape: ['n'], role: 'output' },
        { name: 'n', type: 'int' },
      ],
      scenarios: [{ n: 1024 }],
      ...more,
    }),
  );
}

/** All folders of a test file lie in one that goes with it. */
const root = mkdtempSync(path.join(os.tmpdir(), 'ks-sessions-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

export interface RigOptions {
  runner: ScriptedRunner;
  strategy: (record: SessionRecord) => Strategy;
  budget?: { evaluations: number; minutes: number };
  task?: TaskFile;
  name?: StrategyName;
  /** Session folder to go on with. */
  resume?: string;
  stop?: AbortController;
}

/** One run of the loop, from its start or from the trace of an earlier one. */
export async function runSession(
  options: RigOptions,
): Promise<{ folder: string; record: SessionRecord; progress: SessionProgress[] }> {
  const task = options.task ?? sampleTask();
  const wire: WireTask = { task, directory: '', original: [{ path: 'k.cu', text: ORIGINAL }], files: [] };
  const folder = options.resume ?? (await mkdtemp(path.join(root, 'session-')));
  const history = await History.open(folder);
  const told = { redact: (line: string) => line, onEvent: () => undefined };
  let record: SessionRecord;
  if (options.resume !== undefined) {
    record = await SessionRecord.reopen(folder, options.budget, told);
  } else {
    await history.commit('original', wire.original, [], 'The original');
    record = await SessionRecord.create(
      folder,
      {
        type: 'started',
        session: newSessionId(),
        task: 'k.task.json',
        strategy: options.name ?? 'tune',
        seed: 1,
        budget: options.budget ?? { evaluations: 10, minutes: 10 },
        originalSha256: sourcesSha256(wire.original),
        version: '0',
      },
      told,
    );
  }
  const progress: SessionProgress[] = [];
  try {
    await runLoop({
      record,
      history,
      task,
      wire,
      files: new Map(),
      connect: options.runner.connect,
      target: 'auto',
      strategy: options.strategy(record),
      readKernels: () => Promise.reject(new Error('not in this test')),
      levelsOf: () => Promise.resolve([]),
      onProgress: (p) => void progress.push(p),
      stop: (options.stop ?? new AbortController()).signal,
      firstDelayMs: 1,
    });
  } finally {
    await record.close();
  }
  return { folder, record, progress };
}
