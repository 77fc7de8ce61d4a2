// Starts programs that nobody trusts with as little as they need (harness/launcher.cpp), and knows what that keeps from them
// on this machine: asked once, by starting a program that looks around.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Isolation } from '../protocol.js';
import { runTool, type ToolOptions, type ToolRun } from '../targets/run-tool.js';
import { isolationOf, type Protection, PROTECTIONS } from './isolation.js';
import { launcherProgram } from './launcher-program.js';
import { LIBRARIES } from './views.js';

/** A program with its arguments, as `spawn` takes them. */
export interface Command {
  file: string;
  args: string[];
}

/** What a program may see and use. Paths are absolute; those that are not there are left out. */
export interface Confinement {
  read: readonly string[];
  /** The program's to change. Given to another user where we are root. */
  write?: readonly string[];
  devices?: readonly string[];
  /** Size of its /tmp and of its /dev/shm, bytes. */
  temporaryBytes: number;
  /** Descriptors it is given: 0 up to this number less one. */
  descriptors: number;
  /** Whether the descriptor after those is a socket by which it is stopped and let go (evaluate/turn.ts). */
  takesTurns?: boolean;
  limits: Limits;
}

export interface Limits {
  /** Private memory of one process, bytes; absent where the program's own way with addresses forbids a limit. */
  dataBytes?: number;
  /** Processes and threads. */
  processes: number;
  files: number;
  /** Size of one file, bytes. */
  fileBytes: number;
  cpuSeconds?: number;
}

/** One way to keep a program apart. */
interface Way {
  means: Isolation['means'];
  namespaces: readonly string[];
  /** Outside of the launcher: makes the namespaces in its stead. */
  bubblewrap?: string;
}

const spaces = ['mount', 'pid', 'net', 'ipc', 'uts', 'cgroup'];
const withoutPid = spaces.filter((s) => s !== 'pid');

/** The strongest first. A container may refuse a fresh /proc, which a PID namespace needs, and allow the rest. */
function waysOf(bubblewrap: string | undefined): Way[] {
  const ways: Way[] = [];
  if (process.geteuid?.() === 0) ways.push({ means: 'namespaces', namespaces: spaces });
  ways.push({ means: 'user namespaces', namespaces: ['user', ...spaces] });
  if (bubblewrap) ways.push({ means: 'bubblewrap', namespaces: [], bubblewrap });
  if (process.geteuid?.() === 0) ways.push({ means: 'namespaces', namespaces: withoutPid });
  ways.push({ means: 'user namespaces', namespaces: ['user', ...withoutPid] });
  return ways;
}

const WEAK: Way = { means: 'none', namespaces: [] };

export class Sandbox {
  private constructor(
    private readonly launcher: string | undefined,
    private readonly way: Way,
    readonly isolation: Isolation,
  ) {}

  /**
   * Compiles the launcher and finds the strongest way that works here.
   * @param ways tried in this order; those of this machine unless given
   */
  static async create(
    compiler: string,
    harnessFolder: string,
    programsFolder: string,
    environment: NodeJS.ProcessEnv,
    ways?: readonly Isolation['means'][],
  ): Promise<Sandbox> {
    // Elsewhere the launcher's system calls do not exist.
    if (process.platform !== 'linux') return new Sandbox(undefined, WEAK, isolationOf(WEAK.means, []));
    const launcher = await launcherProgram(compiler, harnessFolder, programsFolder, new AbortController().signal);
    const all = waysOf(await findBubblewrap(environment));
    for (const way of ways ? all.filter((w) => ways.includes(w.means)) : all) {
      const holds = await lookAround(launcher, way);
      if (holds.includes('files')) return new Sandbox(launcher, way, isolationOf(way.means, holds));
    }
    return new Sandbox(launcher, WEAK, isolationOf(WEAK.means, await lookAround(launcher, WEAK)));
  }

  /**
   * Runs a tool confined.
   * @throws also when the launcher itself failed: that says nothing about the tool
   */
  async run(command: Command, confinement: Confinement, options: ToolOptions): Promise<ToolRun> {
    const { file, args } = this.confine(command, confinement);
    const run = await runTool(file, args, options);
    if (run.code === LAUNCHER_FAILED && run.stderr.startsWith(LAUNCHER_SAYS)) throw new Error(run.stderr.trim());
    return run;
  }

  /** Can what it starts be stopped and let go? */
  get knowsTurns(): boolean {
    return this.launcher !== undefined;
  }

