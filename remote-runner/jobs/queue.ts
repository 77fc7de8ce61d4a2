// Who runs when: clients take turns, each client's jobs in their order, at most `concurrency` at a time.

export interface Entry {
  /** Clients take turns: who submits hundreds does not hold up who submits one. */
  client: string;
  /** Aborted while it waits, it leaves its place at once: `run` is called without waiting further and sees the signal. */
  signal: AbortSignal;
  run: () => Promise<void>;
  /** Runs while nothing else does: what may bring the runner down must not take others along. */
  alone?: boolean;
  /** Told where it stands when it has to wait, and again each time that has halved. */
  waits?: (place: Place) => void;
}

export interface Place {
  /** Entries that start before it. */
  ahead: number;
  /** Of these, entries of other clients. */
  others: number;
}

interface Waiting extends Entry {
  /** `ahead` as last told. */
  told?: number;
}

export class Queue {
  /** By client, whose turn it is first. */
  private readonly turns = new Map<string, Waiting[]>();
  private waiting = 0;
  private running = 0;
  /** The entry that runs alone. */
  private exclusive: Waiting | undefined;
  private readonly idle: (() => void)[] = [];

  constructor(readonly concurrency: number) {}

  /** Entries waiting or running. */
  get size(): number {
    return this.waiting + this.running;
  }

  add(entry: Entry): void {
    const own = this.turns.get(entry.client);
    const waiting: Waiting = { ...entry };
    if (own) own.push(waiting);
    else this.turns.set(entry.client, [waiting]);
    this.waiting += 1;
    entry.signal.addEventListener('abort', () => this.skip(waiting), { once: true });
    this.next();
    this.tell();
  }

  /** Resolves when nothing waits or runs. */
  async drained(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private skip(entry: Waiting): void {
    const at = this.turns.get(entry.client)?.indexOf(entry) ?? -1;
    if (at < 0) return;
    this.take(entry.client, at);
    void this.start(entry);
  }

  /** Takes an entry out; its client goes to the end of the round. */
  private take(client: string, at: number): void {
    const own = this.turns.get(client) ?? [];
    own.splice(at, 1);
    this.waiting -= 1;
    this.turns.delete(client);
    if (own.length > 0) this.turns.set(client, own);
  }

  private next(): void {
    while (this.running < this.concurrency && !this.exclusive) {
      const [first] = this.turns;
      const entry = first?.[1][0];
      if (!first || !entry || (entry.alone && this.running > 0)) break;
      this.take(first[0], 0);
      if (entry.alone) this.exclusive = entry;
      void this.start(entry);
    }
  }

  private async start(entry: Waiting): Promise<void> {
    this.running += 1;
    // What it throws is its own affair; the queue goes on.
    await entry.run().catch(() => undefined);
    this.running -= 1;
    if (this.exclusive === entry) this.exclusive = undefined;
    this.next();
    this.tell();
    if (this.size === 0) this.idle.splice(0).forEach((resolve) => resolve());
  }

  private tell(): void {
    const lengths = [...this.turns.values()].map((own) => own.length);
    [...this.turns.values()].forEach((own, turn) => {
      own.forEach((entry, at) => {
        // Clients before it in the round are one entry further than those behind.
        const others = lengths.reduce((sum, n, c) => sum + (c === turn ? 0 : Math.min(n, c < turn ? at + 1 : at)), 0);
        const ahead = others + at;
        if (entry.told !== undefined && ahead * 2 > entry.told) return;
        if (entry.told === ahead) return;
        entry.told = ahead;
        entry.waits?.({ ahead, others });
      });
    });
  }
}
