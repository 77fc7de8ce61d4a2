// The runner's life: state folder, token, jobs and server are put together, kept up, and taken down again.
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Abilities } from './about.js';
import { checkPage, describe } from './about.js';
import type { Evaluator } from './evaluate/evaluator.js';
import { FileStore } from './jobs/files.js';
import { Journal } from './jobs/journal.js';
import { JobStore } from './jobs/store.js';
import { logToStderr as log } from './log.js';
import type { Options } from './options.js';
import { identify } from './process-identity.js';
import { recordProcesses } from './processes.js';
import type { InitializeResult } from './protocol.js';
import type { RunningServer } from './server.js';
import { serve } from './server.js';
import { openState, type State } from './state.js';
import type { Token } from './token.js';
import { TOKEN_VARIABLE, loadToken } from './token.js';

/** Makes the evaluator of this machine, with its builds below `cacheFolder`. */
export type MakeEvaluator = (cacheFolder: string) => Promise<{ evaluator: Evaluator; abilities: Abilities }>;

const DAY_MS = 24 * 3600 * 1000;
const KEEP_JOBS_MS = 7 * DAY_MS;
const KEEP_FILES_MS = 30 * DAY_MS;
const MOST_JOURNALS = 2000;
const MOST_WAITING = 1000;
/** How long jobs may take to stop when the runner ends. */
const STOP_MS = 10_000;

/** Runs until a signal, or until standard input closes where asked for. Resolves with the exit status. */
export async function run(options: Options, make: MakeEvaluator): Promise<number> {
  // Who reads what we print may be gone before we are, above all when the owner was killed.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // From the first moment: looking at the machine can take long, and whoever started us may give up meanwhile.
  const ending = reasonToEnd(options.withParent);
  const state = await openState(options.state, options.withParent ? identify(process.ppid) : undefined);
  const endProcesses = recordProcesses(state.processes);
  // Whoever makes a temporary file from here on makes it where the next runner finds it, should we be killed.
  process.env.TMPDIR = state.temporary;
  try {
    const made = await Promise.race([make(state.cache), ending]);
    if (typeof made === 'string') return 0;
    const about = describe(made.abilities);
    if (options.check) {
      process.stdout.write(checkPage(about));
      return about.targets.length > 0 ? 0 : 1;
    }
    await serveUntil(ending, options, state, made.evaluator, about);
    return 0;
  } finally {
    endProcesses();
    state.dispose();
  }
}

async function serveUntil(
  ending: Promise<string>,
  options: Options,
  state: State,
  evaluator: Evaluator,
  about: InitializeResult,
): Promise<void> {
  const token = await loadToken(
    {
      tokenFile: options.tokenFile,
      environment: process.env,
      // A runner of one owner has a token of its own, gone with it.
      generatedFile: options.withParent ? path.join(state.run, 'token') : state.tokenFile,
    },
    log,
  );
  // Candidates are started by this process and must not inherit it.
  delete process.env[TOKEN_VARIABLE];
  const files = new FileStore(state.files);
  const journal = new Journal({ ended: state.jobs, open: state.open }, log);
  const concurrency = options.jobs ?? evaluationsAtOnce();
  const { scratch } = state;
  const jobs = new JobStore({ evaluator, files, journal, scratch, concurrency, mostWaiting: MOST_WAITING, log });
  await jobs.restore();
  const holders = evaluator.holders?.bind(evaluator);
  const common = { token: token.value, about, holders, jobs, files, log };
  const server = await serve({ ...options, ...(await tls(options)), ...common });
  announce(options, server, token);
  for (const { kind, reason } of about.missing) log(`no ${kind} target: ${reason}`);
  sweep(journal, files, jobs);
  const sweeping = setInterval(() => sweep(journal, files, jobs), DAY_MS);
  log(`ending: ${await ending}`);
  clearInterval(sweeping);
  await server.close();
  await stopped(jobs);
}

/** Compiling is what takes long, and takes a core each; a device is used by one evaluation at a time all the same. */
function evaluationsAtOnce(): number {
  return Math.max(2, Math.min(16, availableParallelism()));
}

async function tls({ cert, key }: Options): Promise<{ tls?: { cert: string; key: string } }> {
  if (cert === undefined || key === undefined) return {};
  return { tls: { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') } };
}

function announce(options: Options, server: RunningServer, token: Token): void {
  const isLoopback = /^wss?:\/\/(127\.|\[::1\])/.test(server.url);
  if (!isLoopback && options.cert === undefined) {
    log(
      'warning: listening beyond this machine without TLS: whoever sees the traffic can take the token and run programs ' +
        'here. Use --cert and --key, or listen on 127.0.0.1 and connect through SSH.',
    );
  }
  log(`listening on ${server.url}`);
  log(token.file === undefined ? `the token is that of ${TOKEN_VARIABLE}` : `the token is in ${token.file}`);
  if (options.readyJson) {
    const ready = { url: server.url, tokenFile: token.file ?? null, pid: process.pid };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  }
}

function sweep(journal: Journal, files: FileStore, jobs: JobStore): void {
  Promise.all([journal.sweep(KEEP_JOBS_MS, MOST_JOURNALS), files.sweep(KEEP_FILES_MS, jobs.filesInUse())]).catch(
    (error: Error) => log(`clearing old jobs and files: ${error.message}`),
  );
}

function reasonToEnd(withParent = false): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    if (!withParent) return;
    // The pipe closes however the owner ends, also by SIGKILL.
    for (const event of ['end', 'close', 'error']) process.stdin.on(event, () => resolve('the owner is gone'));
    process.stdin.resume();
  });
}

async function stopped(jobs: JobStore): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      log(`a job did not stop within ${STOP_MS / 1000} s; ending anyway`);
      resolve();
    }, STOP_MS);
  });
  await Promise.race([jobs.close(), tooLong]);
  clearTimeout(timer);
}
