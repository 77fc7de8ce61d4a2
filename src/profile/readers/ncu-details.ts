// Reads `ncu --csv --page details`: the metrics of each section, and the rules with their estimated speedup.
import type { NcuLaunch } from './ncu-raw.js';
import { launchOf } from './ncu-raw.js';
import type { Quantity } from './quantity.js';
import { readNumber, readQuantity } from './quantity.js';
import { readRows } from './rows.js';

/** A rule of Nsight Compute that has something to say. */
export interface NcuRule {
  section: string;
  name: string;
  /** `OPT` could be faster, `WRN` a warning, `INF` information; others are kept as printed. */
  type: string;
  text: string;
  /** Of the kernel (`global`) or of the part that the section looks at (`local`), percent. */
  speedup?: { scope: string; percent: number };
}

export interface DetailedLaunch extends NcuLaunch {
  metrics: { section: string; name: string; quantity: Quantity }[];
  rules: NcuRule[];
}

/** Launches in the order printed. */
export function readDetails(text: string): DetailedLaunch[] {
  const launches = new Map<number, DetailedLaunch>();
  let header: string[] | undefined;
  for (const row of readRows(text)) {
    if (row[0] === 'ID' && row.includes('Section Name')) {
      header = row;
      continue;
    }
    const about = header && launchOf(header, row);
    if (!header || !about) continue;
    const launch = launches.get(about.id) ?? { ...about, metrics: [], rules: [] };
    launches.set(about.id, launch);
    const cell = (name: string): string => row[header!.indexOf(name)] ?? '';
    const section = cell('Section Name');
    const rule = ruleOf(cell, section);
    if (rule) launch.rules.push(rule);
    const quantity = readQuantity(cell('Metric Value'), cell('Metric Unit'));
    if (cell('Metric Name') !== '' && quantity) launch.metrics.push({ section, name: cell('Metric Name'), quantity });
  }
  return [...launches.values()];
}

function ruleOf(cell: (name: string) => string, section: string): NcuRule | undefined {
  const name = cell('Rule Name');
  if (name === '') return undefined;
  const percent = readNumber(cell('Estimated Speedup'));
  const scope = cell('Estimated Speedup Type');
  return {
    section,
    name,
    type: cell('Rule Type'),
    text: cell('Rule Description'),
    ...(percent !== undefined && scope !== '' && { speedup: { scope, percent } }),
  };
}
