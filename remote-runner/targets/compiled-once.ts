// Trusted programs of our own that are compiled on this machine and kept in the cache folder.
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/**
 * Returns `file`, made by `make(target, temporaryFolder)` unless it is there. Two at once are harmless: both make the same
 * content and the rename is atomic.
 */
export async function compiledOnce(
  file: string,
  make: (target: string, temporary: string) => Promise<void>,
): Promise<string> {
  if (
    await access(file).then(
      () => true,
      () => false,
    )
  )
    return file;
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-'));
  const partial = `${file}.${path.basename(temporary)}`;
  try {
    await make(partial, temporary);
    await rename(partial, file);
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rm(partial, { force: true });
  }
  return file;
}
