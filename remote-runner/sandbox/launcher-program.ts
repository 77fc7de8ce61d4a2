// Compiles the launcher (harness/launcher.cpp) once per compiler and source.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compiledOnce } from '../targets/compiled-once.js';
import { runTool } from '../targets/run-tool.js';

const sources = ['launcher.cpp', 'launcher.h', 'launcher_mounts.h'];

/** @throws Error that names the compiler and its output */
export async function launcherProgram(
  compiler: string,
  harnessFolder: string,
  cacheFolder: string,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256').update(compiler);
  for (const name of sources) hash.update(await readFile(path.join(harnessFolder, name)));
  return compiledOnce(
    path.join(cacheFolder, `launcher-${hash.digest('hex').slice(0, 24)}`),
    async (target, temporary) => {
      // Nothing of the C++ library is used, so that starting it costs what starting a C program costs.
      const args = ['-std=c++17', '-O2', '-Wl,--as-needed', path.join(harnessFolder, 'launcher.cpp'), '-o', target];
      const env = { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: temporary, LANG: 'C.UTF-8' };
      const run = await runTool(compiler, args, { cwd: temporary, env, signal, timeoutMs: 120_000 });
      if (run.code !== 0) throw new Error(`the launcher does not compile with ${compiler}: ${run.stderr.slice(-2000)}`);
    },
  );
}
