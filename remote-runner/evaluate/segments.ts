// Shared memory between keeper and workers: files in memory that are unlinked as soon as they are open, passed by descriptor.
import { randomBytes } from 'node:crypto';
import { closeSync, constants, ftruncateSync, openSync, statfsSync, unlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface Segment {
  /** Read and write, for its owner. */
  readWrite: number;
  /** Read only, for those who must not change it. */
  readOnly: number;
  close(): void;
}

function free(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Pages are taken when they are first written to, and where there is none left the writer dies of it: asked beforehand. */
function folderWith(bytes: number): string {
  const folders = ['/dev/shm', os.tmpdir()];
  const folder = folders.find((f) => free(f) >= bytes);
  if (folder !== undefined) return folder;
  const mib = (n: number): string => `${Math.ceil(n / 2 ** 20)} MiB`;
  throw new Error(
    `the arguments need ${mib(bytes)} of shared memory; ${folders.map((f) => `${f} has ${mib(free(f))}`).join(', ')} free. ` +
      'Enlarge /dev/shm (in a container: --shm-size), or make the scenarios smaller',
  );
}

/** Bytes at the end of each segment for what keeper and workers tell each other (harness/control.h). */
const CONTROL = 4096;

/**
 * Creates `count` segments of `bytes` and the control page each, readable and writable by this user alone.
 * @throws Error when there is no room for all of them
 */
export function createSegments(count: number, bytes: number): Segment[] {
  const size = Math.ceil(bytes / 4096) * 4096 + CONTROL;
  const folder = folderWith(count * size);
  const segments: Segment[] = [];
  try {
    while (segments.length < count) segments.push(createSegment(folder, size));
  } catch (error) {
    for (const segment of segments) segment.close();
    throw error;
  }
  return segments;
}

function createSegment(folder: string, bytes: number): Segment {
  const name = path.join(folder, `kernelseek-${randomBytes(12).toString('hex')}`);
  const readWrite = openSync(name, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  let readOnly: number | undefined;
  const close = (): void => {
    closeSync(readWrite);
    if (readOnly !== undefined) closeSync(readOnly);
  };
  try {
    readOnly = openSync(name, constants.O_RDONLY);
    ftruncateSync(readWrite, bytes);
    return { readWrite, readOnly, close };
  } catch (error) {
    close();
    throw error;
  } finally {
    unlinkSync(name);
  }
}
