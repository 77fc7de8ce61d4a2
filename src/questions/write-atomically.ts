// A file is seen as it was or as it is to be, never half written.
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** Writes beside the file, flushes, and renames over it. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const partial = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.partial`;
  try {
    const handle = await open(partial, 'wx', 0o644);
    try {
      await handle.writeFile(text);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
