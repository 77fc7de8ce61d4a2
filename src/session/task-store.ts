// The task as it was when its session began, kept in the session's folder: what is resumed is what was measured.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SourceFile, WireTask } from '../../remote-runner/protocol.js';
import { wireTask } from '../../remote-runner/protocol.js';
import type { PreparedTask } from '../runner/prepare.js';
import type { TaskFile } from '../task/schema.js';
import { FILES } from './place.js';

export async function storeTask(folder: string, wire: WireTask): Promise<void> {
  await writeFile(path.join(folder, FILES.task), JSON.stringify(wire), { flag: 'wx' });
}

/**
 * The stored task, for what is on disk now. The editable sources may have changed (the best may have been applied); task
 * file and read-only files must be what they were, or old and new verdicts could not be compared.
 * @throws Error naming the file that changed
 */
export async function storedTask(folder: string, now: PreparedTask): Promise<WireTask> {
  const file = path.join(folder, FILES.task);
  let stored: WireTask;
  try {
    stored = wireTask.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new Error(`${file} cannot be read (${String(error)}); start a new session`, { cause: error });
  }
  const changed = (what: string): Error =>
    new Error(`${what} changed since this session began; restore it, or start a new session`);
  const plain: unknown = JSON.parse(JSON.stringify(now.wire.task));
  if (!isDeepStrictEqual(stored.task, plain) || stored.directory !== now.wire.directory) throw changed('the task file');
  const judges = ({ reference, checkers = [] }: WireTask): SourceFile[] => [
    ...(reference ? [reference] : []),
    ...checkers,
  ];
  for (const { path: name, text } of judges(stored)) {
    if (!judges(now.wire).some((s) => s.path === name && s.text === text)) throw changed(name);
  }
  for (const { path: name, sha256 } of stored.files) {
    if (!now.files.has(sha256)) throw changed(name);
  }
  return stored;
}

/** Longest read-only file that the agent is shown, bytes. */
const READABLE = 512 * 1024;

/**
 * Text of the read-only files that the agent may view, by path. What decides correctness, and what a candidate is compared
 * with, is not among them.
 */
export function readableFiles(
  task: TaskFile,
  wire: WireTask,
  files: ReadonlyMap<string, Uint8Array>,
): Map<string, string> {
  const withheld = new Set<string>();
  const withhold = (name: string): unknown => withheld.add(path.posix.join(wire.directory, name));
  if (task.reference !== 'original') withhold(task.reference);
  for (const { sources } of task.compare) sources.forEach(withhold);
  const readable = new Map<string, string>();
  for (const { path: name, sha256, size } of wire.files) {
    const bytes = files.get(sha256);
    if (!bytes || withheld.has(name) || size > READABLE || bytes.includes(0)) continue;
    try {
      readable.set(name, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      // Not text: nothing to read in it.
    }
  }
  return readable;
}
