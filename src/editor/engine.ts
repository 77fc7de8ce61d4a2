// The rooms the editor needs but not at once: a bundle of its own (dist/engine.js), so that activation stays short.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SourceFile } from '../../remote-runner/protocol.js';
import { focusOn } from './launches.js';
import { VERSION } from './version.js';
import { createParser, type KernelParser } from '../kernel/parser.js';
import { readKernels as read } from '../kernel/reader.js';
import type { KernelFile } from '../kernel/types.js';
import { createConnect } from '../runner/connect.js';
import { draftTask, type Draft } from '../runner/draft.js';
import { prepareTask, type PreparedTask } from '../runner/prepare.js';
import type { RunnerAddress, RunnerConnection } from '../runner/types.js';
import { workspaceRoot } from '../runner/workspace.js';
import { History } from '../session/history.js';
import { isSessionId, sessionsFolder } from '../session/place.js';
import { readSession, type SessionListing } from '../session/sessions.js';

export { advance, bestOf, candidateOf, fold, verdictOf } from '../session/fold.js';
export { workspaceOf } from '../session/place.js';
export { readTrace } from '../session/trace.js';
export { SessionClient } from '../session/client.js';
export { gainOf } from '../report/gain.js';
export { noPaint } from '../report/paint.js';
export { verdictLines } from '../report/terminal.js';
export { TaskErrors } from '../runner/task-errors.js';
export { RunnerError } from '../runner/types.js';
export { bestText, sessionText } from './session-text.js';
export { taskText, withTolerances } from '../task/task-text.js';
export { freezeTolerance } from '../task/tolerance.js';
export { TaskError } from '../task/types.js';
export { locateJsonPath, outlineTask } from './task-outline.js';

let parser: Promise<KernelParser> | undefined;

/**
 * Kernels of a text; the grammar is loaded by the first call.
 * @param dist folder of the bundles
 */
export async function readKernels(text: string, dist: string): Promise<KernelFile> {
  return read(await grammar(dist), text);
}

function grammar(dist: string): Promise<KernelParser> {
  return (parser ??= loadParser(path.join(dist, 'grammar')));
}

async function loadParser(folder: string): Promise<KernelParser> {
  const [runtimeWasm, grammarWasm] = await Promise.all(
    ['web-tree-sitter.wasm', 'tree-sitter-cuda.wasm'].map((file) => readFile(path.join(folder, file))),
  );
  if (!runtimeWasm || !grammarWasm) throw new Error(`the grammar is not in ${folder}`);
  return createParser({ runtimeWasm, grammarWasm });
}

/** Sessions of a workspace, newest first, at most `most` of them; each is read only when it is asked for. */
export async function* newestSessions(workspace: string, most: number): AsyncGenerator<SessionListing> {
  const root = sessionsFolder(workspace);
  let names: string[];
  try {
    names = await readdir(root);
  } catch {
    // No session was ever started here.
    return;
  }
  const newest = names.filter(isSessionId).sort().reverse().slice(0, most);
  for (const name of newest) yield await readSession(path.join(root, name));
}

/** Sources of a candidate and those its session began with. */
export async function readCandidate(
  folder: string,
  commit: string,
): Promise<{ original: SourceFile[]; candidate: SourceFile[] }> {
  const history = await History.open(folder);
  return { original: await history.read(await history.find('original')), candidate: await history.read(commit) };
}

/** Connects to a runner; starts the local one of `dist` when `address` names none. */
export function connect(dist: string, address: RunnerAddress, log: (line: string) => void): Promise<RunnerConnection> {
  return createConnect({
    version: VERSION,
    runnerBundle: path.join(dist, 'runner.js'),
    parser: () => grammar(dist),
  })(address, { log });
}

/**
 * A task ready to travel, and the candidate where unsaved sources differ from the files.
 * @param unsaved texts by absolute path; of sources they are the candidate, of other files they stand for the file
 * @throws TaskError naming the place in the task file
 */
export async function prepareEvaluation(
  dist: string,
  task: string,
  unsaved: Readonly<Record<string, string>>,
  sources: readonly string[],
): Promise<PreparedTask & { candidate?: SourceFile[] }> {
  const overlay = Object.fromEntries(Object.entries(unsaved).filter(([file]) => !sources.includes(file)));
  const prepared = await prepareTask(task, { parser: () => grammar(dist), overlay });
  const candidate = prepared.wire.original.map((original) => {
    const text = unsaved[path.resolve(prepared.root, original.path)];
    // An editor keeps a byte order mark out of its texts.
    const mark = original.text.startsWith('\uFEFF') ? '\uFEFF' : '';
    return { path: original.path, text: text === undefined ? original.text : mark + text };
  });
  const differs = candidate.some((c, i) => c.text !== prepared.wire.original[i]?.text);
  return { ...prepared, ...(differs && { candidate }) };
}

/** The task as it stands, its unsaved sources taken for the original. */
export function prepareOriginal(
  dist: string,
  task: string,
  unsaved: Readonly<Record<string, string>>,
): Promise<PreparedTask> {
  return prepareTask(task, { parser: () => grammar(dist), overlay: unsaved });
}

/** Folder that places in a task's diagnostics are relative to. */
export function workspaceRootOf(task: string): string {
  return workspaceRoot(path.dirname(task));
}

/** A proposed task for a source, or for one kernel in it; nothing is written. */
export function draft(
  dist: string,
  source: string,
  unsaved: Readonly<Record<string, string>>,
  kernel: string | undefined,
): Promise<Draft> {
  return draftTask(source, {
    parser: () => grammar(dist),
    overlay: unsaved,
    ...(kernel !== undefined && { focus: (file: KernelFile) => focusOn(file, kernel) }),
  });
}
