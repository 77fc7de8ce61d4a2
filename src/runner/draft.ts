// From a .cu file on disk to a proposed task: reads it and what it includes, inside the workspace.
import path from 'node:path';
import { LIMITS } from '../../remote-runner/protocol.js';
import type { KernelParser } from '../kernel/parser.js';
import { readKernels } from '../kernel/reader.js';
import type { KernelFile } from '../kernel/types.js';
import { proposeTask, type Proposal } from '../task/propose.js';
import { TaskError } from '../task/types.js';
import { Reader, type Overlay } from './read.js';
import { wirePath, workspaceRoot } from './workspace.js';

export interface Draft {
  /** Where the task file goes: beside the source, `NAME.task.json`. */
  taskFile: string;
  root: string;
  proposal: Proposal;
  /** Includes that were not found, and places the reader did not understand. */
  warnings: string[];
}

/** Headers followed before giving up: more is a library, not a kernel's own. */
const MOST_HEADERS = 200;

/**
 * Proposes a task for a source.
 * @param options.root workspace folder; by default as for prepareTask
 * @param options.focus what of the file the task is to be about; by default all of it
 * @throws TaskError when the source cannot be read
 */
export async function draftTask(
  source: string,
  options: {
    parser: () => Promise<KernelParser>;
    overlay?: Overlay;
    root?: string;
    focus?: (file: KernelFile) => KernelFile;
  },
): Promise<Draft> {
  const file = path.resolve(source);
  const folder = path.dirname(file);
  const root = path.resolve(options.root ?? workspaceRoot(folder));
  const reader = new Reader(root, options.overlay ?? {});
  const text = await reader.text(file, '$.source', LIMITS.source);
  const parser = await options.parser();
  const read = readKernels(parser, text);
  const proposal = proposeTask(options.focus?.(read) ?? read, path.basename(file), text);
  const { files, warnings } = await quotedIncludes(file, text, reader, (t) => readKernels(parser, t).includes);
  const { source: own, files: _direct, ...rest } = proposal.task;
  const shipped = files.length > 0 ? { files: files.map((f) => wirePath(folder, f)) } : {};
  proposal.task = { source: own, ...shipped, ...rest };
  const unread = read.unread.map(({ range, reason }) => `${path.basename(file)}:${range.start.line + 1}: ${reason}`);
  return {
    taskFile: file.replace(/\.[^./\\]+$/, '') + '.task.json',
    root,
    proposal,
    warnings: [...warnings, ...unread],
  };
}

/** Quoted includes of a source and, in turn, of theirs; each is looked for beside the file that includes it. */
async function quotedIncludes(
  source: string,
  text: string,
  reader: Reader,
  includesOf: (text: string) => { path: string; quoted: boolean }[],
): Promise<{ files: string[]; warnings: string[] }> {
  const found = new Set<string>();
  const warnings: string[] = [];
  const waiting = [{ file: source, text }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const include of includesOf(next.text).filter((i) => i.quoted)) {
      const file = path.resolve(path.dirname(next.file), include.path);
      if (file === source || found.has(file)) continue;
      if (found.size >= MOST_HEADERS) {
        warnings.push(`more than ${MOST_HEADERS} headers: the rest is left out; name them in "files"`);
        return { files: [...found].sort(), warnings };
      }
      try {
        waiting.push({ file, text: await reader.text(file, '$.files', LIMITS.source) });
        found.add(file);
      } catch (error) {
        if (!(error instanceof TaskError)) throw error;
        const reason = error.message.replace(/^\$\.files: /, '');
        warnings.push(
          `"${include.path}", included by ${path.basename(next.file)}, is left out: ${reason}; ` +
            `add it to "files" and its folder to "build": { "include": […] } where it is needed`,
        );
      }
    }
  }
  return { files: [...found].sort(), warnings };
}
