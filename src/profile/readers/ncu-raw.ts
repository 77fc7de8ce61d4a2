// Reads `ncu --csv --page raw`: one row a launch, one column a metric, units in the row below the header.
import type { Demangled } from './demangled.js';
import { readDemangled } from './demangled.js';
import type { Quantity } from './quantity.js';
import { readNumber, readQuantity } from './quantity.js';
import { readRows } from './rows.js';

/** One kernel launch as Nsight Compute saw it. */
export interface NcuLaunch {
  /** In the order of the report; two launches of one kernel have two. */
  id: number;
  kernel: Demangled;
  device: number;
  stream?: number;
  /** Blocks and threads in x, y, z. */
  grid?: [number, number, number];
  block?: [number, number, number];
  /** Of the device, as `9.0`. */
  computeCapability?: string;
}

export interface RawLaunch extends NcuLaunch {
  /** By the metric's name, in base units. What the chip lacks, or what came out as no number, is not here. */
  metrics: Map<string, Quantity>;
  /** Cells that hold text: names of the device, modes. */
  texts: Map<string, string>;
}

const NO_DATA = /^(?:|n\/?a|-?nan(?:\(.*\))?|[+-]?inf(?:inity)?|no data|\(!\).*|-)$/i;

/** Launches in the order printed; none for text that holds no such table. */
export function readRaw(text: string): RawLaunch[] {
  const launches: RawLaunch[] = [];
  let header: string[] | undefined;
  let units: string[] | undefined;
  for (const row of readRows(text)) {
    if (row[0] === 'ID' && row.includes('Kernel Name')) {
      header = row;
      units = undefined;
    } else if (!header) continue;
    else if (!units) units = row;
    else {
      const launch = launchOf(header, row);
      if (launch) launches.push({ ...launch, ...cellsOf(header, units, row) });
    }
  }
  return launches;
}

/** What identifies the launch of a row; undefined for a row that names none. */
export function launchOf(header: readonly string[], row: readonly string[]): NcuLaunch | undefined {
  const cell = (name: string): string => row[header.indexOf(name)] ?? '';
  const id = readNumber(cell('ID'));
  if (id === undefined || cell('Kernel Name') === '') return undefined;
  const stream = readNumber(cell('Stream'));
  const grid = readDimensions(cell('Grid Size'));
  const block = readDimensions(cell('Block Size'));
  return {
    id,
    kernel: readDemangled(cell('Kernel Name')),
    device: readNumber(cell('Device')) ?? 0,
    ...(stream !== undefined && { stream }),
    ...(grid && { grid }),
    ...(block && { block }),
    ...(cell('CC') !== '' && { computeCapability: cell('CC') }),
  };
}

function readDimensions(cell: string): [number, number, number] | undefined {
  const [, x, y, z] = /^\((\d+), *(\d+), *(\d+)\)$/.exec(cell.trim()) ?? [];
  return z === undefined ? undefined : [Number(x), Number(y), Number(z)];
}

/** Columns before the first metric describe the launch. */
const FIXED = new Set(
  'ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block Size,Grid Size,Device,CC'.split(','),
);

function cellsOf(header: string[], units: string[], row: string[]): Pick<RawLaunch, 'metrics' | 'texts'> {
  const metrics = new Map<string, Quantity>();
  const texts = new Map<string, string>();
  header.forEach((name, column) => {
    const cell = row[column] ?? '';
    if (FIXED.has(name) || NO_DATA.test(cell.trim())) return;
    const quantity = readQuantity(cell, units[column] ?? '');
    if (quantity) metrics.set(name, quantity);
    else texts.set(name, cell);
  });
  return { metrics, texts };
}
