// A folder that a command may fill: not there yet, or empty; what somebody else put there is never overwritten.
import { mkdir, readdir } from 'node:fs/promises';
import { CliError, EXIT, messageOf } from './exit.js';

/**
 * @returns the folder, which exists now
 * @throws CliError when something is in it
 */
export async function newFolder(folder: string): Promise<string> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new CliError(`${folder} cannot be used: ${messageOf(error)}`, EXIT.bad);
  });
  if (entries.length > 0) throw new CliError(`${folder} is not empty: nothing is overwritten; name another folder`);
  await mkdir(folder, { recursive: true });
  return folder;
}
