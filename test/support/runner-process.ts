// A runner as a process of its own with folders of its own, and what it leaves behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnect } from '../../src/runner/connect.js';
import type { RunnerConnection } from '../../src/runner/types.js';
import { RawClient } from './raw-client.js';

export interface RunnerOptions {
  /** Options of its command line. */
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** Put before `node BUNDLE`: a program that limits what the runner may do. */
  under?: string[];
  /** Options of Node. */
  node?: string[];
}

/** Resolves once the condition holds; the test's own time limit is the only one. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}

/** One state folder, and the runners that use it one after the other. */
export class RunnerHome {
  private child: ChildProcess | undefined;
  private readonly connections: RunnerConnection[] = [];
  url = '';
  token = '';
  pid = 0;
  /** What the runner of now printed on stderr. */
  log = '';

  private constructor(
    private readonly bundle: string,
    readonly folder: string,
  ) {}

  static async create(bundle: string): Promise<RunnerHome> {
    const home = new RunnerHome(bundle, await mkdtemp(path.join(tmpdir(), 'kernelseek-home-')));
    await mkdir(home.temporary);
    return home;
  }

  get state(): string {
    return path.join(this.folder, 'state');
  }

  get temporary(): string {
    return path.join(this.folder, 'tmp');
  }

  async start({ args = [], env = {}, under = [], node = [] }: RunnerOptions = {}): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port;
    const command = [...under, process.execPath, ...node, this.bundle, '--port', port, '--state', this.state];
    const child = spawn(command[0]!, [...command.slice(1), '--ready-json', ...args], {
      env: { ...process.env, TMPDIR: this.temporary, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.log += text));
    const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the runner ended: ${this.log}`)));
    ended.catch(() => undefined);
    const [text] = await Promise.race([line, ended]);
    const ready = JSON.parse(text) as { url: string; tokenFile: string; pid: number };
    this.url = ready.url;
    this.pid = ready.pid;
    this.token = (await readFile(ready.tokenFile, 'utf8')).trim();
  }

  async connect(giveUpMs = 60_000): Promise<RunnerConnection> {
    const connect = createConnect({ version: '0.0.0-test', runnerBundle: '/nowhere', giveUpMs });
    const connection = await connect({ url: this.url, token: this.token });
    this.connections.push(connection);
    return connection;
  }

  raw(): Promise<RawClient> {
    return RawClient.open(this.url, this.token);
  }

  /** Ends the runner and waits until it is gone. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    try {
      process.kill(this.pid, signal);
    } catch {
      // It has just ended by itself.
    }
    await gone;
  }

  /** Resident memory of the runner, bytes. */
  get memory(): number {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]) * 1024;
  }

  /** Processes that belong to this runner or an earlier one of this folder, itself left out. */
  processes(): { pid: number; command: string }[] {
    const all = new Map<number, { parent: number; command: string; place: string }>();
    for (const name of readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        if (stat[0] === 'Z') continue;
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        all.set(Number(name), { parent: Number(stat[1]), command, place: readlinkSync(`/proc/${name}/cwd`) });
      } catch {
        // It has ended meanwhile.
      }
    }
    const isBelow = (pid: number): boolean => {
      const parent = all.get(pid)?.parent ?? 0;
      return parent === this.pid || (parent > 1 && isBelow(parent));
    };
    return [...all].flatMap(([pid, { command, place }]) => {
      if (pid === this.pid || pid === process.pid || pid === this.child?.pid) return [];
      const isOurs = isBelow(pid) || command.includes(this.folder) || place.startsWith(this.folder);
      return isOurs ? [{ pid, command }] : [];
    });
  }

  /** What must be empty when no job runs: processes, scratch folders, temporary folders, open jobs. */
  async leftovers(): Promise<unknown> {
    const runs = path.join(this.state, 'run');
    const left: string[] = [];
    const temporary = await readdir(this.temporary);
    // The folder of the runner of now, and nothing in it.
    if (temporary.length > 1) left.push(...temporary);
    for (const folder of temporary) {
      for (const name of await readdir(path.join(this.temporary, folder))) left.push(`tmp/${folder}/${name}`);
    }
    for (const run of await readdir(runs)) {
      if (!run.startsWith(`${this.pid}-`)) left.push(`run/${run}`);
      for (const part of ['scratch', 'jobs']) {
        for (const name of await readdir(path.join(runs, run, part))) left.push(`run/${run}/${part}/${name}`);
      }
    }
    for (const name of await readdir(path.join(this.state, 'files', 'partial'))) left.push(`partial/${name}`);
    return [...this.processes(), ...left];
  }

  /** Resolves once nothing is left; the kernel takes a moment to end what was killed. */
  async clean(): Promise<void> {
    const deadline = performance.now() + 5000;
    for (;;) {
      const left = (await this.leftovers()) as unknown[];
      if (left.length === 0) return;
      if (performance.now() > deadline) throw new Error(`left behind: ${JSON.stringify(left, null, 1)}`);
      await sleep(20);
    }
  }

  async dispose(): Promise<void> {
    await Promise.all(this.connections.splice(0).map((connection) => connection.close()));
    await this.end('SIGKILL');
    for (const { pid } of this.processes()) process.kill(pid, 'SIGKILL');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
