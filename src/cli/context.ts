// What every command is given: where we run, what we may write to, where the bundles lie.
import type { Paint } from '../report/paint.js';
import { paintFor } from '../report/paint.js';
import { programOf } from './program.js';

export interface CliContext {
  version: string;
  /** How a shell calls us: the start of every command that we suggest. */
  program: string;
  /** Folder of cli.js, session.js, runner.js, grammar/ and harness/. */
  dist: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Colours for results on standard output and for logs on standard error. */
  paint: { out: Paint; err: Paint };
}

/** Builds the context of this process. */
export function processContext(version: string, dist: string): CliContext {
  const { stdout, stderr, env } = process;
  return {
    version,
    program: programOf(process.argv[1] ?? 'kernelseek', env),
    dist,
    cwd: process.cwd(),
    env,
    stdout,
    stderr,
    paint: { out: paintFor(stdout, env), err: paintFor(stderr, env) },
  };
}

/** Lines to standard output: results. */
export function say(context: CliContext, lines: readonly string[]): void {
  context.stdout.write(lines.map((line) => `${line}\n`).join(''));
}
