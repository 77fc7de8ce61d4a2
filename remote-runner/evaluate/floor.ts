// The least time that a scenario's work can take on this device: who is faster than that did not do the work.
import { evaluateAt } from '../../src/task/at.js';
import type { TaskFile } from '../../src/task/schema.js';
import type { Variables } from '../../src/task/types.js';

/** What a GPU can do at most. All zero where it is not known. */
export interface Peaks {
  /** Bytes per millisecond of device memory. */
  bandwidth: number;
  l2Bytes: number;
  /** Highest clock of the multiprocessors, kHz: cycles per millisecond. */
  clockKhz: number;
  multiprocessors: number;
}

/**
 * Floating-point operations per multiprocessor and cycle, a fused multiply-add counted as two, without sparsity; by compute
 * capability. From the tables of arithmetic throughput in the CUDA C++ Programming Guide and the architectures' white papers.
 */
const perCycle: Record<string, Record<string, number>> = {
  fp32: {
    '7.0': 128,
    '7.5': 128,
    '8.0': 128,
    '8.6': 256,
    '8.7': 256,
    '8.9': 256,
    '9.0': 256,
    '10.0': 256,
    '12.0': 256,
  },
  fp64: { '7.0': 64, '8.0': 64, '9.0': 128, '10.0': 128 },
  'tensor-half': { '7.0': 1024, '7.5': 1024, '8.0': 2048, '8.6': 1024, '8.9': 1024, '9.0': 4096, '10.0': 8192 },
};
const multiples: Record<string, [unit: string, factor: number]> = {
  'tensor-bf16': ['tensor-half', 1],
  'tensor-tf32': ['tensor-half', 0.5],
  'tensor-fp8': ['tensor-half', 2],
  'tensor-int8': ['tensor-half', 2],
};

/** `sm_90a` → `9.0` */
const capabilityOf = (arch: string): string => arch.replace(/^sm_(\d+)(\d)[a-z]?$/, '$1.$2');

/** Operations per millisecond; undefined for a unit or architecture that is not known. */
function peakOf(unit: string, arch: string, peaks: Peaks): number | undefined {
  const [base, factor] = multiples[unit] ?? [unit, 1];
  const each = perCycle[base]?.[capabilityOf(arch)];
  return each === undefined ? undefined : each * factor * peaks.clockKhz * peaks.multiprocessors;
}

/**
 * max(flops / peak(unit), max(0, bytes − L2) / bandwidth) in milliseconds; 0 where the task or the device does not tell.
 * @param unit `fp32` when the task names none
 */
export function floorOf(work: TaskFile['work'], variables: Variables, arch: string, peaks: Peaks): number {
  if (!work || peaks.clockKhz === 0) return 0;
  const peak = peakOf(work.unit ?? 'fp32', arch, peaks);
  const flops = work.flops !== undefined && peak ? evaluateAt('$.work.flops', work.flops, variables) / peak : 0;
  const moved = work.bytes === undefined ? 0 : evaluateAt('$.work.bytes', work.bytes, variables) - peaks.l2Bytes;
  return Math.max(flops, peaks.bandwidth > 0 ? moved / peaks.bandwidth : 0, 0);
}
