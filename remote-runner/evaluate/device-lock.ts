// One evaluation at a time on each device of this host, whichever runner and user it belongs to.
//
// The lock is a name in Linux's abstract socket space: who listens there holds it, and the kernel takes it back when the
// process ends, however it ends. There is no file to go stale, to be planted or to be followed. Who waits is connected to
// the holder, so that the end of the connection wakes it at once. What comes over the connection is a number at most.
// The name space is that of the network namespace: runners in containers with networks of their own do not see each other
// (targets/cuda/processes.ts sees their processes on the device), candidates have no network and cannot take the name.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Gives the device back; a second call does nothing. */
export type Release = () => Promise<void>;

/** How long a holder stands back for others that were waiting before it may hold again, milliseconds. */
const STAND_BACK_MS = 100;
/** Between attempts when the holder was gone before it could be asked, milliseconds. */
const RETRY_MS = 10;
/** How long a holder may take to say who it is, milliseconds. */
const INTRODUCTION_MS = 1000;

/** All of a socket address: some versions of Node pad a shorter name, others do not. */
function addressOf(device: string, scope: string): string {
  const hash = createHash('sha256').update(`kernelseek device ${device} ${scope}`).digest('hex');
  return `\0kernelseek-${hash}`.padEnd(108, '.');
}

export class DeviceLock {
  private readonly address: string;
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private standBackUntil = 0;

  /**
   * @param device a GPU's UUID, or `cpu`
   * @param scope runners of one scope wait for each other: that of the machine unless tests give another
   */
  constructor(device: string, scope = '') {
    this.address = addressOf(device, scope);
  }

  /**
   * Resolves when the device is ours. Evaluations of one process are served in the order they came; across processes nobody
   * takes it twice in a row while another one waits.
   * @param onWait told once for each holder that is waited for: `held by process 17 of user ann`
   * @throws the reason of the signal
   */
  async acquire(signal: AbortSignal, onWait: (holder: string) => void): Promise<Release> {
    signal.throwIfAborted();
    const before = this.last;
    let end = (): void => undefined;
    const turn = new Promise<void>((resolve) => (end = resolve));
    this.last = before.then(() => turn);
    try {
      if (this.waiting++ > 0) onWait('held by another evaluation of this runner');
      await unlessAborted(before, signal);
      const close = await this.take(signal, onWait);
      let given: Promise<void> | undefined;
      return () => (given ??= close().then(() => this.finish(end)));
    } catch (error) {
      this.finish(end);
      throw error;
    }
  }

  /** Who has it now, `held by process 17 of user ann`; undefined when it is free. */
  async holder(): Promise<string | undefined> {
    if (process.platform !== 'linux') return this.waiting > 0 ? 'held by this runner' : undefined;
    const socket = connect({ path: this.address });
    try {
      return await introduction(socket);
    } finally {
      socket.destroy();
    }
  }

  private finish(end: () => void): void {
    this.waiting--;
    end();
  }

  /** @returns what gives it back */
  private async take(signal: AbortSignal, onWait: (holder: string) => void): Promise<() => Promise<void>> {
    // Elsewhere there is only the order within this process.
    if (process.platform !== 'linux') return () => Promise.resolve();
    await unlessAborted(delay(Math.max(0, this.standBackUntil - performance.now())), signal);
    for (;;) {
      signal.throwIfAborted();
      const held = await hold(this.address);
      if (held)
        return async () => {
          if ((await held()) > 0) this.standBackUntil = performance.now() + STAND_BACK_MS;
        };
      await waitForRelease(this.address, signal, onWait);
    }
  }
}

/** @returns what lets go and tells how many were waiting; undefined when somebody else holds it */
function hold(address: string): Promise<(() => Promise<number>) | undefined> {
  return new Promise((resolve, reject) => {
    const waiting = new Set<Socket>();
    const server: Server = createServer((socket) => {
      waiting.add(socket);
      socket.on('error', () => undefined).on('close', () => waiting.delete(socket));
      socket.unref().resume().write(`${process.pid}\n`);
    });
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE'
        ? resolve(undefined)
        : reject(new Error(`the lock of the device cannot be had: ${error.message}`)),
    );
    server.listen({ path: address }, () =>
      resolve(
        () =>
          new Promise((released) => {
            const others = waiting.size;
            server.close(() => released(others));
            for (const socket of waiting) socket.destroy();
          }),
      ),
    );
  });
}

async function waitForRelease(address: string, signal: AbortSignal, onWait: (holder: string) => void): Promise<void> {
  const socket = connect({ path: address });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  try {
    const holder = await unlessAborted(introduction(socket), signal);
    if (holder === undefined) {
      await delay(RETRY_MS);
      return;
    }
    onWait(holder);
    await unlessAborted(closed, signal);
  } finally {
    socket.destroy();
  }
}

/** What is known of the process at the other end; undefined when there is none. */
function introduction(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const timer = setTimeout(() => resolve('held by a process that does not say who it is'), INTRODUCTION_MS);
    const settle = (holder: string | undefined | Promise<string>): void => {
      clearTimeout(timer);
      resolve(holder);
    };
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.once('close', () => settle(undefined));
    socket.on('data', (data: string) => {
      if (text.length < 16) text += data.slice(0, 16);
      const pid = /^(\d{1,10})\n/.exec(text)?.[1];
      if (pid !== undefined) settle(inWords(Number(pid)));
    });
  });
}

/** The user is asked of the system, not of the holder. */
async function inWords(pid: number): Promise<string> {
  if (pid === process.pid) return 'held by another evaluation of this runner';
  const uid = await stat(`/proc/${pid}`).then(
    (s) => s.uid,
    () => undefined,
  );
  if (uid === undefined) return 'held by a process that is not visible from here';
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const name = users
    .split('\n')
    .map((line) => line.split(':'))
    .find((fields) => fields[2] === String(uid))?.[0];
  return `held by process ${pid} of user ${name ?? uid}`;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
