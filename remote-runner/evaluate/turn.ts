// Whose turn it is: a worker runs while it is asked for something, and is stopped by its supervisor otherwise (--turns of
// harness/launcher.cpp). A candidate can so neither use the cores during the original's turn nor compute ahead of its own.
import type { Duplex } from 'node:stream';

export class Turn {
  private depth = 0;
  private waiting: (() => void)[] = [];
  private isGone = false;

  /** @param supervisor answers each byte that it has acted on with that byte */
  constructor(private readonly supervisor: Duplex) {
    supervisor.on('data', (bytes: Buffer) => {
      for (const byte of bytes) if (byte === HOLD[0]) this.waiting.shift()?.();
    });
    supervisor.on('error', () => undefined);
    // With the supervisor ends what it supervises.
    supervisor.on('close', () => {
      this.isGone = true;
      for (const resolve of this.waiting.splice(0)) resolve();
    });
  }

  /** The worker goes on, if it does not run already; turns may lie in turns. */
  begin(): void {
    if (this.depth++ === 0 && !this.isGone) this.supervisor.write(GO);
  }

  /** Resolves when everything that the worker has started stands still, or when another turn goes on around this one. */
  async end(): Promise<void> {
    if (--this.depth > 0 || this.isGone) return;
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.supervisor.write(HOLD);
    });
  }
}

const [HOLD, GO] = [Buffer.from('h'), Buffer.from('g')];
