// The files of a job that its sources include, directly or not: only those are compiled, so only those can be unsupported.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BuildRequest } from '../toolchain.js';

const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/gm;

/** Path below the job root → text, the sources first. */
export async function reachableTexts(
  request: Pick<BuildRequest, 'sources' | 'files' | 'directory' | 'build'>,
): Promise<Map<string, string>> {
  const stored = new Map(request.files.map((f) => [f.path, f.stored]));
  const texts = new Map(request.sources.map((s) => [s.path, s.text]));
  // Folders are searched as the compiler does: beside the including file, then -I in order.
  const folders = request.build.include.map((i) => path.posix.join(request.directory, i));
  const queue = [...texts];
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [from, text] = next;
    for (const match of text.matchAll(INCLUDE)) {
      const wanted = match[1] ?? match[2] ?? '';
      const places = [...(match[1] === undefined ? [] : [path.posix.dirname(from)]), ...folders];
      const file = places.map((p) => path.posix.join(p, wanted)).find((p) => texts.has(p) || stored.has(p));
      if (file === undefined || texts.has(file)) continue;
      const content = await readFile(stored.get(file)!, 'utf8');
      texts.set(file, content);
      queue.push([file, content]);
    }
  }
  return texts;
}
