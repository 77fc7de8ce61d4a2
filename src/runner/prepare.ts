// From a task file on disk to a task that can travel: sources read, files found and hashed, paths below one root.
import { parse as parseJsonc } from 'jsonc-parser';
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { FileRef, SourceFile, WireTask } from '../../remote-runner/protocol.js';
import { LIMITS } from '../../remote-runner/protocol.js';
import { checkCall } from '../kernel/call.js';
import type { KernelParser } from '../kernel/parser.js';
import { readKernels } from '../kernel/reader.js';
import { resolveCall } from '../task/call.js';
import { resolveKernel } from '../task/kernel-name.js';
import { parseTask } from '../task/parse.js';
import type { TaskFile } from '../task/schema.js';
import { TaskError } from '../task/types.js';
import { expand, isPattern } from './glob.js';
import type { Overlay } from './read.js';
import { Reader, outside } from './read.js';
import { TaskErrors } from './task-errors.js';
import { isBelow, wirePath, workspaceRoot } from './workspace.js';

export interface PreparedTask {
  task: TaskFile;
  wire: WireTask;
  /** Contents of the read-only files by sha256. */
  files: Map<string, Uint8Array>;
  /** Folder that the paths in `wire` are relative to. */
  root: string;
  taskFolder: string;
}

/** All read-only files together, bytes. */
const MOST_BYTES = 1024 * 2 ** 20;

/**
 * Reads a task and everything it names.
 * @param options.overlay unsaved text that wins over the disk
 * @param options.root workspace folder; by default the nearest with `.git`, else `.kernelseek`, else the task's own
 * @throws TaskError naming the place in the task file; TaskErrors where it has several faults
 */
export async function prepareTask(
  taskPath: string,
  options: { parser: () => Promise<KernelParser>; overlay?: Overlay; root?: string },
): Promise<PreparedTask> {
  const taskFile = path.resolve(taskPath);
  const taskFolder = path.dirname(taskFile);
  const root = path.resolve(options.root ?? workspaceRoot(taskFolder));
  const reader = new Reader(root, options.overlay ?? {});
  const text = await reader.text(taskFile, '$', LIMITS.source);
  const parsed = parseTask(text, path.basename(taskFile));
  if (!parsed.ok) throw new TaskErrors(parsed.errors);
  const { task } = parsed;
  const original = await readSources(task, taskFolder, root, reader, namesOne(text));
  const { reference, checkers } = await readJudges(task, taskFolder, root, reader);
  // What decides is nothing that a candidate could include.
  const apart = [...original, ...(reference ? [reference] : []), ...checkers].map((s) => s.path);
  const { refs, contents } = await readFiles(task, taskFolder, root, reader, new Set(apart));
  const wire: WireTask = { task, directory: wirePath(root, taskFolder), original, files: refs };
  if (reference) wire.reference = reference;
  if (checkers.length > 0) wire.checkers = checkers;
  const call = await callOf(task, original, options.parser);
  if (call !== undefined) wire.call = call;
  return { task, wire, files: contents, root, taskFolder };
}

/**
 * The one call the trampoline makes, read from the task or worked out from the signature of its entry or kernel.
 */
async function callOf(
  task: TaskFile,
  original: SourceFile[],
  load: () => Promise<KernelParser>,
): Promise<string | undefined> {
  const parser = await load();
  const read = original.map((source) => readKernels(parser, source.text));
  const kernels = read.flatMap((file) => file.kernels);
  if (task.kernel !== undefined) {
    return resolveKernel(
      task,
      kernels,
      read.some((file) => file.unread.length > 0 || file.includes.some((i) => i.quoted)),
    );
  }
  const call = resolveCall(task, { hostFunctions: read.flatMap((file) => file.hostFunctions), kernels });
  const complaint = checkCall(parser, call);
  if (complaint !== undefined) throw new TaskError('$.call', `${JSON.stringify(call)} ${complaint}`);
  return call;
}

/** True when the task is written with "source", which the parsed task no longer tells from "sources". */
function namesOne(text: string): boolean {
  const written: unknown = parseJsonc(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true });
  return typeof written === 'object' && written !== null && 'source' in written;
}

async function readSources(
  task: TaskFile,
  folder: string,
  root: string,
  reader: Reader,
  isOne: boolean,
): Promise<SourceFile[]> {
  const sources: SourceFile[] = [];
  for (const [i, source] of task.sources.entries()) {
    const file = path.resolve(folder, source);
    const text = await reader.text(file, isOne ? '$.source' : `$.sources[${i}]`, LIMITS.source);
    sources.push({ path: wirePath(root, file), text });
  }
  return sources;
}

