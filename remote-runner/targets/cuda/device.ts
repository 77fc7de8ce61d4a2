// Which CUDA devices and tools this machine has. Settings of the device are read, never changed.
import { access, realpath } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from '../run-tool.js';

export interface CudaDevice {
  uuid: string;
  name: string;
  /** `9.0` */
  capability: string;
  memoryBytes: number;
  driver: string;
}

/** `sm_90a` from 9.0 on (wgmma and setmaxnreg need the `a`), `sm_80` below. */
export function archOf(capability: string): string {
  const [major = '0', minor = '0'] = capability.split('.');
  return `sm_${major}${minor}${Number(major) >= 9 ? 'a' : ''}`;
}

/** One line per device of `nvidia-smi --query-gpu=uuid,name,compute_cap,memory.total,driver_version --format=csv,noheader,nounits`. */
function readDevices(text: string): CudaDevice[] {
  return text.split('\n').flatMap((line) => {
    const [uuid, name, capability, memory, driver] = line.split(',').map((f) => f.trim());
    if (!uuid?.startsWith('GPU-') || !name || !/^\d+\.\d+$/.test(capability ?? '')) return [];
    return [{ uuid, name, capability: capability!, memoryBytes: Number(memory) * 2 ** 20, driver: driver ?? '' }];
  });
}

/** Devices in order, those that CUDA_VISIBLE_DEVICES hides left out. Empty without a driver. */
export async function findDevices(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<CudaDevice[]> {
  try {
    const run = await runTool(
      'nvidia-smi',
      ['--query-gpu=uuid,name,compute_cap,memory.total,driver_version', '--format=csv,noheader,nounits'],
      { cwd: '/', env: { PATH: env.PATH ?? '' }, signal, timeoutMs: 30_000 },
    );
    const all = run.code === 0 ? readDevices(run.stdout) : [];
    const visible = env.CUDA_VISIBLE_DEVICES;
    if (visible === undefined) return all;
    return visible
      .split(',')
      .map((v) => v.trim())
      .flatMap((v) => all.filter((d, i) => (/^\d+$/.test(v) ? i === Number(v) : v !== '' && d.uuid.startsWith(v))));
  } catch {
    signal.throwIfAborted();
    return [];
  }
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
