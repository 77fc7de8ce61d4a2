// How much each kind of untrusted program is given.
import os from 'node:os';
import path from 'node:path';
import type { WorkerView } from '../targets/toolchain.js';
import type { Confinement } from './sandbox.js';
import { LIBRARIES } from './views.js';

const MIB = 2 ** 20;

/** Bytes that this process and its children may use: a container often has less than the machine. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
}

/**
 * A compiler: it may be led to read any file, and by its size or by its templates to take all of the machine.
 * @param view its own folders  @param folder the build's, for it to write to
 */
export function compilerConfinement(view: readonly string[], folder: string, timeoutMs: number): Confinement {
  return {
    read: view,
    write: [folder],
    temporaryBytes: 512 * MIB,
    descriptors: 3,
    limits: {
      dataBytes: memoryBytes() * 0.75,
      processes: 512,
      files: 1024,
      fileBytes: 1024 * MIB,
      // Of one process; the time of all of them is the runner's to watch.
      cpuSeconds: Math.ceil(timeoutMs / 1000) * os.availableParallelism() + 1,
    },
  };
}

/**
 * A checker program: it only looks, at what it is given.
 * @param folder where it lies  @param segments how many it looks at
 */
export function checkerConfinement(folder: string, segments: number): Confinement {
  return {
    read: [...LIBRARIES, folder],
    temporaryBytes: 64 * MIB,
    descriptors: 3 + segments,
    limits: { dataBytes: memoryBytes() * 0.5, processes: 128, files: 256, fileBytes: 64 * MIB },
  };
}

/**
 * A worker: candidate code with all the rights of its process.
 * @param folder where its library will lie
 */
export function workerConfinement(view: WorkerView, host: string, folder: string): Confinement {
  return {
    read: [...LIBRARIES, ...view.read, path.dirname(host), folder],
    devices: view.devices,
    temporaryBytes: 64 * MIB,
    // Standard streams, commands, answers, two segments.
    descriptors: 7,
    limits: {
      ...(view.limitsMemory ? { dataBytes: memoryBytes() * 0.75 } : {}),
      processes: 128 + 8 * os.availableParallelism(),
      files: 1024,
      fileBytes: 64 * MIB,
    },
  };
}
