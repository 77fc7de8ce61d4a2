// When a compiler's failure says nothing about what it compiled: it was killed from outside, or the disk is full.
import { statfs } from 'node:fs/promises';
import type { ToolRun } from './run-tool.js';

/** Compilers tell of a part of theirs that was killed, at the start of a line, where no diagnostic of a source can stand. */
const KILLED_PART = [
  /^[\w.+-]+: fatal error: (?:Killed|Terminated) signal terminated program (\S+)/m,
  /^nvcc error\s+: '(\S+)' died due to signal (?:9|15)\b/m,
  /^[\w.+-]+: error: unable to execute command: (?:Killed|Terminated)()/m,
];
/** A disk with less than this is full, bytes. */
const LITTLE = 2 ** 20;

/**
 * A sentence for the verdict; undefined where the failure is the sources'.
 * @param tool as a person knows it: `g++`
 * @param folder on the disk that it wrote to
 */
export async function machineFault(tool: string, run: ToolRun, folder: string): Promise<string | undefined> {
  if (run.code === 0 || run.timedOut) return undefined;
  if (run.signal === 'SIGKILL' || run.signal === 'SIGTERM') return `${tool} was killed (${run.signal})`;
  const output = `${run.stdout}\n${run.stderr}`;
  for (const pattern of KILLED_PART) {
    const part = pattern.exec(output)?.[1];
    if (part !== undefined) return `${tool} was killed${part === '' ? '' : ` while it ran ${part}`}`;
  }
  if (/no space left on device/i.test(output)) {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < LITTLE) return `the disk of ${folder} is full`;
  }
  return undefined;
}
