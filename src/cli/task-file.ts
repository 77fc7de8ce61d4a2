// The task that a command is given: found, and of the right kind, before anything is read or started.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { KernelParser } from '../kernel/parser.js';
import { readKernels } from '../kernel/reader.js';
import type { PreparedTask } from '../runner/prepare.js';
import { findSites } from '../search/sites.js';
import { TaskError } from '../task/types.js';
import type { CliContext } from './context.js';
import { CliError } from './exit.js';
import { shellWord } from './program.js';

/**
 * Absolute path of a task file.
 * @throws CliError that says how to get one
 */
export function taskFileOf(given: string, { cwd, program }: CliContext): string {
  const file = path.resolve(cwd, given);
  if (/\.cuh?$/.test(file)) {
    const task = given.replace(/\.cuh?$/, '.task.json');
    throw new CliError(
      existsSync(path.resolve(cwd, task))
        ? `${given} is a CUDA source, not a task: give its task, ${task}`
        : `${given} is a CUDA source, not a task: run \`${program} init ${shellWord(given)}\`, which makes ${task}`,
    );
  }
  if (!existsSync(file)) {
    throw new CliError(`${file} does not exist; \`${program} init FILE.cu\` makes a task file`);
  }
  return file;
}

/** What is wrong with the constants that the task names as tunables; undefined where a search finds each of them. */
export async function tunablesFault(
  { task, wire }: PreparedTask,
  parser: () => Promise<KernelParser>,
): Promise<TaskError | undefined> {
  if (task.tunables === undefined) return undefined;
  try {
    await findSites(wire.original, task.tunables, async (text) => readKernels(await parser(), text));
    return undefined;
  } catch (error) {
    if (error instanceof TaskError) return error;
    throw error;
  }
}
