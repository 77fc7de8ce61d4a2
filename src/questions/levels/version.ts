// One version of the sources cut into units: functions with what they are, and the declarations between them.
import type { SourceFile } from '../../../remote-runner/protocol.js';
import { findFunctions, type FoundFunction } from '../../kernel/functions.js';
import type { KernelParser } from '../../kernel/parser.js';
import { maskedSource, type MaskedSource } from '../../kernel/reader.js';
import type { Token } from '../../kernel/tokens.js';
import { expanded, readConstants, type Constants } from './constants.js';

export interface Unit {
  kind: 'kernel' | 'device' | 'host' | 'declaration';
  /** Of a function. */
  found?: FoundFunction;
  file: FileVersion;
  /** Values of its template parameters, as launches say them. */
  values: ReadonlyMap<string, string>;
  /** Token positions in the file; the end is one past. */
  from: number;
  to: number;
}

export interface FileVersion {
  source: MaskedSource;
  units: Unit[];
  constants: Constants;
}

export interface Version {
  files: FileVersion[];
  units: Unit[];
}

export function readVersion(parser: KernelParser, sources: readonly SourceFile[]): Version {
  const files = sources.map(({ text }) => readFile(parser, text));
  const units = files.flatMap((f) => f.units);
  bindTemplates(files, units);
  return { files, units };
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Gives kernels the values that launches instantiate them with, those of several launches together. */
function bindTemplates(files: readonly FileVersion[], units: readonly Unit[]): void {
  const byName = new Map(units.flatMap((u) => (u.kind === 'kernel' && u.found ? [[u.found.name, u]] : [])));
  for (const { source, constants } of files) {
    for (const { kernel, templateArguments } of source.launches) {
      const unit = byName.get(kernel.split('::').at(-1) ?? kernel);
      const given = templateArguments?.split(',').map((v) => v.trim()) ?? [];
      if (!unit || given.length === 0) continue;
      const values = new Map(unit.values);
      unit.found?.templateParameters.forEach(({ kind, name }, i) => {
        const value = given[i];
        if (kind !== 'value' || value === undefined) return;
        const now = expanded(constants, value).join(' ');
        const before = values.get(name);
        values.set(
          name,
          before === undefined || before.split('|').includes(now) ? (before ?? now) : `${before}|${now}`,
        );
      });
      unit.values = values;
    }
  }
}

function readFile(parser: KernelParser, text: string): FileVersion {
  const source = maskedSource(text);
  const functions = parser
    .withTree(source.masked, findFunctions)
    .filter((f) => f.bodyStart !== undefined)
    .sort((a, b) => a.start - b.start);
  const file: FileVersion = { source, units: [], constants: new Map() };
  let next = 0;
  for (const found of functions) {
    const first = tokenAt(source.tokens, found.start);
    // Inside of a function already read: a tree that is broken.
    if (first < next) continue;
    const from = startOf(source.tokens, first, next);
    const to = tokenAt(source.tokens, found.end);
    file.units.push(...declarations(file, next, from));
    file.units.push({ kind: kindOf(source, from, found), found, file, values: NONE, from, to });
    next = to;
  }
  file.units.push(...declarations(file, next, source.tokens.length));
  const hostBodies = file.units.flatMap(({ kind, found }) =>
    kind === 'host' && found?.bodyStart !== undefined ? [{ start: found.bodyStart, end: found.end }] : [],
  );
  file.constants = readConstants(source, hostBodies);
  return file;
}

/** Index of the first token that starts at an offset or after it. */
export function tokenAt(tokens: readonly Token[], offset: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.start ?? Infinity) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first token of a function, masked qualifiers in front of it included. */
function startOf(tokens: readonly Token[], first: number, floor: number): number {
  let at = first;
  while (at > floor && ![';', '{', '}'].includes(tokens[at - 1]?.text ?? '')) at--;
  return at;
}

function kindOf({ tokens, qualified }: MaskedSource, from: number, found: FoundFunction): Unit['kind'] {
  const start = tokens[from]?.start ?? 0;
  const kinds = new Set(
    qualified.qualifiers.filter((q) => q.start >= start && q.end <= (found.bodyStart ?? start)).map((q) => q.kind),
  );
  if (kinds.has('global')) return 'kernel';
  return kinds.has('device') ? 'device' : 'host';
}

/** Statements outside of functions: to their semicolon, what wraps functions cut at its braces. */
function declarations(file: FileVersion, from: number, to: number): Unit[] {
  const { tokens, partners } = file.source;
  const units: Unit[] = [];
  let start = from;
  const push = (end: number): void => {
    if (end > start) units.push({ kind: 'declaration', file, values: NONE, from: start, to: end });
  };
  for (let i = from; i < to; i++) {
    const partner = partners.get(i) ?? -1;
    if (partner > i && partner < to) i = partner;
    else if (tokens[i]?.text === '{' || tokens[i]?.text === '}') start = i + 1;
    else if (tokens[i]?.text === ';') {
      push(i);
      start = i + 1;
    }
  }
  push(to);
  return units;
}
