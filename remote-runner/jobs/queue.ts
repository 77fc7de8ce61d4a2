// Who runs when: first come, first served, at most `concurrency` at a time.

interface Waiting {
  run: () => Promise<void>;
  signal: AbortSignal;
}

export class Queue {
  private readonly waiting: Waiting[] = [];
  private running = 0;
  private readonly idle: (() => void)[] = [];

  constructor(private readonly concurrency: number) {}

  /** Entries waiting or running. */
  get size(): number {
    return this.waiting.length + this.running;
  }

  /**
   * Runs `run` when its turn comes. An entry whose signal is aborted while it waits leaves its place at once: its `run` is
   * called without waiting further and is expected to see the signal.
   * @returns how many are ahead of it
   */
  add(run: () => Promise<void>, signal: AbortSignal): number {
    const entry: Waiting = { run, signal };
    const ahead = this.running < this.concurrency ? 0 : this.size;
    this.waiting.push(entry);
    signal.addEventListener('abort', () => this.skip(entry), { once: true });
    this.next();
    return ahead;
  }

  /** Resolves when nothing waits or runs. */
  async drained(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private skip(entry: Waiting): void {
    const at = this.waiting.indexOf(entry);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    void this.start(entry);
  }

  private next(): void {
    while (this.running < this.concurrency) {
      const entry = this.waiting.shift();
      if (!entry) break;
      void this.start(entry);
    }
  }

  private async start(entry: Waiting): Promise<void> {
    this.running += 1;
    // What it throws is its own affair; the queue goes on.
    await entry.run().catch(() => undefined);
    this.running -= 1;
    this.next();
    if (this.size === 0) this.idle.splice(0).forEach((resolve) => resolve());
  }
}
