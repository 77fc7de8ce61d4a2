// Compiles the keeper once per compiler and source; it needs no CUDA.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { compiledOnce } from '../targets/compiled-once.js';
import { runTool } from '../targets/run-tool.js';

/** @throws Error that names the compiler and its output */
export async function keeperProgram(
  compiler: string,
  harnessFolder: string,
  cacheFolder: string,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256').update(compiler);
  const sources = (await readdir(harnessFolder))
    .filter((name) => /^(keeper(_\w+)?\.(cpp|h)|control\.h)$/.test(name))
    .sort();
  for (const name of sources) hash.update(name).update(await readFile(path.join(harnessFolder, name)));
  return compiledOnce(
    path.join(cacheFolder, `keeper-${hash.digest('hex').slice(0, 24)}`),
    async (target, temporary) => {
      const run = await runTool(
        compiler,
        ['-std=c++17', '-O2', '-pthread', path.join(harnessFolder, 'keeper.cpp'), '-o', target],
        {
          cwd: temporary,
          env: { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: temporary, LANG: 'C.UTF-8' },
          signal,
          timeoutMs: 120_000,
        },
      );
      if (run.code !== 0) throw new Error(`the keeper does not compile with ${compiler}: ${run.stderr.slice(-2000)}`);
    },
  );
}
