// Who else uses a device: times taken meanwhile are those of a shared one.
import { readFileSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { nvidiaSmi } from './device.js';

export interface ComputeProcess {
  device: string;
  pid: number;
  name: string;
}

/** Lines of `--query-compute-apps=gpu_uuid,pid,process_name --format=csv,noheader`. */
export function readComputeProcesses(csv: string): ComputeProcess[] {
  return csv.split('\n').flatMap((line) => {
    const [, device, pid, name] = /^\s*((?:GPU|MIG)-[\w/-]+), (\d+), (.*?)\s*$/.exec(line) ?? [];
    return device && name !== undefined ? [{ device, pid: Number(pid), name }] : [];
  });
}

/** A process's parent as the kernel tells it; undefined for one that is not visible here. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(/^\S+ (\d+)/.exec(stat.slice(stat.lastIndexOf(')') + 2))?.[1]);
  } catch {
    return undefined;
  }
}

/** Was `pid` started by `ancestor`, however deep? */
export function isBelow(pid: number, ancestor: number, parent: (pid: number) => number | undefined): boolean {
  for (let at: number | undefined = pid, depth = 0; at !== undefined && at > 1 && depth < 64; depth++) {
    if (at === ancestor) return true;
    at = parent(at);
  }
  return false;
}

/**
 * Those of `all` on `device` that are not this runner's.
 * @param isWhole whether every process of the machine has its number here. In a container the driver may give numbers of the
 * host's, which name nothing or something else: unless one of ours is among them, nothing can be said.
 */
export function foreignOf(
  all: readonly ComputeProcess[],
  device: string,
  isWhole: boolean,
  isOurs: (pid: number) => boolean,
): ComputeProcess[] {
  const here = all.filter((p) => p.device === device);
  const foreign = here.filter((p) => !isOurs(p.pid));
  return isWhole || foreign.length < here.length ? foreign : [];
}

/** The machine's first PID namespace, whose number is fixed in the kernel. */
const FIRST_NAMESPACE = 'pid:[4026531836]';

/** Other processes that hold a context on the device now; none where the driver does not tell. */
export async function foreignProcesses(
  device: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ComputeProcess[]> {
  const csv = await nvidiaSmi(['--query-compute-apps=gpu_uuid,pid,process_name', '--format=csv,noheader'], env, signal);
  const isWhole = (await readlink('/proc/self/ns/pid').catch(() => '')) === FIRST_NAMESPACE;
  const isOurs = (pid: number): boolean => isBelow(pid, process.pid, parentOf);
  return foreignOf(readComputeProcesses(csv ?? ''), device, isWhole, isOurs);
}

/** For the verdict's warnings; undefined when nobody else is there. */
export function sharedDevice(foreign: readonly ComputeProcess[]): string | undefined {
  if (foreign.length === 0) return undefined;
  const [first] = foreign;
  const [others, use] = foreign.length > 1 ? [` and ${foreign.length - 1} more`, 'use'] : ['', 'uses'];
  return `shared device: process ${first!.pid} (${first!.name.slice(0, 80)})${others} ${use} it too; times may be off`;
}
