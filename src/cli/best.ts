// The best candidate of a session as sources: read from its history, written to disk.
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SourceFile } from '../../remote-runner/protocol.js';
import { bestOf, type SessionState } from '../session/fold.js';
import { History } from '../session/history.js';
import { CliError, EXIT, messageOf } from './exit.js';

export interface Best {
  id: string;
  original: SourceFile[];
  sources: SourceFile[];
}

/** The confirmed best of a session and the original it is compared with; undefined when no gain was confirmed. */
export async function bestSources(folder: string, state: SessionState): Promise<Best | undefined> {
  const best = bestOf(state);
  if (!best?.confirmed) return undefined;
  const history = await History.open(folder);
  return {
    id: best.candidate.id,
    original: await history.read(await history.find('original')),
    sources: await history.read(best.candidate.commit),
  };
}

/** Writes sources below a folder, making folders as needed; returns the files written. */
export async function writeSources(folder: string, sources: readonly SourceFile[]): Promise<string[]> {
  const files: string[] = [];
  for (const { path: name, text } of sources) {
    const file = inside(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    files.push(file);
  }
  return files;
}

/**
 * Puts the best into the files it came from; all or none, and only where they still hold the original.
 * @param root folder that source paths are relative to
 * @throws CliError naming the file that changed since the session began
 */
export async function applyBest(root: string, best: Best): Promise<string[]> {
  const changed = best.sources.filter(({ path: name, text }) => original(best, name) !== text);
  const top = await realpath(root);
  for (const { path: name } of changed) {
    const file = inside(root, name);
    const real = await realpath(file).catch((error: unknown) => {
      throw new CliError(`not applied: ${file}: ${messageOf(error)}`, EXIT.bad);
    });
    inside(top, path.relative(top, real));
    if ((await readFile(real, 'utf8')) !== original(best, name)) {
      throw new CliError(
        `not applied: ${file} was changed since the session began; what would change is in the diff above`,
        EXIT.bad,
      );
    }
  }
  return writeSources(root, changed);
}

function original(best: Best, name: string): string | undefined {
  return best.original.find((source) => source.path === name)?.text;
}

/** Names come from a trace and a repository on disk: neither may lead out of the folder. */
function inside(folder: string, name: string): string {
  const file = path.resolve(folder, name);
  const relative = path.relative(folder, file);
  if (relative === '' || relative.startsWith('..') || path.isAbsolute(relative)) {
    throw new CliError(`"${name}" leads out of ${folder}`);
  }
  return file;
}
