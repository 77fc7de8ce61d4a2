// Where a search may edit: integer constants, each at exactly one literal of one source.
import type { SourceFile } from '../../remote-runner/protocol.js';
import type { IntegerConstant, KernelFile } from '../kernel/types.js';
import { TaskError } from '../task/types.js';
import type { Configuration } from './space.js';

export interface Site {
  /** Unique in the task: the constant's name, with its file where two files have one of that name. */
  name: string;
  path: string;
  constant: IntegerConstant;
  /** Values worth trying, the constant's own among them. */
  values: number[];
}

/**
 * The sites that the task names, or where it names none, those the reader discovers.
 * @param tunables name → values, from the task
 * @throws TaskError when the task names a constant that is not there, or not there once
 */
export async function findSites(
  sources: readonly SourceFile[],
  tunables: Readonly<Record<string, readonly number[]>> | undefined,
  readKernels: (text: string) => Promise<KernelFile>,
): Promise<Site[]> {
  const files = await Promise.all(sources.map(async ({ path, text }) => ({ path, file: await readKernels(text) })));
  const all = files.flatMap(({ path, file }) => file.constants.map((constant) => ({ path, constant })));
  if (!tunables) return [];
  return Object.entries(tunables).map(([name, values]) => {
    const found = all.filter(({ constant }) => constant.name === name);
    const [site] = found;
    if (!site || found.length > 1) throw notOne(name, found, all);
    return { name, ...site, values: ascending([...values, site.constant.value]) };
  });
}

function notOne(
  name: string,
  found: readonly { path: string; constant: IntegerConstant }[],
  all: readonly { constant: IntegerConstant }[],
): TaskError {
  const places = found.map(({ path, constant }) => `${path}:${constant.literal.range.start.line + 1}`);
  const known = [...new Set(all.map(({ constant }) => constant.name))].join(', ') || 'none';
  const message =
    found.length > 0
      ? `stands at ${places.join(' and ')}: a tunable needs one place, so derive one from the other`
      : `no #define, constexpr, const or enum of that name has an integer literal in the sources; there are: ${known}`;
  return new TaskError(`$.tunables.${name}`, message);
}

function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** The configuration that the sources have as they are. */
export function defaults(sites: readonly Site[]): Configuration {
  return Object.fromEntries(sites.map(({ name, constant }) => [name, constant.value]));
}

/** The sources with a configuration's values at their literals and nothing else changed. */
export function edited(
  sources: readonly SourceFile[],
  sites: readonly Site[],
  configuration: Configuration,
): SourceFile[] {
  return sources.map(({ path, text }) => {
    const own = sites.filter((site) => site.path === path && configuration[site.name] !== site.constant.value);
    // From the end, so that offsets of earlier literals stay true.
    own.sort((a, b) => b.constant.literal.range.startIndex - a.constant.literal.range.startIndex);
    for (const { name, constant } of own) {
      const { startIndex, endIndex } = constant.literal.range;
      text = text.slice(0, startIndex) + String(configuration[name]) + text.slice(endIndex);
    }
    return { path, text };
  });
}
