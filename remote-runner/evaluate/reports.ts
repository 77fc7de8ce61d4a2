// What a comparison says, as the verdict reports it.
import type { Finding, OutputReport } from '../protocol.js';
import type { Comparison } from './comparison.js';
import type { Layout } from './layout.js';

const wire = (n: number): number | string =>
  Number.isFinite(n) ? n : Number.isNaN(n) ? 'nan' : n > 0 ? 'inf' : '-inf';

export function reports(layout: Layout, comparison: Comparison): OutputReport[] {
  return comparison.outputs.map((o) => {
    const { name, tolerance } = layout.regions[o.region]!.argument;
    return {
      name,
      elements: o.elements,
      mismatches: o.mismatches,
      maxAbs: wire(o.maxAbs),
      maxRel: wire(o.maxRel),
      ...tolerance,
      first: o.first,
      ...(o.message === undefined ? {} : { message: o.message }),
    };
  });
}

/** What a comparison says of the memory around and between outputs and of the inputs. */
export function integrity(layout: Layout, comparison: Comparison): Finding[] {
  const name = (region: number): string => layout.regions[region]!.argument.name;
  const where = `scenario ${layout.scenario.id}`;
  return [
    ...comparison.fences.map((f) => {
      const edge = f.side === 'before' ? 'before the start' : 'after the end';
      const place = f.distance === 0 ? `right ${edge}` : `${f.distance} bytes ${edge}`;
      return {
        code: 'out_of_bounds_write',
        message: `${where}: a write out of bounds, ${place} of ${name(f.region)}`,
      };
    }),
    ...comparison.gaps.map(({ region, element }) => ({
      code: 'out_of_bounds_write',
      message: `${where}: a write out of bounds, between the elements of ${name(region)}, ${element} elements after its start`,
    })),
    ...comparison.changedSegment.map((region) => ({
      code: 'input_changed',
      message: `${where}: what all sides are handed for ${name(region)} was written to in memory that is not the candidate's`,
    })),
    ...comparison.changedInputs.map((region) => ({
      code: 'input_changed',
      message: `${where}: the input ${name(region)} was written to; if that is meant, its role is inout`,
    })),
  ];
}

export function firstMismatch(outputs: OutputReport[]): string {
  const bad = outputs.find((o) => o.mismatches > 0);
  if (!bad) return '';
  if (bad.message !== undefined) return `the checker refuses ${bad.name}: ${bad.message}`;
  const at = bad.first[0];
  if (!at) return '';
  return `${bad.name}[${at.index}]: expected ${at.expected}, got ${at.got} (${bad.mismatches} of ${bad.elements} elements differ)`;
}
