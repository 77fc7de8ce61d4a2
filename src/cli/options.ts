// Options that several commands share, and how their values are read.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { readFile } from 'node:fs/promises';
import type { TargetChoice } from '../../remote-runner/protocol.js';
import type { RunnerAddress } from '../runner/types.js';
import type { CliContext } from './context.js';
import { CliError, messageOf } from './exit.js';

export const TOKEN_VARIABLE = 'KERNELSEEK_RUNNER_TOKEN';

export interface RunnerOptions {
  target: TargetChoice;
  runner?: string;
  tokenFile?: string;
}

/** Adds --target, --runner and --token-file. */
export function withRunnerOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--target <target>', 'what to compile for and run on')
        .choices(['auto', 'cpu', 'cuda'])
        .default('auto'),
    )
    .option(
      '--runner <url>',
      `address of a runner (ws://…); its token comes from ${TOKEN_VARIABLE} or --token-file`,
      url,
    )
    .option('--token-file <file>', 'file that holds the token of --runner');
}

/** The runner to use: none of the user's means a local one of our own. */
export async function runnerAddress(options: RunnerOptions, context: CliContext): Promise<RunnerAddress> {
  if (options.runner === undefined) {
    if (options.tokenFile !== undefined) throw new CliError('--token-file needs --runner');
    return {};
  }
  const fromFile = options.tokenFile === undefined ? undefined : await readToken(options.tokenFile);
  const token = fromFile ?? context.env[TOKEN_VARIABLE];
  if (!token) {
    throw new CliError(`--runner needs the runner's token: set ${TOKEN_VARIABLE} or give --token-file`);
  }
  return { url: options.runner, token };
}

async function readToken(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CliError(`the token file cannot be read: ${messageOf(error)}`);
  });
  const token = text.trim();
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) throw new CliError(`${file} does not hold one token on one line`);
  return token;
}

function url(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (!parsed || !['ws:', 'wss:'].includes(parsed.protocol)) {
    throw new InvalidArgumentError('must look like ws://host:port or wss://host/path.');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new InvalidArgumentError(`must not hold a secret; set ${TOKEN_VARIABLE} instead.`);
  }
  return text;
}

/** A whole number from 1. */
export function count(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1 || Number(text) > 100_000) {
    throw new InvalidArgumentError('must be a whole number from 1 to 100000.');
  }
  return Number(text);
}

/** Minutes, fractions allowed. */
export function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0 && value <= 100_000)) {
    throw new InvalidArgumentError('must be a number above 0, up to 100000.');
  }
  return value;
}

/** Tokens: a whole number, `k` and `M` allowed. */
export function tokens(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)([kM]?)$/.exec(text);
  const value = match ? Number(match[1]) * { '': 1, k: 1e3, M: 1e6 }[match[2] as '' | 'k' | 'M'] : 0;
  if (!Number.isInteger(value) || value < 1) {
    throw new InvalidArgumentError('must be a whole number above 0, such as 500000, 500k or 2M.');
  }
  return value;
}

/** US dollars. */
export function money(text: string): number {
  const value = Number(text.replace(/^\$/, ''));
  if (text.trim() === '' || !(value > 0 && value <= 1e6)) {
    throw new InvalidArgumentError('must be an amount in US dollars above 0.');
  }
  return value;
}

/** A seed of the search. */
export function seed(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('must be a whole number of at most 15 digits.');
  return Number(text);
}
