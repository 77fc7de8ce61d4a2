// Programs in confinement, by each means that this machine has: what they see, what they may use, how they end.
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findCpuCompiler } from '../targets/cpu/compiler.js';
import type { ToolRun } from '../targets/run-tool.js';
import { warningOf } from './isolation.js';
import { type Confinement, Sandbox } from './sandbox.js';
import { LIBRARIES } from './views.js';

const isRoot = process.geteuid?.() === 0;
const harness = path.resolve(__dirname, '../harness');
const compiler = await findCpuCompiler(process.env);
const folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-sandbox-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const created = await Promise.all(
  (['namespaces', 'user namespaces', 'bubblewrap'] as const).map((means) =>
    Sandbox.create(compiler!.path, harness, path.join(folder, 'programs'), process.env, [means]),
  ),
);
const strong = created.filter((s) => s.isolation.missing.length === 0);
const weak = await Sandbox.create(compiler!.path, harness, path.join(folder, 'programs'), process.env, []);
if (!strong.some((s) => s.isolation.means === 'bubblewrap'))
  console.warn('SKIPPED for want of bubblewrap: confinement by it');

const base: Confinement = {
  read: [...LIBRARIES, '/bin', '/usr/bin'],
  temporaryBytes: 2 ** 20,
  descriptors: 3,
  limits: { processes: 40, files: 32, fileBytes: 2 ** 20, dataBytes: 2 ** 28 },
};
const options = { cwd: '/', env: { ONLY: 'this', PATH: '/usr/bin:/bin' }, signal: new AbortController().signal };
const sh = (
  sandbox: Sandbox,
  script: string,
  more: Partial<Confinement> = {},
  others: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<ToolRun> =>
  sandbox.run(
    { file: '/bin/sh', args: ['-c', script] },
    { ...base, ...more },
    { ...options, timeoutMs: 30_000, ...others },
  );

/** Processes whose command line has this in it. */
async function running(mark: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
  return lines.filter((line) => line.includes(mark) && !line.includes('--fds'));
}
/** Seconds to sleep, different for each use, by which the sleeper is found. */
let marks = 0;
const mark = (): string => `1${process.pid}.${++marks}`;

describe.each(strong.map((s) => [s.isolation.means, s] as const))('by %s', (_, sandbox) => {
  it('shows what was given, and nothing else', async () => {
    const secret = path.join(folder, 'secret');
    await writeFile(secret, 'planted', { mode: 0o644 });
    const given = await mkdtemp(path.join(folder, 'given-'));
    await writeFile(path.join(given, 'file'), 'given\n');
    await chmod(given, 0o755);
    const { stdout } = await sh(
      sandbox,
      `cat ${given}/file; cat ${secret} /etc/passwd /etc/hostname; ls /home /root /var /mnt; ls /tmp; env | sort; ` +
        `cat /proc/${process.pid}/environ; cat /proc/1/environ | tr '\\0' '\\n'; touch ${given}/new /usr/bin/new /new`,
      { read: [...base.read, given] },
    );
    expect(stdout.replaceAll('\n', ' ')).not.toMatch(/planted|root:/);
    expect(stdout).toContain('given\n');
    const names = stdout.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    expect(new Set(names.filter((n) => n !== 'ONLY' && n !== 'PATH' && n !== 'PWD'))).toEqual(new Set());
    expect(await readdir(given)).toEqual(['file']);
  });

  it('gives a folder to write to', async () => {
    const given = await mkdtemp(path.join(folder, 'given-'));
    const run = await sh(sandbox, `echo made > ${given}/new && mkdir ${given}/sub && cat ${given}/new`, {
      write: [given],
    });
    expect([run.code, run.stdout]).toEqual([0, 'made\n']);
    expect((await readdir(given)).sort()).toEqual(['new', 'sub']);
  });

  it('shows no other process, and no network but its own empty one', async () => {
    const { stdout } = await sh(
      sandbox,
      'cd /proc; ls -d [0-9]* | wc -l; cat net/dev | grep -vc "lo:"; cat net/unix | wc -l',
    );
    const [processes, devices, sockets] = stdout.trim().split('\n').map(Number);
    expect(processes).toBeLessThan(6);
    // Two lines of heading each, one.
    expect([devices, sockets]).toEqual([2, 1]);
  });

  it('keeps two at once apart', async () => {
    const one = `echo x > /tmp/left; sleep 1; ls /tmp /dev/shm; cd /proc; for p in [0-9]*; do cat $p/comm; done`;
    const [a, b] = await Promise.all([sh(sandbox, one), sh(sandbox, one.replace('left', 'right'))]);
    expect(a.stdout).toContain('left');
    expect(a.stdout).not.toContain('right');
    expect(b.stdout).not.toContain('left');
    expect(a.stdout.match(/^sh$/gm)).toHaveLength(1);
  });

  it('takes away every right', async () => {
    const { stdout } = await sh(sandbox, 'grep -E "^(CapEff|CapPrm|NoNewPrivs)" /proc/self/status; id -u');
    expect(stdout).toMatch(/CapPrm:\s0+\nCapEff:\s0+\nNoNewPrivs:\s1\n(?!0\n)\d+/);
    const changed = await sh(sandbox, 'echo x > /proc/sys/kernel/core_pattern; mount -t tmpfs x /tmp; chroot / true');
    expect(changed.code).not.toBe(0);
  });
});

describe.each([...strong, weak].map((s) => [s.isolation.means, s] as const))('by %s', (means, sandbox) => {
  it('ends as the program ends', async () => {
    expect((await sh(sandbox, 'exit 7')).code).toBe(7);
    for (const signal of ['ABRT', 'SEGV', 'KILL', 'TERM'])
      expect((await sh(sandbox, `kill -${signal} $$`)).signal).toBe(`SIG${signal}`);
  });

  it('holds limits on files, their size, memory and core files', async () => {
    const { stdout } = await sh(sandbox, 'ulimit -Hc; ulimit -Hn; ulimit -Hf; ulimit -Hd');
    expect(stdout).toBe(`0\n32\n2048\n${2 ** 18}\n`);
    const given = await mkdtemp(path.join(folder, 'given-'));
    const large = await sh(sandbox, `head -c 3000000 /dev/zero > ${given}/large`, { write: [given] });
    expect(large.code).not.toBe(0);
    expect((await readFile(path.join(given, 'large'))).length).toBeLessThanOrEqual(2 ** 20);
    expect((await sh(sandbox, 'head -c 1000000000 /dev/zero | tail -c 900000000 | wc -c')).stdout).not.toBe(
      '900000000\n',
    );
  });

  it('leaves no process behind, however far it went', async () => {
    const seconds = mark();
    const run = await sh(
      sandbox,
      `setsid sh -c "setsid sleep ${seconds} & setsid sleep ${seconds} &" & sleep 0.2; exit 3`,
    );
    expect(run.code).toBe(3);
    expect(await running(seconds)).toEqual([]);
  });

  it('is ended with all it started, by time and by the caller', async () => {
    const [first, second] = [mark(), mark()];
    const script = (seconds: string): string =>
      `setsid sh -c "setsid sleep ${seconds} & sleep ${seconds}" & sleep ${seconds}`;
    const limited = await sh(sandbox, script(first), {}, { timeoutMs: 500 });
    expect(limited).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
    await expect.poll(() => running(first)).toEqual([]);
    const controller = new AbortController();
    const work = sh(sandbox, script(second), {}, { signal: controller.signal });
    await expect.poll(async () => (await running(second)).length).toBeGreaterThan(2);
    controller.abort(new Error('cancelled'));
    await expect(work).rejects.toThrow('cancelled');
    await expect.poll(() => running(second)).toEqual([]);
  });

  it('ends when who started it dies, whatever of', async () => {
    const seconds = mark();
    const command = sandbox.confine(
      { file: '/bin/sh', args: ['-c', `setsid sleep ${seconds} & sleep ${seconds}`] },
      base,
    );
    const program = `require('child_process').spawn(${JSON.stringify(command.file)}, ${JSON.stringify(command.args)}, { detached: true, env: { PATH: '/usr/bin:/bin' } }); setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
    await expect.poll(async () => (await running(seconds)).length).toBeGreaterThan(1);
    owner.kill('SIGKILL');
    await expect.poll(() => running(seconds)).toEqual([]);
  });

  it('gives no more processes than its limit', async () => {
    // A handful more than the limit, never without end: where no limit holds, the machine must not pay for this test.
    const seconds = mark();
    const script = `i=0; while [ $i -lt 60 ]; do sleep ${seconds} & i=$((i+1)); done; echo all`;
    const run = await sh(sandbox, script, {}, { timeoutMs: 20_000 });
    // Root's processes are not limited by the kernel, those of a user of its own are.
    if (!isRoot || means === 'namespaces') expect(run.stdout).not.toBe('all\n');
    await expect.poll(() => running(seconds)).toEqual([]);
  });

  it('passes descriptors up to the number, and no further', async () => {
    const command = sandbox.confine(
      { file: '/bin/sh', args: ['-c', 'ls /proc/self/fd; echo here >&4'] },
      { ...base, descriptors: 5 },
    );
    const child = spawn(command.file, command.args, {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    let [listed, told] = ['', ''];
    child.stdout!.on('data', (t) => (listed += String(t)));
    child.stdio[4]!.on('data' as never, (t: Buffer) => (told += String(t)));
    await new Promise((resolve) => child.once('close', resolve));
    // The folder itself is open while it is listed.
    expect(listed.trim().split(/\s+/)).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(told).toBe('here\n');
  });

  it('tells a program that is not there from one that fails', async () => {
    const run = sandbox.run({ file: '/nowhere/at-all', args: [] }, base, { ...options, timeoutMs: 5000 });
    await expect(run).rejects.toThrow(/cannot start|nowhere\/at-all/);
  });
});

describe('what is told', () => {
  it('where all holds there is nothing to warn of', () => {
    expect(strong.map((s) => warningOf(s.isolation)).filter(Boolean)).toEqual([]);
  });
  it('a warning names each thing that is missing, and a remedy', () => {
    expect(weak.isolation).toMatchObject({ means: 'none' });
    expect(warningOf(weak.isolation)).toMatch(
      /can read what their user can read; they see other processes.*bubblewrap/,
    );
  });
});
