// Shared memory between keeper and workers: files in memory that are unlinked as soon as they are open, passed by descriptor.
import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, ftruncateSync, openSync, unlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface Segment {
  /** Read and write, for its owner. */
  readWrite: number;
  /** Read only, for those who must not change it. */
  readOnly: number;
  close(): void;
}

function memoryFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return os.tmpdir();
  }
}

/** Creates a segment of `bytes`, readable and writable by this user alone. */
export function createSegment(bytes: number): Segment {
  const name = path.join(memoryFolder(), `kernelseek-${randomBytes(12).toString('hex')}`);
  const readWrite = openSync(name, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const readOnly = openSync(name, constants.O_RDONLY);
    ftruncateSync(readWrite, Math.max(bytes, 4096));
    return {
      readWrite,
      readOnly,
      close: () => {
        closeSync(readWrite);
        closeSync(readOnly);
      },
    };
  } finally {
    unlinkSync(name);
  }
}
