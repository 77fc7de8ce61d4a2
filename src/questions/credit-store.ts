// Credit on disk: `.kernelseek/credit/`, one file a session and one for each import. No two processes write the same file, so
// there is nothing to lock; all files together are what is known.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { creditFile, creditIn, fileOf, mergeCredit, type Credit } from './credit-file.js';
import type { Observation } from './credit.js';
import { writeAtomically } from './write-atomically.js';

/** Larger files are not read. Bytes. */
const LARGEST = 64 * 2 ** 20;

export interface LoadedCredit {
  credit: Credit;
  /** Files that could not be read, each with what is wrong; they are left as they are and do not count. */
  problems: string[];
}

function creditFolder(workspace: string): string {
  return path.join(workspace, '.kernelseek', 'credit');
}

/** Everything a workspace knows; never throws for what lies there. */
export async function loadCredit(workspace: string): Promise<LoadedCredit> {
  const folder = creditFolder(workspace);
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { credit: new Map(), problems: isAbsent ? [] : [`${folder} cannot be read: ${messageOf(error)}`] };
  }
  const credits: Credit[] = [];
  const problems: string[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    try {
      credits.push(await readCredit(file));
    } catch (error) {
      problems.push(`${messageOf(error)}; it is kept and does not count: mend it or remove it`);
    }
  }
  return { credit: mergeCredit(credits), problems };
}

/**
 * A file of credit.
 * @throws Error that names file, place and what is wrong
 */
export async function readCredit(file: string): Promise<Credit> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (bytes.length > LARGEST) throw new Error(`${file} is too long for a file of credit`);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new Error(`${file} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  const parsed = creditFile.safeParse(value);
  if (parsed.success) return creditIn(parsed.data);
  const issue = parsed.error.issues[0];
  throw new Error(
    `${file} is no file of credit: ${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'invalid'}`,
  );
}

/** Keeps what a session has to say so far, in place of what it said before. */
export async function saveCredit(
  workspace: string,
  session: string,
  device: string,
  observations: readonly Observation[],
): Promise<void> {
  if (observations.length === 0) return;
  // It becomes part of a path.
  if (!/^[\w-]{1,80}$/.test(session)) throw new Error(`"${session}" is not a session id`);
  await write(workspace, `${session}.json`, new Map([[device, observations]]));
}

/** Takes in credit from elsewhere; the same once more changes nothing. */
export async function importCredit(workspace: string, credit: Credit): Promise<void> {
  const sha256 = createHash('sha256').update(textOf(credit)).digest('hex');
  await write(workspace, `import-${sha256.slice(0, 16)}.json`, credit);
}

/** Number of observations. */
export function size(credit: Credit): number {
  return [...credit.values()].reduce((sum, observations) => sum + observations.length, 0);
}

export function textOf(credit: Credit): string {
  return `${JSON.stringify(fileOf(credit))}\n`;
}

async function write(workspace: string, name: string, credit: Credit): Promise<void> {
  const folder = creditFolder(workspace);
  await mkdir(folder, { recursive: true });
  await writeAtomically(path.join(folder, name), textOf(credit));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
