// Names a process so that it cannot be mistaken for a later one with the same number, not even after a reboot.
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  pid: number;
  /** Boot and time of start; empty where the system does not tell (no /proc). */
  start: string;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const boot = read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';

/** Undefined when there is no such process; one that has ended and waits for its parent (a zombie) is none. */
export function identify(pid: number): ProcessIdentity | undefined {
  if (boot === '') return exists(pid) ? { pid, start: '' } : undefined;
  // After the program's name, which may hold anything: state first, time of start as the twentieth.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, start: `${boot}:${fields[19]}` };
}

export function isRunning({ pid, start }: ProcessIdentity): boolean {
  return identify(pid)?.start === start;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
