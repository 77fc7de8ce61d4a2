// Where Nsight Compute's own program lies: what is on the search path is a script that looks for it.
import { access, constants, readdir } from 'node:fs/promises';
import path from 'node:path';

export interface Ncu {
  /** The program itself. */
  file: string;
  /** The folder of its version, with sections and libraries. */
  folder: string;
  version: string;
}

/** The newest version of those installed; undefined for none. @param toolkit folder that nvcc takes its parts from */
export async function findNcu(env: NodeJS.ProcessEnv, toolkit: string | undefined): Promise<Ncu | undefined> {
  const homes = [toolkit, env.CUDA_HOME, env.CUDA_PATH, '/usr/local/cuda'].filter((f) => f !== undefined && f !== '');
  const parents = [...homes.map((home) => [home!, /^nsight-compute-(\d[\d.]*)$/] as const), OPT];
  const found: Ncu[] = [];
  for (const [parent, name] of parents) {
    for (const entry of await readdir(parent).catch(() => [])) {
      const version = name.exec(entry)?.[1];
      const folder = path.join(parent, entry);
      const file = version === undefined ? undefined : await programIn(folder);
      if (version !== undefined && file !== undefined) found.push({ file, folder, version });
    }
  }
  return found.sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))[0];
}

const OPT = ['/opt/nvidia/nsight-compute', /^(\d[\d.]*)$/] as const;

async function programIn(folder: string): Promise<string | undefined> {
  const targets = path.join(folder, 'target');
  for (const target of await readdir(targets).catch(() => [])) {
    if (!target.startsWith('linux-')) continue;
    const file = path.join(targets, target, 'ncu');
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
  return undefined;
}
