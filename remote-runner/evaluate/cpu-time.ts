// CPU time of a worker as the kernel accounts it: what its own clock says does not matter, nor how busy the machine is.
import { readdirSync, readFileSync } from 'node:fs';

/** The process that a launcher started, whichever processes it put between. */
function innermost(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return child ? innermost(Number(child)) : pid;
}

/**
 * Milliseconds that all threads of the program that `launcher` started have run.
 * @returns undefined where the system does not tell, or the program has ended
 */
export function cpuTimeMs(launcher: number): number | undefined {
  try {
    const tasks = `/proc/${innermost(launcher)}/task`;
    return readdirSync(tasks).reduce((sum, task) => {
      const [nanoseconds] = readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ');
      return sum + Number(nanoseconds) / 1e6;
    }, 0);
  } catch {
    return undefined;
  }
}
