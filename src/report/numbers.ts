// Times, ratios and durations as a person reads them.
import type { Ratio } from '../../remote-runner/protocol.js';

/** Shown wherever a time or ratio of the CPU target is. */
export const EMULATED = 'CPU emulation: not GPU speed';

/** Milliseconds with three significant digits: `0.0123`, `1.23`, `412`. */
export function milliseconds(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms);
  if (ms >= 100) return ms.toFixed(0);
  return ms > 0 ? ms.toFixed(Math.min(6, 2 - Math.floor(Math.log10(ms)))) : '0';
}

/** Small differences keep a third digit, so that 1.004 is not shown as 1.00. */
function digitsOf(...ratios: number[]): number {
  return ratios.some((ratio) => Math.abs(ratio - 1) < 0.0995) ? 3 : 2;
}

/** `1.23×` */
export function times(ratio: number): string {
  return `${ratio.toFixed(digitsOf(ratio))}×`;
}

/** `1.23× [1.20, 1.26]` */
export function interval({ value, low, high }: Ratio): string {
  const digits = digitsOf(value, low, high);
  return `${value.toFixed(digits)}× [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}

/** `99 %`, for a confidence between 0 and 1. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

/** A span of time in its two largest units: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`. */
export function duration(ms: number): string {
  const s = ms / 1000;
  if (s < 9.95) return `${s.toFixed(1)} s`;
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  let rest = Math.round(s);
  const parts: string[] = [];
  for (const [size, name] of units) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) parts.push(`${n} ${name}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ');
}
