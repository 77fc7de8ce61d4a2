// Expands the `files` of a task: `*` and `?` within a name, `**` over folders. Names starting with a dot must be named.
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Whether this segment stands for more than one name. */
export const isPattern = (segment: string): boolean => /[*?]/.test(segment);

function regexOf(segment: string): RegExp {
  // Runs of * are one *: more would only make matching slow.
  const source = segment
    .replace(/\*+/g, '*')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${source}$`, 'su');
}

function matcher(segment: string): (name: string) => boolean {
  const regex = regexOf(segment);
  return (name) => (segment.startsWith('.') || !name.startsWith('.')) && regex.test(name);
}

/**
 * Whether a pattern names a file, or a folder that it lies in; here names that start with a dot are like all others.
 * @param file relative, with `/`
 */
export function covers(pattern: string, file: string): boolean {
  return below(
    pattern.split('/').filter((segment) => segment !== ''),
    file.split('/'),
  );
}

function below([segment, ...rest]: readonly string[], names: readonly string[]): boolean {
  if (segment === undefined) return true;
  const [name, ...deeper] = names;
  if (segment === '**') return below(rest, names) || (name !== undefined && below([segment, ...rest], deeper));
  return name !== undefined && regexOf(segment).test(name) && below(rest, deeper);
}

/** Sorted, so that the same folder always gives the same job. */
async function entries(folder: string): Promise<Dirent[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Absolute paths of the files below `folder` that match the pattern, given as its segments; paths as named (links are not resolved;
 * `**` does not go into linked folders, so it ends). Stops after `most`.
 */
export async function expand(folder: string, segments: string[], most: number): Promise<string[]> {
  const found: string[] = [];
  await walk(folder, segments, found, most);
  return [...new Set(found)];
}

async function walk(folder: string, segments: string[], found: string[], most: number): Promise<void> {
  const [segment, ...rest] = segments;
  if (segment === undefined || found.length >= most) return;
  if (segment === '**') {
    await walk(folder, rest.length > 0 ? rest : ['*'], found, most);
    for (const entry of await entries(folder)) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) {
        await walk(path.join(folder, entry.name), segments, found, most);
      }
    }
    return;
  }
  const matches = matcher(segment);
  const names = isPattern(segment) ? (await entries(folder)).map((e) => e.name).filter(matches) : [segment];
  for (const name of names) {
    const next = path.join(folder, name);
    const info = await stat(next).catch(() => undefined);
    if (rest.length > 0 && info?.isDirectory()) await walk(next, rest, found, most);
    else if (rest.length === 0 && info?.isFile() && found.length < most) found.push(next);
  }
}