  /** The command that starts `command` confined; it ends as `command` ends, by exit code or signal. */
  confine(command: Command, confinement: Confinement): Command {
    return this.launcher === undefined ? command : commandOf(this.launcher, this.way, command, confinement);
  }
}

/** Exit status of the launcher where the fault is its own, and the start of what it then says on standard error. */
export const LAUNCHER_FAILED = 125;
const LAUNCHER_SAYS = 'kernelseek-launcher: ';

function commandOf(launcher: string, way: Way, command: Command | undefined, confinement: Confinement): Command {
  const { limits } = confinement;
  const own = ['--fds', String(confinement.descriptors)];
  const turns = confinement.takesTurns ? ['--turns', String(confinement.descriptors)] : [];
  const number: [string, number | undefined][] = [
    ['data', limits.dataBytes],
    ['nproc', limits.processes + (countsApart(way) ? 0 : tasksOfUser())],
    ['nofile', limits.files],
    ['fsize', limits.fileBytes],
    ['cpu', limits.cpuSeconds],
  ];
  for (const [name, value] of number) if (value !== undefined) own.push('--limit', `${name}=${Math.floor(value)}`);
  // Programs, job and harness may lie where only root gets: what has no view of its own stays root, as far as it wants to.
  if (way.means === 'none' && process.geteuid?.() === 0) own.push('--keep-user');
  const inside = command ? ['--', command.file, ...command.args] : ['--self-test'];
  if (way.namespaces.length === 0 && !way.bubblewrap) return { file: launcher, args: [...own, ...turns, ...inside] };
  const { read, write = [], devices = [], temporaryBytes } = confinement;
  if (!way.bubblewrap) {
    const view = ['--namespaces', way.namespaces.join(','), '--tmp', String(temporaryBytes)];
    for (const place of read) view.push('--read', place);
    for (const place of devices) view.push('--device', place);
    for (const place of write) view.push('--write', place);
    return { file: launcher, args: [...view, ...own, ...turns, ...inside] };
  }
  const view = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--uid', '65534', '--gid', '65534'];
  view.push(
    '--hostname',
    'sandbox',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    String(temporaryBytes),
    '--tmpfs',
    '/tmp',
  );
  for (const place of [...read, launcher]) view.push('--ro-bind-try', place, place);
  for (const place of devices) view.push('--dev-bind-try', place, place);
  for (const place of write) view.push('--bind', place, place);
  // The launcher outside turns an exit status of a shell's kind back into the signal; the one inside sets the limits.
  return {
    file: launcher,
    args: [
      '--lead-by-status',
      ...own.slice(0, 2),
      ...turns,
      '--',
      way.bubblewrap,
      ...view,
      '--',
      launcher,
      '--in-place',
      ...own,
      ...inside,
    ],
  };
}

/**
 * Are the processes of one launch counted apart? Else the limit counts all that the user runs on this machine: root's launches
 * have a user each; in a user namespace the kernel counts apart from 5.14 on.
 */
function countsApart({ means, namespaces }: Way): boolean {
  if (process.geteuid?.() === 0) return true;
  const [major = 0, minor = 0] = os.release().split('.').map(Number);
  return (means === 'bubblewrap' || namespaces.includes('user')) && (major > 5 || (major === 5 && minor >= 14));
}

/** Processes and threads that run as our user now. */
function tasksOfUser(): number {
  let tasks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (statSync(`/proc/${pid}`).uid !== process.geteuid?.()) continue;
      tasks += Number(/^Threads:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 1);
    } catch {
      // It has ended meanwhile.
    }
  }
  return tasks;
}

const lookingAround: Confinement = {
  read: LIBRARIES,
  temporaryBytes: 2 ** 20,
  descriptors: 3,
  limits: { processes: 64, files: 64, fileBytes: 2 ** 20 },
};

/** What a program that is started this way is kept from; nothing when it cannot be started. */
async function lookAround(launcher: string, way: Way): Promise<Protection[]> {
  const { file, args } = commandOf(launcher, way, undefined, lookingAround);
  const signal = new AbortController().signal;
  const run = await runTool(file, args, { cwd: '/', env: {}, signal, timeoutMs: 10_000 });
  const words = /^holds(.*)$/m.exec(run.stdout)?.[1]?.trim().split(' ') ?? [];
  // What cannot be reached by others cannot be let go by them either.
  if (words.includes('processes')) words.push('turns');
  return run.code === 0 ? PROTECTIONS.filter((p) => words.includes(p)) : [];
}

async function findBubblewrap(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (environment.PATH ?? '').split(path.delimiter).filter((f) => path.isAbsolute(f))) {
    const file = path.join(folder, 'bwrap');
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}
