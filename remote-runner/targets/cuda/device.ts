// Which CUDA devices and tools this machine has. Settings of the device are read, never changed.
import { access, realpath } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from '../run-tool.js';
import { type CudaDevice, GPU_FIELDS, readGpus, readMigDevices, usableDevices } from './smi.js';

/** `sm_90a` from 9.0 on (wgmma and setmaxnreg need the `a`), `sm_80` below. */
export function archOf(capability: string): string {
  const [major = '0', minor = '0'] = capability.split('.');
  return `sm_${major}${minor}${Number(major) >= 9 ? 'a' : ''}`;
}

/** Runs nvidia-smi as `env` finds it. @returns what it prints, undefined when it is not there or refuses */
export async function nvidiaSmi(
  args: string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = { cwd: '/', env: { PATH: env.PATH ?? '' }, signal, timeoutMs: 30_000 };
  const run = await runTool('nvidia-smi', args, options).catch(() => undefined);
  signal.throwIfAborted();
  return run?.code === 0 ? run.stdout : undefined;
}

/** Devices in order, those that CUDA_VISIBLE_DEVICES hides left out. Empty without a driver. */
export async function findDevices(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<CudaDevice[]> {
  const query = (fields: readonly string[]): Promise<string | undefined> =>
    nvidiaSmi([`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits'], env, signal);
  const gpus = readGpus((await query(GPU_FIELDS)) ?? (await query(GPU_FIELDS.slice(0, -1))) ?? '');
  const isDivided = gpus.some((g) => g.isDivided);
  const [list, xml] = isDivided ? await Promise.all([['-L'], ['-q', '-x']].map((a) => nvidiaSmi(a, env, signal))) : [];
  return usableDevices(gpus, readMigDevices(list ?? '', xml ?? ''), env.CUDA_VISIBLE_DEVICES);
}

/** nvcc by CUDA_HOME or CUDA_PATH, the search path, then the usual place. */
export async function findNvcc(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = [env.CUDA_HOME, env.CUDA_PATH]
    .filter((f) => f !== undefined && f !== '')
    .map((f) => path.join(f!, 'bin'));
  folders.push(...(env.PATH ?? '').split(path.delimiter).filter((f) => path.isAbsolute(f)), '/usr/local/cuda/bin');
  for (const folder of folders) {
    const candidate = path.join(folder, 'nvcc');
    if (
      await access(candidate).then(
        () => true,
        () => false,
      )
    )
      return candidate;
  }
  return undefined;
}

/** The folder that nvcc takes its parts from: nvcc may be a script, or a link into it. */
export async function findToolkit(nvcc: string, signal: AbortSignal): Promise<string | undefined> {
  const env = { PATH: `${path.dirname(nvcc)}:/usr/local/bin:/usr/bin:/bin` };
  const run = await runTool(nvcc, ['--dryrun', '-x', 'cu', '/dev/null', '-o', '/dev/null'], {
    ...{ cwd: '/', env, signal, timeoutMs: 30_000 },
  }).catch(() => undefined);
  const top = /^#\$ TOP=(.+)$/m.exec(run?.stderr ?? '')?.[1];
  return top === undefined ? undefined : realpath(top).catch(() => undefined);
}
