// The host-wide lock: who waits, who is next, and what is left when a holder dies.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { build } from 'esbuild';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeviceLock } from './device-lock.js';

const never = new AbortController().signal;
const ignore = (): void => undefined;
const isLinux = process.platform === 'linux';

/** Holds the lock of argument 1 in a process of its own, says `held`, and again after each release and acquisition. */
const program = `
import { DeviceLock } from ${JSON.stringify(path.join(__dirname, 'device-lock.ts'))};
const lock = new DeviceLock(process.argv[2]);
setInterval(() => undefined, 1000);
(async () => {
  let release = await lock.acquire(new AbortController().signal, () => undefined);
  console.log('held');
  process.stdin.on('data', async () => {
    await release();
    console.log('released');
    release = await lock.acquire(new AbortController().signal, () => undefined);
    console.log('held');
  });
})();
`;
let folder: string;
let holderFile: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-lock-'));
  holderFile = path.join(folder, 'holder.js');
  const stdin = { contents: program, resolveDir: __dirname, loader: 'ts' as const };
  await build({ stdin, outfile: holderFile, bundle: true, platform: 'node', target: 'node20', format: 'cjs' });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function holderOf(device: string): Promise<ChildProcess & { next(): Promise<string> }> {
  const child = spawn(process.execPath, [holderFile, device], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines: string[] = [];
  let wake = ignore;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.trim().split('\n'));
    wake();
  });
  const next = async (): Promise<string> => {
    while (lines.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return lines.shift()!;
  };
  expect(await next()).toBe('held');
  return Object.assign(child, { next });
}

test('evaluations of one runner are served in order, one at a time', async () => {
  const lock = new DeviceLock(randomUUID());
  const order: number[] = [];
  let holding = 0;
  const waited: string[] = [];
  await Promise.all(
    [1, 2, 3, 4].map(async (n) => {
      const release = await lock.acquire(never, (holder) => waited.push(holder));
      expect(++holding).toBe(1);
      order.push(n);
      await new Promise((resolve) => setTimeout(resolve, 5));
      holding--;
      await release();
      await release();
    }),
  );
  expect(order).toEqual([1, 2, 3, 4]);
  expect(new Set(waited)).toEqual(new Set(['held by another evaluation of this runner']));
  expect(waited).toHaveLength(3);
  expect(await lock.holder()).toBeUndefined();
});

test('who gives up while waiting does not hold up those behind it', async () => {
  const lock = new DeviceLock(randomUUID());
  const release = await lock.acquire(never, ignore);
  const impatient = new AbortController();
  const second = lock.acquire(impatient.signal, ignore);
  const third = lock.acquire(never, ignore);
  impatient.abort(new Error('cancelled'));
  await expect(second).rejects.toThrow('cancelled');
  let isThird = false;
  void third.then(() => (isThird = true));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(isThird).toBe(false);
  await release();
  await (
    await third
  )();
  await expect(lock.acquire(AbortSignal.abort(new Error('too late')), ignore)).rejects.toThrow('too late');
  await (
    await lock.acquire(never, ignore)
  )();
});

test('devices do not wait for each other', async () => {
  const [a, b] = [new DeviceLock(randomUUID()), new DeviceLock(randomUUID())];
  const releases = await Promise.all([a.acquire(never, ignore), b.acquire(never, ignore)]);
  for (const release of releases) await release();
});

test.runIf(isLinux)('another process is waited for and named; killed, it leaves nothing behind', async () => {
  const device = randomUUID();
  const other = await holderOf(device);
  const lock = new DeviceLock(device);
  const waited: string[] = [];
  const expected = new RegExp(`^held by process ${other.pid} of user \\S+$`);
  expect(await lock.holder()).toMatch(expected);
  const mine = lock.acquire(never, (holder) => waited.push(holder));
  await expect.poll(() => waited.length).toBe(1);
  expect(waited[0]).toMatch(expected);
  other.kill('SIGKILL');
  await (
    await mine
  )();
  expect(await lock.holder()).toBeUndefined();
});

test.runIf(isLinux)('waiting for another process can be given up', async () => {
  const device = randomUUID();
  await holderOf(device);
  const lock = new DeviceLock(device);
  const controller = new AbortController();
  const mine = lock.acquire(controller.signal, () => controller.abort(new Error('cancelled')));
  await expect(mine).rejects.toThrow('cancelled');
});

test.runIf(isLinux)('a process that wants it again at once lets the one that waited go first', async () => {
  const device = randomUUID();
  const other = await holderOf(device);
  const lock = new DeviceLock(device);
  for (let i = 0; i < 3; i++) {
    let isWaiting = false;
    const mine = lock.acquire(never, () => (isWaiting = true));
    await expect.poll(() => isWaiting).toBe(true);
    other.stdin!.write('again\n');
    expect(await other.next()).toBe('released');
    const release = await mine;
    await release();
    expect(await other.next()).toBe('held');
  }
});
