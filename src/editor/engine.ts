// The rooms the editor needs but not at once: a bundle of its own (dist/engine.js), so that activation stays short.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SourceFile } from '../../remote-runner/protocol.js';
import { createParser, type KernelParser } from '../kernel/parser.js';
import { readKernels as read } from '../kernel/reader.js';
import type { KernelFile } from '../kernel/types.js';
import { History } from '../session/history.js';
import { isSessionId, sessionsFolder } from '../session/place.js';
import { readSession, type SessionListing } from '../session/sessions.js';

export { advance, bestOf, candidateOf, fold, verdictOf } from '../session/fold.js';
export { workspaceOf } from '../session/place.js';
export { readTrace } from '../session/trace.js';
export { SessionClient } from '../session/client.js';
export { noPaint } from '../report/paint.js';
export { verdictLines } from '../report/terminal.js';
export { RunnerError } from '../runner/types.js';
export { sessionText } from './session-text.js';
export { TaskError } from '../task/types.js';
export { locateJsonPath, outlineTask } from './task-outline.js';

let parser: Promise<KernelParser> | undefined;

/**
 * Kernels of a text; the grammar is loaded by the first call.
 * @param dist folder of the bundles
 */
export async function readKernels(text: string, dist: string): Promise<KernelFile> {
  parser ??= loadParser(path.join(dist, 'grammar'));
  return read(await parser, text);
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

import { createConnect } from '../runner/connect.js';
import type { RunnerAddress, RunnerConnection } from '../runner/types.js';
export function connect(dist: string, address: RunnerAddress, log: (line: string) => void): Promise<RunnerConnection> {
  return createConnect({ version: VERSION, runnerBundle: path.join(dist, 'runner.js') })(address, { log });
}
declare const KERNELSEEK_VERSION: string;
const VERSION = KERNELSEEK_VERSION;
import type { WireTask } from '../../remote-runner/protocol.js';
export async function prepareEvaluation(
  _dist: string,
  _task: string,
  _overlay: Record<string, string>,
): Promise<{ task: WireTask; candidate?: SourceFile[]; files: Map<string, Uint8Array>; root: string }> {
  throw new Error('not yet');
}
