// One job on a runner, with its progress shown.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { JobParams } from '../../remote-runner/protocol.js';
import { plainLine } from '../report/plain.js';
import { createConnect } from '../runner/connect.js';
import type { RunnerAddress, RunnerConnection } from '../runner/types.js';
import type { CliContext } from './context.js';
import { onInterrupt } from './interrupt.js';
import { lazyParser } from './parser.js';
import { ProgressLine } from './progress.js';

export interface JobRunner {
  readonly connection: RunnerConnection;
  readonly progress: ProgressLine;
  /** Runs one job to its end. */
  run(params: JobParams, files: ReadonlyMap<string, Uint8Array>): ReturnType<RunnerConnection['run']>;
}

/**
 * Connects, lets `work` run its jobs, and closes the connection whatever happens; Ctrl-C cancels the job.
 * @throws RunnerError
 */
export async function withRunner<T>(
  address: RunnerAddress,
  context: CliContext,
  work: (runner: JobRunner) => Promise<T>,
): Promise<T> {
  const progress = new ProgressLine(context.stderr, context.env);
  const log = (line: string) => progress.log(context.paint.err('dim', plainLine(line)));
  const interrupt = onInterrupt(() => progress.log('stopping (Ctrl-C again ends at once)'));
  const connect = createConnect({
    version: context.version,
    runnerBundle: path.join(context.dist, 'runner.js'),
    parser: lazyParser(context.dist),
  });
  let connection: RunnerConnection | undefined;
  try {
    progress.update(address.url === undefined ? 'starting the local runner' : `connecting to ${address.url}`);
    const open = await connect(address, { signal: interrupt.signal, log });
    connection = open;
    const onProgress = ({
      phase,
      detail,
      done,
      total,
    }: {
      phase: string;
      detail: string;
      done?: number;
      total?: number;
    }) => progress.update(phase, total === undefined ? detail : `${done ?? 0}/${total} ${detail}`);
    return await work({
      connection: open,
      progress,
      run: (params, files) => open.run(randomUUID(), params, files, { signal: interrupt.signal, onProgress }),
    });
  } finally {
    progress.clear();
    await connection?.close();
    interrupt.release();
  }
}
