// A server in this process, on a port of its own, with a scripted evaluator.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe } from '../../remote-runner/about.js';
import { FileStore } from '../../remote-runner/jobs/files.js';
import { Journal } from '../../remote-runner/jobs/journal.js';
import { JobStore, type JobStoreOptions } from '../../remote-runner/jobs/store.js';
import type { RunningServer, ServerOptions } from '../../remote-runner/server.js';
import { serve } from '../../remote-runner/server.js';
import { ScriptedEvaluator, scriptedAbilities } from './scripted-evaluator.js';

export const TOKEN = 'a-token-for-tests-only';

export interface TestServer extends RunningServer {
  evaluator: ScriptedEvaluator;
  jobs: JobStore;
  files: FileStore;
  folder: string;
  /** What it logged. */
  lines: string[];
  /** Ends the jobs, the server, and removes the folder unless it is to be used again. */
  end(keep?: 'keep'): Promise<void>;
}

/** @param folder state of an earlier server, to come back with its memory */
export async function testServer(
  { concurrency = 1, graceMs = 1000, mostHeld, ...options }: Partial<ServerOptions & JobStoreOptions> = {},
  folder?: string,
): Promise<TestServer> {
  const state = folder ?? (await mkdtemp(path.join(tmpdir(), 'kernelseek-server-')));
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const scratch = await mkdtemp(path.join(state, 'scratch-'));
  const evaluator = new ScriptedEvaluator();
  const files = new FileStore(path.join(state, 'files'));
  const journal = new Journal({ ended: path.join(state, 'jobs'), open: path.join(state, 'open') }, log);
  const jobs = new JobStore({
    evaluator,
    files,
    journal,
    scratch,
    concurrency,
    mostWaiting: 1000,
    graceMs,
    mostHeld,
    log,
  });
  await jobs.restore();
  const server = await serve({
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    about: describe(scriptedAbilities),
    jobs,
    files,
    log,
    refusalMs: 0,
    ...options,
  });
  return {
    ...server,
    evaluator,
    jobs,
    files,
    folder: state,
    lines,
    end: async (keep) => {
      await server.close();
      await jobs.close();
      if (!keep) await rm(state, { recursive: true, force: true });
    },
  };
}
