// Under which conditions the times were taken: the GPU's clocks and why they were held back.
import type { Conditions } from '../protocol.js';
import type { DeviceState } from './keeper.js';
import { median } from './statistics.js';

/** NVML's bits of why clocks are not higher (nvml.h, nvmlClocksEventReasons); being idle holds nothing back. */
const reasons: [bit: number, words: string][] = [
  [0x2, 'application clocks are set'],
  [0x4, 'software power cap'],
  [0x8, 'hardware slowdown'],
  [0x10, 'sync boost'],
  [0x20, 'software thermal slowdown'],
  [0x40, 'hardware thermal slowdown'],
  [0x80, 'hardware power brake'],
  [0x100, 'display clocks are set'],
];

/** @returns undefined where the driver tells nothing */
export function conditionsOf(states: readonly DeviceState[]): Conditions | undefined {
  const told = states.filter((s) => s.smMhz > 0);
  if (told.length === 0) return undefined;
  const sm = told.map((s) => s.smMhz);
  const seen = told.reduce((all, s) => all | s.reasons, 0);
  return {
    smMhz: { low: Math.min(...sm), median: median(sm), high: Math.max(...sm) },
    memoryMhz: median(told.map((s) => s.memoryMhz)),
    heldBackBy: reasons
      .filter(([bit]) => seen & bit)
      .map(([bit, words]) => {
        const samples = told.filter((s) => s.reasons & bit).length;
        return `${words} (${samples} of ${told.length} samples)`;
      }),
    samples: told.length,
  };
}
