// What a GPU gave for each kernel, as it is kept: hashes of exact results, samples of the others.
import { createHash } from 'node:crypto';
import { sizeOf } from '../../src/task/dtype.js';
import type { TargetInfo } from '../../remote-runner/protocol.js';
import { difference, type Difference } from './compare.js';
import type { Kernel } from './kernels.js';

export interface Recording {
  device: string;
  arch: string;
  driver: string;
  compiler: string;
  /** Day of the recording, UTC. */
  date: string;
  kernels: Record<string, Recorded | undefined>;
}

export interface Recorded {
  /** Of the sources that gave it. */
  sources: string;
  /** Of all bytes of an exact result. */
  sha256?: string;
  /** Little-endian elements at `sampledIndices`, base64: all that is compared, or what says where an exact one differs. */
  samples: string;
}

const SAMPLES_EXACT = 48;
const SAMPLES_CLOSE = 1024;

/** Evenly spread, by a stride that meets all lanes of a warp. */
export function sampledIndices(kernel: Kernel): number[] {
  const most = Math.min(kernel.count, kernel.agreement.kind === 'exact' ? SAMPLES_EXACT : SAMPLES_CLOSE);
  return Array.from({ length: most }, (_, i) =>
    Math.floor((i * kernel.count) / most + ((i * 7) % Math.max(1, Math.floor(kernel.count / most)))),
  );
}

export function record(kernel: Kernel, bytes: Buffer): Recorded {
  const size = sizeOf(kernel.dtype);
  const samples = Buffer.concat(sampledIndices(kernel).map((i) => bytes.subarray(i * size, (i + 1) * size)));
  return {
    sources: kernel.sha256,
    ...(kernel.agreement.kind === 'exact' && !kernel.agreement.onlySamples
      ? { sha256: createHash('sha256').update(bytes).digest('hex') }
      : {}),
    samples: samples.toString('base64'),
  };
}

export function recordingOf(info: TargetInfo, date: string, kernels: Record<string, Recorded>): Recording {
  return {
    device: info.name,
    arch: info.arch ?? '',
    driver: info.driver ?? '',
    compiler: info.compiler ?? '',
    date,
    kernels,
  };
}

export type Comparison = { agrees: true; difference: Difference } | { agrees: false; why: string };

/** Compares a result with what was recorded; a recording of other sources says nothing and counts as a failure. */
export function compareWith(recorded: Recorded | undefined, kernel: Kernel, bytes: Buffer): Comparison {
  if (recorded === undefined) return { agrees: false, why: 'not in the recording: record it anew' };
  if (recorded.sources !== kernel.sha256)
    return { agrees: false, why: 'the recording is stale: the sources changed since; record it anew' };
  const samples = Buffer.from(recorded.samples, 'base64');
  const found = difference(kernel.dtype, kernel.agreement, samples, bytes, sampledIndices(kernel));
  if (found.first) {
    const { index, expected, got } = found.first;
    return {
      agrees: false,
      why: `${found.wrong} of the sampled elements differ, first [${index}]: recorded ${expected}, got ${got}`,
    };
  }
  if (recorded.sha256 !== undefined && recorded.sha256 !== createHash('sha256').update(bytes).digest('hex'))
    return { agrees: false, why: 'the bytes differ, though not in the sampled elements' };
  return { agrees: true, difference: found };
}
