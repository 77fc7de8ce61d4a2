// Where a ratio stands on the chart: a logarithmic axis, since a gain of 2 and a loss of 2 are as far from nothing.

export interface Scale {
  /** Position of a ratio between 0 (bottom) and 1 (top); held within. */
  at(ratio: number): number;
  ticks: number[];
}

/** Ratios that read well on an axis, as coarse as the span allows. */
const STEPS = [
  [1, 2, 5],
  [1, 1.5, 2, 3, 5, 7],
  [1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6, 7, 8, 9],
] as const;
const WANTED = 5;

/** An axis that shows 1 and all of these positive ratios. */
export function scaleOf(ratios: readonly number[]): Scale {
  const known = ratios.filter((r) => Number.isFinite(r) && r > 0);
  const low = Math.min(1, ...known) / 1.04;
  const high = Math.max(1, ...known) * 1.06;
  const span = Math.log(high / low);
  return {
    at: (ratio) => (ratio > 0 ? Math.min(1, Math.max(0, Math.log(ratio / low) / span)) : 0),
    ticks: ticksOf(low, high),
  };
}

function ticksOf(low: number, high: number): number[] {
  for (const steps of STEPS) {
    const ticks = decades(low, high).flatMap((decade) => steps.map((step) => step * decade));
    const inside = ticks.filter((tick) => tick >= low && tick <= high);
    if (inside.length >= WANTED) return thinned(inside);
  }
  // A narrow span: even steps around 1.
  const step = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].find((s) => (high - low) / s <= 8) ?? 1;
  const first = Math.ceil(low / step);
  const count = Math.min(12, Math.floor(high / step) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => Number(((first + i) * step).toFixed(3)));
}

/** Powers of ten from below `low` to `high`. */
function decades(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.min(Math.floor(Math.log10(high)), first + 24);
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

/** At most twelve, 1 among them where it was. */
function thinned(ticks: number[]): number[] {
  const every = Math.ceil(ticks.length / 12);
  const one = Math.max(0, ticks.indexOf(1));
  return ticks.filter((_, i) => (i - one) % every === 0);
}
