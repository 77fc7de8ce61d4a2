// The seat beside the agent: whether a person sits there, the question that is open, its countdown, what was posed or paused.
import type { Asker as Mode } from '../../questions/types.js';
import type { Asked, Asker, OpenQuestion, Reply } from './asker.js';

/** How long a question waits for a person who is present, milliseconds. */
const PATIENCE_MS = 5 * 60_000;
/** After this long without another key the countdown goes on, milliseconds. */
const TYPING_MS = 30_000;
/** Questions that may wait for the next safe point. */
const MOST_POSED = 20;

export interface SeatOptions {
  mode: Mode;
  /** Told of the open question and of every change of it; undefined once none is open. */
  onQuestion: (question: OpenQuestion | undefined) => void;
  /** Default: PATIENCE_MS. */
  patienceMs?: number;
}

interface Open {
  asked: Asked;
  remainingMs: number;
  /** Monotonic time at which the countdown runs out; absent while it is held. */
  until?: number;
  timer?: NodeJS.Timeout;
  settle: (reply: Reply | { type: 'expired' }) => void;
}

export class Seat implements Asker {
  private open: Open | undefined;
  private present = false;
  private typing: NodeJS.Timeout | undefined;
  private paused = false;
  private wake: (() => void) | undefined;
  private readonly queue: string[] = [];

  constructor(private readonly options: SeatOptions) {}

  ask(asked: Asked, signal: AbortSignal): Promise<Reply | { type: 'expired' }> {
    signal.throwIfAborted();
    const { mode, patienceMs = PATIENCE_MS } = this.options;
    if (mode === 'agent' || !this.present) return Promise.resolve(this.unattended());
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.close();
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.open = {
        asked,
        remainingMs: patienceMs,
        settle: (reply) => {
          signal.removeEventListener('abort', abort);
          this.close();
          resolve(reply);
        },
      };
      this.count();
    });
  }

  posed(): string | undefined {
    return this.queue.shift();
  }

  async running(signal: AbortSignal, onPaused: (paused: boolean) => Promise<unknown>): Promise<void> {
    if (!this.paused) return;
    await onPaused(true);
    while (this.paused) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    await onPaused(false);
  }

  /** The question that waits for a person now. */
  current(): OpenQuestion | undefined {
    if (!this.open) return undefined;
    const { asked, remainingMs, until } = this.open;
    const left = until === undefined ? remainingMs : Math.max(0, until - performance.now());
    const agentPicks = this.options.mode === 'both';
    return { ...asked, remainingMs: left, held: until === undefined, agentPicks };
  }

  /**
   * What a person decided about the open question.
   * @throws Error when that moment is not open (any more), or the choice is not among its choices
   */
  reply(moment: string, reply: Reply): void {
    const { open } = this;
    if (open?.asked.moment !== moment) throw new Error(`the question at ${moment} is not open any more`);
    if ('known' in reply && !open.asked.choices.some((c) => c.id === reply.known)) {
      throw new Error(`"${reply.known}" is not among the questions at ${moment}`);
    }
    open.settle(reply);
  }

  /**
   * A question in a person's own words, at any time: it takes the place of the open one, else it comes at the next safe point.
   * @throws Error when too many wait already
   */
  pose(text: string): void {
    if (this.open) return this.open.settle({ type: 'own', text });
    if (this.queue.length >= MOST_POSED) throw new Error(`${MOST_POSED} questions wait already`);
    this.queue.push(text);
  }

  /** Somebody types: the countdown stands still for a while, or until told that nobody does any more. */
  setTyping(typing: boolean): void {
    clearTimeout(this.typing);
    this.typing = typing ? setTimeout(() => this.setTyping(false), TYPING_MS).unref() : undefined;
    if (this.open) this.count();
  }

  /** Whether a person can answer; who leaves leaves the decision to the agent. */
  setPresent(present: boolean): void {
    this.present = present;
    if (!present) {
      this.setTyping(false);
      this.open?.settle(this.unattended());
    }
  }

  get isPaused(): boolean {
    return this.paused;
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    if (!paused) this.wake?.();
  }

  private unattended(): { type: 'agent' | 'expired' } {
    return { type: this.options.mode === 'human' ? 'expired' : 'agent' };
  }

  /** Starts, holds or goes on with the countdown, and tells. */
  private count(): void {
    const { open } = this;
    if (!open) return;
    clearTimeout(open.timer);
    if (open.until !== undefined) open.remainingMs = Math.max(0, open.until - performance.now());
    if (this.typing) {
      delete open.until;
    } else {
      open.until = performance.now() + open.remainingMs;
      open.timer = setTimeout(() => open.settle(this.unattended()), open.remainingMs);
    }
    this.options.onQuestion(this.current());
  }

  private close(): void {
    clearTimeout(this.open?.timer);
    this.open = undefined;
    this.options.onQuestion(undefined);
  }
}
