// What may leave this machine for a model: the task's sources and read-only files, less what a person withholds.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { covers } from '../runner/glob.js';
import type { PreparedTask } from '../runner/prepare.js';
import { FOLDER } from './place.js';
import { readableFiles } from './task-store.js';

/** Globs of files that no model is shown, one a line; `#` begins a comment. In `.kernelseek/` of the workspace. */
const DENY_FILE = 'deny';

/** The globs of a workspace, and those given otherwise. Paths are relative to the workspace, with `/`. */
async function denied(workspace: string, given: readonly string[] = []): Promise<(file: string) => boolean> {
  const text = await readFile(path.join(workspace, FOLDER, DENY_FILE), 'utf8').catch((error: unknown) => {
    // A file that is there and cannot be read must not count as none.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^#.*/, '').trim());
  const globs = [...lines, ...given].filter((glob) => glob !== '');
  // A bare name is meant wherever it stands, as in .gitignore.
  return (file) => globs.some((glob) => covers(glob.replace(/\/$/, '').includes('/') ? glob : `**/${glob}`, file));
}

export interface Leaves {
  /** Paths of what a model may be shown. */
  files: string[];
  /** Read-only files that it could have been shown. */
  withheld: string[];
  /** Text of the read-only files among `files`, by path. */
  readable: ReadonlyMap<string, string>;
}

/**
 * What of a task may be sent to a model.
 * @param deny globs besides those of the workspace
 * @throws Error when a source that the model is to edit may not leave the machine
 */
export async function leavesOf(
  workspace: string,
  { task, wire, files }: PreparedTask,
  deny: readonly string[] | undefined,
): Promise<Leaves> {
  const isDenied = await denied(workspace, deny);
  const sources = wire.original.map((s) => s.path);
  const kept = sources.find(isDenied);
  if (kept !== undefined) {
    throw new Error(
      `${kept} may not leave this machine (${FOLDER}/${DENY_FILE}, or a setting), and a model would have to read it; ` +
        'the strategy "tune" needs no model',
    );
  }
  const all = readableFiles(task, wire, files);
  const readable = new Map([...all].filter(([file]) => !isDenied(file)));
  return { files: [...sources, ...readable.keys()], withheld: [...all.keys()].filter(isDenied), readable };
}
