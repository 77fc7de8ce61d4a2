// From the pages of a report to what travels: launches with their metrics, rules and lines, bounded, the hottest lines first.
import { isKernel } from '../../src/profile/readers/demangled.js';
import { type DetailedLaunch, readDetails } from '../../src/profile/readers/ncu-details.js';
import { type RawLaunch, readRaw } from '../../src/profile/readers/ncu-raw.js';
import {
  counter,
  type LineRow,
  type LineTable,
  readLineSource,
  readSassSource,
  type SassTable,
} from '../../src/profile/readers/ncu-source.js';
import { PROFILE_LIMITS, type ProfiledLaunch, type ProfiledLine } from '../protocol.js';
import type { Pages } from './ncu.js';

export interface Facts {
  launches: ProfiledLaunch[];
  warnings: string[];
  /** Counters of every instruction, by launch. */
  instructions: { launch: number; kernel: string; columns: string[]; rows: SassTable['instructions'] }[];
}

/**
 * @param wanted name of a kernel; launches of others are left out
 * @param fileOfJob the task's file that the compiler named so
 */
export function factsOf(
  pages: Pages,
  wanted: string | undefined,
  fileOfJob: (file: string) => string | undefined,
): Facts {
  const warnings: string[] = [];
  const raw = readRaw(pages.raw);
  const chosen = raw.filter((l) => wanted === undefined || isKernel(l.kernel, wanted));
  const details = new Map(readDetails(pages.details).map((l) => [l.id, l]));
  const lines = byLaunch(raw, readLineSource(pages.lines), warnings);
  const sass = byLaunch(raw, readSassSource(pages.sass), warnings);
  const launches = chosen
    .slice(0, PROFILE_LIMITS.launches)
    .map((launch) => launchOf(launch, details.get(launch.id), lines.get(launch.id) ?? [], fileOfJob));
  const instructions = chosen.flatMap(({ id, kernel }) =>
    (sass.get(id) ?? []).slice(0, 1).map(({ columns, instructions: rows }) => ({
      ...{ launch: id, kernel: kernel.text, columns, rows },
    })),
  );
  return { launches, warnings: [...new Set(warnings)], instructions };
}

/**
 * The source pages name kernels, not launches: the tables of a name are those of its launches in order, if there are as many
 * of them, file by file. Equal tables in a row are one that was printed twice.
 */
function byLaunch<T extends SassTable | LineTable>(
  launches: readonly RawLaunch[],
  tables: readonly T[],
  warnings: string[],
): Map<number, T[]> {
  const found = new Map<number, T[]>();
  for (const name of new Set(launches.map((l) => l.kernel.text))) {
    const ids = launches.filter((l) => l.kernel.text === name).map((l) => l.id);
    const mine = tables.filter((t) => t.kernel.text === name).filter(once());
    const fileOf = (table: T): string => ('file' in table ? table.file : '');
    for (const file of new Set(mine.map(fileOf))) {
      const of = mine.filter((t) => fileOf(t) === file);
      if (of.length === ids.length) ids.forEach((id, i) => found.set(id, [...(found.get(id) ?? []), of[i]!]));
      else
        warnings.push(
          `${name} was launched ${ids.length} times and has ${of.length} tables of counters${file && ` in ${file}`}: they are left out`,
        );
    }
  }
  return found;
}

function once(): (table: SassTable | LineTable) => boolean {
  const seen = new Set<string>();
  return (table) => {
    const key = JSON.stringify(table);
    return !seen.has(key) && seen.add(key) !== undefined;
  };
}

function launchOf(
  { id, kernel, grid, block, metrics }: RawLaunch,
  details: DetailedLaunch | undefined,
  tables: readonly LineTable[],
  fileOfJob: (file: string) => string | undefined,
): ProfiledLaunch {
  const lines = tables
    .flatMap((table) => table.lines.map((line) => lineOf(table, line, fileOfJob)))
    .sort((a, b) => b.samples - a.samples);
  const kept = lines.slice(0, PROFILE_LIMITS.lines);
  return {
    id,
    kernel,
    ...(grid && { grid }),
    ...(block && { block }),
    metrics: Object.fromEntries([...metrics].slice(0, PROFILE_LIMITS.metrics)),
    rules: (details?.rules ?? []).slice(0, PROFILE_LIMITS.rules),
    lines: kept,
    ...(kept.length < lines.length && { linesLeftOut: lines.length - kept.length }),
  };
}

const NOT_ISSUED = ' (Not Issued)';
/** The report names one reason in two ways. */
const reasonOf = (column: string): string =>
  column
    .replace(NOT_ISSUED, '')
    .replace(/^stall_/, '')
    .replace(/^sleeping$/, 'sleep');

function lineOf(table: LineTable, row: LineRow, fileOfJob: (file: string) => string | undefined): ProfiledLine {
  const of = (name: string): number | undefined => counter(table, row, name);
  const own = fileOfJob(table.file);
  const pair = (actual: string, ideal: string): { actual: number; ideal: number } | undefined => {
    const values = { actual: of(actual) ?? 0, ideal: of(ideal) ?? 0 };
    return values.actual > 0 ? values : undefined;
  };
  const globalSectors = pair('L2 Theoretical Sectors Global', 'L2 Theoretical Sectors Global Ideal');
  const sharedWavefronts = pair('L1 Wavefronts Shared', 'L1 Wavefronts Shared Ideal');
  const executed = of('Instructions Executed');
  const [all, notIssued] = stallsOf(table, row);
  return {
    file: own ?? table.file,
    isOfTask: own !== undefined,
    line: row.line,
    samples: of('Warp Stall Sampling (All Samples)') ?? of('# Samples') ?? 0,
    notIssued: of('Warp Stall Sampling (Not-issued Samples)') ?? 0,
    stalls: all,
    notIssuedStalls: notIssued,
    ...(executed !== undefined && { executed }),
    mix: mixOf(table, row),
    ...(globalSectors && { globalSectors }),
    ...(sharedWavefronts && { sharedWavefronts }),
  };
}

function stallsOf({ columns }: LineTable, { values }: LineRow): [Record<string, number>, Record<string, number>] {
  const all: Record<string, number> = {};
  const notIssued: Record<string, number> = {};
  columns.forEach((column, i) => {
    const value = values[i] ?? 0;
    if (!column.startsWith('stall_') || value === 0) return;
    (column.endsWith(NOT_ISSUED) ? notIssued : all)[reasonOf(column)] = value;
  });
  return [all, notIssued];
}

function mixOf(table: LineTable, { instructions }: LineRow): Record<string, number> {
  const mix: Record<string, number> = {};
  for (const instruction of instructions) {
    const executed = counter(table, instruction, 'Instructions Executed') ?? 0;
    const opcode = /^(?:@!?U?P\w+ )?(\w+)/.exec(instruction.sass)?.[1];
    if (opcode !== undefined && executed > 0) mix[opcode] = (mix[opcode] ?? 0) + executed;
  }
  return mix;
}
