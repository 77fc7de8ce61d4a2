// The evaluator of this machine with real compilers and processes, without the wire between.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createEvaluator, type Created } from '../../remote-runner/evaluate/create.js';
import type { EvaluateContext } from '../../remote-runner/evaluate/evaluator.js';
import type { SourceFile, Verdict } from '../../remote-runner/protocol.js';
import { candidateFrom, prepareTask, type PreparedTask } from '../../src/runner/prepare.js';
import { testParser } from './grammar.js';

export const root = path.resolve(__dirname, '../..');

export class Evaluations {
  private constructor(
    private readonly created: Created,
    readonly folder: string,
  ) {}

  static async create(): Promise<Evaluations> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-test-'));
    const created = await createEvaluator({
      harnessFolder: path.join(root, 'remote-runner/harness'),
      cacheFolder: path.join(folder, 'cache'),
      environment: process.env,
    });
    return new Evaluations(created, folder);
  }

  prepare(task: string): Promise<PreparedTask> {
    return prepareTask(path.join(root, task), { parser: testParser, root });
  }

  async evaluate(
    task: PreparedTask,
    candidate?: SourceFile[] | string,
    options: {
      mode?: 'first' | 'confirm';
      signal?: AbortSignal;
      incumbent?: SourceFile[];
      progress?: EvaluateContext['progress'];
    } = {},
  ): Promise<Verdict> {
    const job = path.join(this.folder, 'jobs', randomUUID());
    await mkdir(job, { recursive: true });
    const stored = new Map<string, string>();
    for (const [sha256, bytes] of task.files) {
      stored.set(sha256, path.join(job, sha256));
      await writeFile(stored.get(sha256)!, bytes);
    }
    const sources =
      typeof candidate === 'string' ? await candidateFrom(task, path.join(root, candidate), '--source') : candidate;
    try {
      return await this.created.evaluator.evaluate(
        {
          kind: 'evaluate',
          task: task.wire,
          candidate: sources,
          ...(options.incumbent && { incumbent: options.incumbent }),
          target: 'cpu',
          mode: options.mode ?? 'first',
          fresh: true,
        },
        {
          signal: options.signal ?? new AbortController().signal,
          progress: options.progress ?? (() => undefined),
          stored: (sha256) => stored.get(sha256) ?? '',
          keep: () => Promise.reject(new Error('evaluations keep no files')),
          folder: job,
          scratch: this.folder,
        },
      );
    } finally {
      await rm(job, { recursive: true, force: true });
    }
  }

  holders(): Promise<ReadonlyMap<string, string>> {
    return this.created.evaluator.holders!();
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
