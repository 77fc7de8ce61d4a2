// Finds the C++ compiler that the CPU target uses.
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from '../run-tool.js';

export interface CpuCompiler {
  /** Absolute. */
  path: string;
  name: 'g++' | 'clang++';
  version: string;
}

/**
 * The compiler named by CXX, else g++, else clang++ of the PATH; undefined if there is none. g++ comes first: nvcc's
 * host side is the same compiler on most machines.
 */
export async function findCpuCompiler(environment: NodeJS.ProcessEnv): Promise<CpuCompiler | undefined> {
  const candidates = [...(environment.CXX ? [environment.CXX] : []), 'g++', 'clang++'];
  for (const candidate of candidates) {
    for (const file of places(candidate, environment.PATH ?? '/usr/local/bin:/usr/bin:/bin')) {
      const found = await identify(file);
      if (found) return found;
    }
  }
  return undefined;
}

function places(name: string, searchPath: string): string[] {
  if (path.isAbsolute(name)) return [name];
  if (name.includes('/') || /\s/.test(name)) return [];
  return searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name));
}

async function identify(file: string): Promise<CpuCompiler | undefined> {
  try {
    await access(file, constants.X_OK);
    const env = { PATH: `${path.dirname(file)}:/usr/local/bin:/usr/bin:/bin`, LANG: 'C' };
    const signal = AbortSignal.timeout(30_000);
    const run = await runTool(file, ['--version'], { cwd: '/', env, signal, timeoutMs: 30_000 });
    if (run.code !== 0) return undefined;
    const version = /\b(\d+\.\d+(?:\.\d+)*)\b/.exec(run.stdout)?.[1];
    if (version === undefined) return undefined;
    return { path: file, name: /clang/i.test(run.stdout) ? 'clang++' : 'g++', version };
  } catch {
    return undefined;
  }
}
