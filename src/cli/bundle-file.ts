// A bundle as a command is given it: opened for as long as the command needs it.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openBundle } from '../session/bundle/bundle.js';
import type { CliContext } from './context.js';
import { CliError, EXIT, messageOf } from './exit.js';

/** True for what `report` and `sessions` take as a bundle. */
export function isBundle(given: string | undefined): given is string {
  return given?.endsWith('.zip') === true;
}

/** Opens a bundle in a folder that goes when the work on it is done. */
export async function withBundle<T>(
  given: string,
  context: CliContext,
  work: (folder: string, workspace: string) => Promise<T>,
): Promise<T> {
  const workspace = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-bundle-'));
  try {
    return await work(await unpacked(path.resolve(context.cwd, given), workspace), workspace);
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

/**
 * Makes the session of a bundle one of a workspace; gives its folder.
 * @throws CliError saying why the file is none
 */
export async function unpacked(file: string, workspace: string): Promise<string> {
  try {
    return await openBundle(await readFile(file), workspace);
  } catch (error) {
    throw new CliError(`${file} cannot be opened: ${messageOf(error)}`, EXIT.bad);
  }
}
