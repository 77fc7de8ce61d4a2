// Where a search may edit: integer constants, each at exactly one literal of one source.
import type { SourceFile } from '../../remote-runner/protocol.js';
import { applyConfiguration, discoverTunables, type Tunable } from '../kernel/tunables.js';
import type { IntegerConstant, KernelFile } from '../kernel/types.js';
import { TaskError } from '../task/types.js';
import type { Configuration } from './space.js';

/** A tunable with the source it stands in; its name is unique in the task. */
export interface Site extends Tunable {
  path: string;
}

/**
 * The constants that the task names, or where it names none, those the reader discovers.
 * @param tunables name → values, from the task
 * @param launchIsFixed the task itself gives grid and block: a constant that sets them in the file is then not offered, since
 *   the kernel would follow it and the launch would not
 * @throws TaskError when the task names a constant that is not there, or not there once
 */
export async function findSites(
  sources: readonly SourceFile[],
  tunables: Readonly<Record<string, readonly number[]>> | undefined,
  readKernels: (text: string) => Promise<KernelFile>,
  launchIsFixed = false,
): Promise<Site[]> {
  const files = await Promise.all(
    sources.map(async ({ path, text }) => ({ path, text, file: await readKernels(text) })),
  );
  if (tunables) {
    const all = files.flatMap(({ path, file }) => file.constants.map((constant) => ({ path, constant })));
    return Object.entries(tunables).map(([name, values]) => named(name, values, all));
  }
  const found = files.flatMap(({ path, text, file }) => {
    const setsLaunch = launchIsFixed ? namesInLaunches(file) : new Set<string>();
    return discoverTunables(file, text)
      .filter(({ constant }) => !setsLaunch.has(constant.name))
      .map((t) => ({ ...t, path }));
  });
  const isUnique = (name: string) => found.filter((site) => site.name === name).length === 1;
  return found.map((site) => (isUnique(site.name) ? site : { ...site, name: `${site.path}:${site.name}` }));
}

function namesInLaunches({ launches }: KernelFile): Set<string> {
  const texts = launches.flatMap(({ grid, block, shared }) => [grid.text, block.text, shared?.text ?? '']);
  return new Set(texts.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
}

function named(
  name: string,
  values: readonly number[],
  all: readonly { path: string; constant: IntegerConstant }[],
): Site {
  const found = all.filter(({ constant }) => constant.name === name);
  const [site] = found;
  if (site && found.length === 1) {
    return { name, ...site, values: [...new Set([...values, site.constant.value])].sort((a, b) => a - b) };
  }
  const places = found.map(({ path, constant }) => `${path}:${constant.literal.range.start.line + 1}`);
  const known = [...new Set(all.map(({ constant }) => constant.name))].join(', ') || 'none';
  const message =
    found.length > 0
      ? `stands at ${places.join(' and ')}: a tunable needs one place, so derive one from the other`
      : `no #define, constexpr, const or enum of that name has an integer literal in the sources; there are: ${known}`;
  throw new TaskError(`$.tunables.${name}`, message);
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
    const own = sites.filter((site) => site.path === path);
    const values = Object.fromEntries(own.map(({ name }) => [name, Number(configuration[name])]));
    return { path, text: applyConfiguration(text, own, values) };
  });
}
