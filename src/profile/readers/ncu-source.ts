// Reads `ncu --csv --page source`: counters by instruction, and with `--print-source cuda,sass` by source line as well.
import type { Demangled } from './demangled.js';
import { readDemangled } from './demangled.js';
import { readNumber } from './quantity.js';
import { readRows } from './rows.js';

/** The counters of one row: `values[i]` belongs to `columns[i]` of its table; absent where the tool printed no number. */
export interface SourceRow {
  values: (number | undefined)[];
}

export interface SassRow extends SourceRow {
  /** Bytes from the first instruction of the kernel. */
  offset: number;
  /** The instruction with its predicate, blanks put together. */
  sass: string;
  /** `Global(2), Generic(1)`: only for accesses to memory. */
  addressSpace?: string;
  operation?: string;
}

export interface LineRow extends SourceRow {
  line: number;
  /** Text of the line as the report holds it, without its indent. */
  text: string;
  instructions: SassRow[];
}

/** Counters of one launch's instructions. */
export interface SassTable {
  kernel: Demangled;
  columns: string[];
  instructions: SassRow[];
}

/** Counters of one launch's lines in one file. */
export interface LineTable {
  kernel: Demangled;
  /** As the compiler saw it. */
  file: string;
  columns: string[];
  lines: LineRow[];
}

/** Blocks of `--print-source sass`, one a launch, in the order printed. */
export function readSassSource(text: string): SassTable[] {
  const tables: SassTable[] = [];
  let current: { table: SassTable; header: Header; start?: number } | undefined;
  let kernel: Demangled | undefined;
  for (const row of readRows(text)) {
    if (row[0] === 'Kernel Name') {
      kernel = readDemangled(row[1] ?? '');
      current = undefined;
    } else if (row[0] === 'Address' && kernel) {
      const header = headerOf(row);
      const table = { kernel, columns: header.columns, instructions: [] };
      tables.push(table);
      current = { table, header };
    } else if (current) {
      const address = addressOf(row[current.header.address]);
      if (address === undefined) continue;
      current.start ??= address;
      current.table.instructions.push(sassOf(row, current.header, address - current.start));
    }
  }
  return tables;
}

/**
 * Blocks of `--print-source cuda,sass`, one for every file of a launch, in the order printed. An instruction that was inlined
 * from a header stands under the line of the header and under the line that called it: files are not added up.
 */
export function readLineSource(text: string): LineTable[] {
  const tables: LineTable[] = [];
  let file: string | undefined;
  let current: { table: LineTable; header: Header } | undefined;
  /** Lines of several files belong to one kernel: offsets count from its lowest address. */
  const starts = new Map<string, number>();
  for (const row of readRows(text)) {
    if (row[0] === 'File Path') {
      file = row[1];
      current = undefined;
    } else if (row[0] === 'Function Name' && file !== undefined) {
      const table: LineTable = { kernel: readDemangled(row[1] ?? ''), file, columns: [], lines: [] };
      tables.push(table);
      current = { table, header: headerOf([]) };
    } else if (row[0] === 'Line No' && current) {
      current.header = headerOf(row);
      current.table.columns = current.header.columns;
    } else if (current) {
      readLine(row, current.table, current.header, starts);
    }
  }
  for (const { kernel, lines } of tables) {
    const start = starts.get(kernel.text) ?? 0;
    for (const { instructions } of lines) for (const instruction of instructions) instruction.offset -= start;
  }
  return tables;
}

function readLine(row: string[], table: LineTable, header: Header, starts: Map<string, number>): void {
  const line = readNumber(row[0] ?? '');
  if (line !== undefined) {
    table.lines.push({ line, text: (row[1] ?? '').trim(), values: valuesOf(row, header), instructions: [] });
    return;
  }
  const address = addressOf(row[header.address]);
  // A row of dots stands for instructions of other lines.
  if (address === undefined) return;
  const { text } = table.kernel;
  starts.set(text, Math.min(address, starts.get(text) ?? address));
  table.lines.at(-1)?.instructions.push(sassOf(row, header, address));
}

interface Header {
  /** Where the address stands; the instruction follows it. */
  address: number;
  /** Names of the counters, and where each stands. */
  columns: string[];
  at: number[];
  space: number;
  operation: number;
}

function headerOf(row: string[]): Header {
  const address = Math.max(0, row.indexOf('Address'));
  const header: Header = { address, columns: [], at: [], space: -1, operation: -1 };
  row.forEach((name, i) => {
    if (i <= address + 1) return;
    if (name === 'Address Space') header.space = i;
    else if (name === 'Access Operation') header.operation = i;
    // A name that comes twice would hide the first.
    else if (!header.columns.includes(name)) {
      header.columns.push(name);
      header.at.push(i);
    }
  });
  return header;
}

function sassOf(row: string[], header: Header, offset: number): SassRow {
  const addressSpace = row[header.space]?.trim();
  const operation = row[header.operation]?.trim();
  return {
    offset,
    sass: (row[header.address + 1] ?? '').trim().replace(/\s+/g, ' '),
    values: valuesOf(row, header),
    ...(addressSpace && addressSpace !== '-' && { addressSpace }),
    ...(operation && operation !== '-' && { operation }),
  };
}

function valuesOf(row: string[], header: Header): (number | undefined)[] {
  return header.at.map((i) => readNumber(row[i] ?? ''));
}

function addressOf(cell: string | undefined): number | undefined {
  return cell !== undefined && /^0x[0-9a-f]+$/i.test(cell) ? Number.parseInt(cell, 16) : undefined;
}

/** The counter of that name in a row of the table. */
export function counter(table: { columns: string[] }, row: SourceRow, name: string): number | undefined {
  return row.values[table.columns.indexOf(name)];
}
