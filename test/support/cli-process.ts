// The bundled command line as a child process, as a person would start it.
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { verdict, type Verdict } from '../../remote-runner/protocol.js';

export interface Finished {
  /** Exit code, or the signal's name. */
  code: number | string;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** Resolves when standard error or standard output has held a text; rejects when the process ends before. */
  seen(text: string | RegExp): Promise<void>;
  finished: Promise<Finished>;
}

export interface CliProcessOptions {
  cwd: string;
  env?: Record<string, string>;
}

/**
 * Starts `kernelseek` in a process group of its own, so that a test can send it what a terminal sends.
 * @param dist folder of the bundles
 * @param state folder for the local runner's state
 */
export function startCli(dist: string, state: string, args: readonly string[], options: CliProcessOptions): Running {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [path.join(dist, 'cli.js'), ...args], {
    cwd: options.cwd,
    env: { PATH, HOME, XDG_STATE_HOME: state, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const out = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
      for (const check of waiting) check();
    });
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 'unknown', ...out }));
  });
  const seen = (text: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!new RegExp(text).test(out.stderr + out.stdout)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
      finished.then(
        ({ stderr }) => reject(new Error(`ended before ${String(text)} was seen: ${stderr}`)),
        (error: unknown) => reject(error as Error),
      );
    });
  return { child, seen, finished };
}

/** Runs to the end. */
export function cli(
  dist: string,
  state: string,
  args: readonly string[],
  options: CliProcessOptions,
): Promise<Finished> {
  return startCli(dist, state, args, options).finished;
}

/** What `evaluate --json` printed, checked: exactly one JSON document that is a verdict. */
export function printedVerdict({ stdout, stderr }: Finished): Verdict {
  try {
    return verdict.parse(JSON.parse(stdout));
  } catch (error) {
    throw new Error(`not one verdict on standard output: ${stdout.slice(0, 500)}\n${stderr.slice(-2000)}`, {
      cause: error,
    });
  }
}
