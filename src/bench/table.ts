// Reports of benches as lines of a terminal.
import type { Curve, SpacesReport } from './spaces.js';
import type { Estimate } from './statistics.js';

/** One block a space, then the averages. */
export function curveLines({ budgets, spaces, average }: SpacesReport): string[] {
  const names = [...new Set(spaces.map((s) => s.space))];
  const blocks = names.flatMap((name) => {
    const own = spaces.filter((s) => s.space === name);
    const random = own[0]
      ? [
          row(
            'random (exact)',
            own[0].random.map((v) => v.toFixed(3)),
          ),
        ]
      : [];
    return ['', heading(name, budgets), ...random, ...own.map((s) => fractions(labelOf(s), s))];
  });
  const means = Object.entries(average);
  return [
    ...blocks.slice(1),
    '',
    heading(`mean of ${names.length} spaces`, budgets),
    ...means.map(([name, curve]) => fractions(name, curve)),
    '',
    heading('normalised, (f − random) / (1 − random)', budgets),
    ...means.map(([name, curve]) => row(name, curve.normalized.map(interval))),
  ];
}

function labelOf({ optimizer, settings }: SpacesReport['spaces'][number]): string {
  return settings ? `${optimizer}: first ${settings.first}, length ${settings.length}` : optimizer;
}

function fractions(name: string, curve: Curve): string {
  return row(name, curve.fraction.map(interval));
}

function interval({ mean, high }: Estimate): string {
  return `${mean.toFixed(3)} ±${(high - mean).toFixed(3)}`;
}

function heading(title: string, budgets: readonly number[]): string {
  return row(title, budgets.map(String));
}

function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(42)}${cells.map((c) => c.padStart(14)).join('')}`;
}
