// Who else uses a device: times taken meanwhile are those of a shared one.
import { readFileSync } from 'node:fs';
import { nvidiaSmi } from './device.js';

export interface ComputeProcess {
  device: string;
  pid: number;
  /** Absent where the driver does not tell, as of processes in other PID namespaces. */
  name?: string;
}

/** What the driver prints where it has nothing to print: `[No data]`, `[N/A]`, `[Not Found]`, `[Insufficient Permissions]`. */
const NOTHING = /^\[[A-Z][\w/ ]*\]$/;

/** Lines of `--query-compute-apps=gpu_uuid,pid,process_name,used_memory --format=csv,noheader`; the last field may be missing. */
export function readComputeProcesses(csv: string): ComputeProcess[] {
  return csv.split('\n').flatMap((line) => {
    // A process calls itself what it likes, with commas too.
    const [, device, pid, name] =
      /^\s*((?:GPU|MIG)-[\w/-]+), (\d+), (.*?)(?:, (?:\d+ MiB|\[[A-Z][\w/ ]*\]))?\s*$/.exec(line) ?? [];
    if (!device || name === undefined) return [];
    return [{ device, pid: Number(pid), ...(NOTHING.test(name) || name === '' ? {} : { name }) }];
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

/** A listed number may be one of ours by accident, where it is of another PID namespace. Two are none. */
const NO_ACCIDENT = 2;

/**
 * Those of `all` on `device` that are certainly not this runner's. The driver may give numbers of another PID namespace, which here
 * name nothing or something else; that this one is the machine's first does not help, for a virtual machine around a container
 * has a first one of its own. So nothing is said until workers of ours are known by their numbers, which shows that the driver
 * counts as we do: while a device is looked at, original and candidate both hold it.
 */
export function foreignOf(
  all: readonly ComputeProcess[],
  device: string,
  isOurs: (pid: number) => boolean,
): ComputeProcess[] {
  const here = all.filter((p) => p.device === device);
  const foreign = here.filter((p) => !isOurs(p.pid));
  return here.length - foreign.length >= NO_ACCIDENT ? foreign : [];
}

/** Other processes that hold a context on the device now; none where the driver does not tell. */
export async function foreignProcesses(
  device: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ComputeProcess[]> {
  const csv = await nvidiaSmi(['--query-compute-apps=gpu_uuid,pid,process_name', '--format=csv,noheader'], env, signal);
  const isOurs = (pid: number): boolean => isBelow(pid, process.pid, parentOf);
  return foreignOf(readComputeProcesses(csv ?? ''), device, isOurs);
}

/** For the verdict's warnings; undefined when nobody else is there. */
export function sharedDevice(foreign: readonly ComputeProcess[]): string | undefined {
  if (foreign.length === 0) return undefined;
  const [first] = foreign;
  const [others, use] = foreign.length > 1 ? [` and ${foreign.length - 1} more`, 'use'] : ['', 'uses'];
  const name = first!.name === undefined ? '' : ` (${first!.name.slice(0, 80)})`;
  return `shared device: process ${first!.pid}${name}${others} ${use} it too; times may be off`;
}
