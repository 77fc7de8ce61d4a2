// The runner as a process: its command line, its token, and that it never outlives its owner nor leaves anything behind.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createConnect } from '../../src/runner/connect.js';
import type { RunnerError } from '../../src/runner/types.js';
import { bundle } from '../support/bundle.js';
import { scriptedJob } from '../support/scripted-evaluator.js';

const noFiles = new Map<string, Uint8Array>();
const certificates = path.resolve(__dirname, '../fixtures/tls');
const cert = path.join(certificates, 'localhost.cert.pem');
const key = path.join(certificates, 'localhost.key.pem');
let runnerBundle: string;
let state: string;
const started: ChildProcessWithoutNullStreams[] = [];

beforeAll(async () => {
  runnerBundle = await bundle('test/support/scripted-runner.ts');
});
beforeEach(async () => {
  state = await mkdtemp(path.join(tmpdir(), 'kernelseek-state-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await rm(state, { recursive: true, force: true });
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts a program of Node and collects what it prints. */
function start(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  started.push(child);
  const printed = { out: '', err: '' };
  child.stdout.on('data', (text) => (printed.out += String(text)));
  child.stderr.on('data', (text) => (printed.err += String(text)));
  const exit = once(child, 'close').then(([code, signal]) => ({ code: code as number, signal: signal as string }));
  return { child, printed, exit };
}

const startRunner = (args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  start([runnerBundle, '--port', '0', '--state', state, '--ready-json', ...args], env);

async function ready(child: ChildProcessWithoutNullStreams): Promise<{ url: string; tokenFile: string; pid: number }> {
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return JSON.parse(line) as { url: string; tokenFile: string; pid: number };
}

const connect = (settings: { giveUpMs?: number; runnerBundle?: string } = {}) =>
  createConnect({ version: 'test', runnerBundle, state, ...settings });

async function failure(promise: Promise<unknown>): Promise<RunnerError> {
  return (await promise.then(
    () => undefined,
    (e: unknown) => e,
  )) as RunnerError;
}

describe('the local runner', () => {
  test('is started when none is configured and ended on close, with all it had open', async () => {
    const lines: string[] = [];
    const connection = await connect()({}, { log: (line) => lines.push(line) });
    expect(connection.address).toBe('local');
    const pid = Number(/process (\d+)/.exec(lines.join('\n'))?.[1]);
    expect(isAlive(pid)).toBe(true);
    expect(await connection.run('j', scriptedJob('say local'), noFiles, {})).toMatchObject({
      verdict: { message: 'local' },
    });
    await connection.close();
    expect(isAlive(pid)).toBe(false);
    expect(await readdir(path.join(state, 'run'))).toEqual([]);
  });

  test('does not get what is secret here', async () => {
    process.env.ANTHROPIC_API_KEY = 'sk-secret';
    const note = path.join(state, 'environment');
    try {
      const connection = await connect()({});
      await connection.run('j', scriptedJob(`environment ${note}`), noFiles, {});
      await connection.close();
    } finally {
      delete process.env.ANTHROPIC_API_KEY;
    }
    const names = (await readFile(note, 'utf8')).split('\n');
    expect(names).toContain('PATH');
    expect(names).not.toContain('ANTHROPIC_API_KEY');
  });

  test('that is killed in the middle of a job is started again, and the job gets its verdict', async () => {
    const lines: string[] = [];
    const connection = await connect()({}, { log: (line) => lines.push(line) });
    const flag = path.join(state, 'died-once');
    expect(await connection.run('j', scriptedJob(`die-once ${flag}\nsay revived`), noFiles, {})).toMatchObject({
      verdict: { message: 'revived' },
    });
    expect(lines.filter((line) => line.startsWith('started a local runner'))).toHaveLength(2);
    await connection.close();
  });

  test('that every run of a job kills is given up in words', async () => {
    const connection = await connect()({});
    const error = await failure(connection.run('j', scriptedJob('die'), noFiles, {}));
    expect(['lost', 'local']).toContain(error.code);
    expect(error.message).toMatch(/3 times/);
    await connection.close();
  });

  test('that cannot start says why, with its last words', async () => {
    const broken = path.join(state, 'broken.js');
    await writeFile(broken, 'console.error("cannot find my harness"); process.exit(7);');
    const error = await failure(connect({ runnerBundle: broken })({}));
    expect(error.code).toBe('local');
    expect(error.message).toContain('status 7');
    expect(error.message).toContain('cannot find my harness');
  });

  test('that says something else than expected is no runner', async () => {
    const odd = path.join(state, 'odd.js');
    await writeFile(odd, 'console.log("hello"); setInterval(() => {}, 1000);');
    const error = await failure(connect({ runnerBundle: odd })({}));
    expect(error.code).toBe('local');
    expect(error.message).toContain('did not start as expected');
  });

  test('can be given up while it starts', async () => {
    const slow = path.join(state, 'slow.js');
    await writeFile(slow, 'process.stdin.on("end", () => process.exit(0)).resume();');
    const controller = new AbortController();
    const connecting = connect({ runnerBundle: slow })({}, { signal: controller.signal });
    setImmediate(() => controller.abort());
    expect((await failure(connecting)).code).toBe('cancelled');
  });

  test('that hangs while it starts is gone when it is given up', { timeout: 10_000 }, async () => {
    const stuck = path.join(state, 'stuck.js');
    const note = path.join(state, 'pid');
    await writeFile(stuck, `require('fs').writeFileSync(${JSON.stringify(note)}, String(process.pid)); for (;;) {}`);
    const controller = new AbortController();
    const connecting = connect({ runnerBundle: stuck })({}, { signal: controller.signal });
    await until(() => existsSync(note) && readFileSync(note, 'utf8') !== '');
    controller.abort();
    expect((await failure(connecting)).code).toBe('cancelled');
    expect(isAlive(Number(readFileSync(note, 'utf8')))).toBe(false);
  });

  test('that hangs at a job is gone soon after the job was cancelled', { timeout: 12_000 }, async () => {
    const lines: string[] = [];
    const connection = await connect()({}, { log: (line) => lines.push(line) });
    const note = path.join(state, 'child');
    const controller = new AbortController();
    const run = connection.run('j', scriptedJob(`child ${note}`), noFiles, { signal: controller.signal });
    await until(() => existsSync(note));
    const pid = Number(/process (\d+)/.exec(lines.join('\n'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    controller.abort();
    expect((await failure(run)).code).toBe('cancelled');
    await connection.close();
    expect(isAlive(pid)).toBe(false);
    process.kill(-Number(await readFile(note, 'utf8')), 'SIGKILL');
  });

  test('ends with its owner, even if that is killed, and takes its jobs along', async () => {
    const owner = await bundle('test/support/local-owner.ts');
    const note = path.join(state, 'child');
    const { child, printed, exit } = start([owner, runnerBundle, state, note]);
    await until(() => existsSync(note));
    const runner = Number(/process (\d+)/.exec(printed.out)?.[1]);
    const candidate = Number(await readFile(note, 'utf8'));
    expect([isAlive(runner), isAlive(candidate)]).toEqual([true, true]);
    child.kill('SIGKILL');
    await exit;
    await until(() => !isAlive(runner) && !isAlive(candidate));
    expect(await readdir(path.join(state, 'run'))).toEqual([]);
  });
});

describe('the command line', () => {
  test('--help is a page for a newcomer', async () => {
    const { printed, exit } = start([runnerBundle, '--help']);
    expect((await exit).code).toBe(0);
    for (const words of ['GPU', 'ssh', 'token', '--check', '127.0.0.1']) expect(printed.out).toContain(words);
  });

  test('--check tells what it can run and what is missing', async () => {
    const { printed, exit } = start([runnerBundle, '--check', '--state', state]);
    expect((await exit).code).toBe(0);
    expect(printed.out).toContain('scripted');
    expect(printed.out).toContain('This runner only plays a script.');
    expect(await readdir(path.join(state, 'run'))).toEqual([]);
  });

  test.each([
    [['--prot', '1'], "unknown option '--prot'"],
    [['--port', '99999'], 'from 0 to 65535'],
    [['--cert', 'x.pem'], 'belong together'],
    [['surplus'], 'too many arguments'],
    [['--token-file', '/nowhere/token'], 'cannot be read'],
  ])('%j is refused in words', async (args, words) => {
    const { printed, exit } = startRunner(args);
    expect((await exit).code).toBe(1);
    expect(printed.err).toContain(words);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends jobs, processes and scratch folders', async (signal) => {
    const { child, exit } = startRunner();
    const { url, tokenFile } = await ready(child);
    const connection = await connect({ giveUpMs: 100 })({ url, token: (await readFile(tokenFile, 'utf8')).trim() });
    const note = path.join(state, 'child');
    const run = failure(connection.run('j', scriptedJob(`scratch ${note}.folder\nchild ${note}`), noFiles, {}));
    await until(() => existsSync(note));
    const candidate = Number(await readFile(note, 'utf8'));
    child.kill(signal);
    expect((await exit).code).toBe(0);
    expect(isAlive(candidate)).toBe(false);
    expect(existsSync(await readFile(`${note}.folder`, 'utf8'))).toBe(false);
    expect((await run).code).toBe('lost');
    await connection.close();
  });

  test('what a killed runner left is cleared by the next', async () => {
    const first = startRunner();
    await ready(first.child);
    first.child.kill('SIGKILL');
    await first.exit;
    expect(await readdir(path.join(state, 'run'))).toHaveLength(1);
    const second = startRunner();
    const { pid } = await ready(second.child);
    expect((await readdir(path.join(state, 'run'))).map((name) => name.split('-')[0])).toEqual([String(pid)]);
  });
});

describe('the token', () => {
  test('is made, kept over restarts, readable by its owner alone, and never printed', async () => {
    const first = startRunner();
    const { tokenFile } = await ready(first.child);
    const token = (await readFile(tokenFile, 'utf8')).trim();
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    first.child.kill();
    await first.exit;
    expect(first.printed.err).toContain(tokenFile);
    expect(first.printed.err + first.printed.out).not.toContain(token);
    const second = startRunner();
    expect((await ready(second.child)).tokenFile).toBe(tokenFile);
    expect((await readFile(tokenFile, 'utf8')).trim()).toBe(token);
  });

  test('comes from a file, with a warning when others can read it', async () => {
    const tokenFile = path.join(state, 'mine');
    await writeFile(tokenFile, 'a-token-of-my-own-making\n');
    await chmod(tokenFile, 0o644);
    const { child, printed } = startRunner(['--token-file', tokenFile]);
    const { url } = await ready(child);
    await (await connect()({ url, token: 'a-token-of-my-own-making' })).close();
    expect(printed.err).toContain('chmod 600');
  });

  test('comes from the environment, which what it starts does not see', async () => {
    const { child } = startRunner([], { KERNELSEEK_RUNNER_TOKEN: 'a-token-from-the-environment' });
    const { url, tokenFile } = await ready(child);
    expect(tokenFile).toBeNull();
    const connection = await connect()({ url, token: 'a-token-from-the-environment' });
    const note = path.join(state, 'environment');
    await connection.run('j', scriptedJob(`environment ${note}`), noFiles, {});
    expect(await readFile(note, 'utf8')).not.toContain('KERNELSEEK_RUNNER_TOKEN');
    await connection.close();
  });

  test('too short is refused without showing it', async () => {
    const { printed, exit } = startRunner([], { KERNELSEEK_RUNNER_TOKEN: 'hunter2' });
    expect((await exit).code).toBe(1);
    expect(printed.err).toContain('16 to 512');
    expect(printed.err).not.toContain('hunter2');
  });
});

describe('beyond this machine', () => {
  test('without TLS is warned about, with TLS not', async () => {
    const plain = startRunner(['--host', '0.0.0.0']);
    await ready(plain.child);
    expect(plain.printed.err).toContain('without TLS');
    const tls = startRunner(['--host', '0.0.0.0', '--cert', cert, '--key', key]);
    await ready(tls.child);
    expect(tls.printed.err).not.toContain('without TLS');
  });

  test('TLS: an unknown certificate is a diagnosis, a known one a connection', async () => {
    const { child } = startRunner(['--cert', cert, '--key', key]);
    const { url, tokenFile } = await ready(child);
    expect(url).toMatch(/^wss:/);
    const error = await failure(connect()({ url, token: (await readFile(tokenFile, 'utf8')).trim() }));
    expect(error.code).toBe('protocol');
    expect(error.message).toContain('NODE_EXTRA_CA_CERTS');
    const dialler = await bundle('test/support/remote-owner.ts');
    const { printed, exit } = start([dialler, url, tokenFile], { NODE_EXTRA_CA_CERTS: cert });
    expect((await exit).code).toBe(0);
    expect(printed.out).toContain('scripted');
  });
});