/** The sources that decide what is right. */
async function readJudges(
  task: TaskFile,
  folder: string,
  root: string,
  reader: Reader,
): Promise<{ reference?: SourceFile; checkers: SourceFile[] }> {
  const read = async (name: string, at: string): Promise<SourceFile> => {
    const file = path.resolve(folder, name);
    return { path: wirePath(root, file), text: await reader.text(file, at, LIMITS.source) };
  };
  const checkers = new Map<string, SourceFile>();
  for (const [i, { compare }] of task.arguments.entries()) {
    if (typeof compare !== 'object') continue;
    const checker = await read(compare.check, `$.arguments[${i}].compare.check`);
    checkers.set(checker.path, checker);
  }
  const reference = task.reference === 'original' ? undefined : await read(task.reference, '$.reference');
  return { ...(reference && { reference }), checkers: [...checkers.values()] };
}

async function readFiles(
  task: TaskFile,
  folder: string,
  root: string,
  reader: Reader,
  sources: ReadonlySet<string>,
): Promise<{ refs: FileRef[]; contents: Map<string, Uint8Array> }> {
  const refs = new Map<string, FileRef>();
  const contents = new Map<string, Uint8Array>();
  let total = 0;
  for (const { pattern, at } of named(task)) {
    for (const file of await find(root, folder, pattern, at)) {
      const wirePathOfFile = wirePath(root, file);
      if (sources.has(wirePathOfFile) || refs.has(wirePathOfFile)) continue;
      const bytes = await reader.bytes(file, at, LIMITS.file);
      total += bytes.length;
      if (total > MOST_BYTES)
        throw new TaskError(at, `the files have more than ${MOST_BYTES} bytes together: name fewer`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      refs.set(wirePathOfFile, { path: wirePathOfFile, sha256, size: bytes.length });
      contents.set(sha256, bytes);
      if (refs.size > LIMITS.files) throw tooMany(at);
    }
  }
  return { refs: [...refs.values()], contents };
}

/** Every path or pattern in the task that a read-only file stands behind. */
function named(task: TaskFile): { pattern: string; at: string }[] {
  const files = task.files.map((pattern, i) => ({ pattern, at: `$.files[${i}]` }));
  const fills = task.arguments.flatMap(({ fill }, i) =>
    typeof fill === 'object' && 'file' in fill ? [{ pattern: fill.file, at: `$.arguments[${i}].fill.file` }] : [],
  );
  return [...files, ...fills];
}

async function find(root: string, folder: string, pattern: string, at: string): Promise<string[]> {
  const segments = pattern.split('/');
  const wild = segments.findIndex(isPattern);
  if (wild < 0) return [path.resolve(folder, pattern)];
  // Before looking: a pattern must not make us walk the whole disk.
  if (!isBelow(root, path.resolve(folder, ...segments.slice(0, wild)))) throw outside(root, pattern, at);
  if (segments.slice(wild).includes('..'))
    throw new TaskError(at, `"${pattern}" has .. after a wildcard: put it before`);
  if (segments.filter((s) => s === '**').length > 1)
    throw new TaskError(at, `"${pattern}" has ** twice: once is enough`);
  const found = await expand(folder, segments, LIMITS.files + 1);
  if (found.length === 0) throw new TaskError(at, `"${pattern}" matches no file below ${folder}`);
  if (found.length > LIMITS.files) throw tooMany(at);
  return found;
}

const tooMany = (at: string): TaskError =>
  new TaskError(at, `names more than ${LIMITS.files} files: use a narrower pattern`);

/**
 * The candidate that has another file's text in place of the task's source.
 * @param at what names the file, for errors
 * @throws TaskError when the task has several sources, or the file cannot be read
 */
export async function candidateFrom({ wire }: PreparedTask, otherFile: string, at: string): Promise<SourceFile[]> {
  const [only, ...others] = wire.original;
  if (!only || others.length > 0) {
    throw new TaskError(
      at,
      `the task has ${wire.original.length} sources: another file can stand in for a single one only`,
    );
  }
  const file = path.resolve(otherFile);
  // The user names this file, not the task: it may lie anywhere.
  const text = await new Reader(path.parse(file).root, {}).text(file, at, LIMITS.source);
  return [{ path: only.path, text }];
}
