// Tries again what may succeed later: back-off that doubles, the server's own wish honoured, every wait told and abortable.
import { setTimeout as sleep } from 'node:timers/promises';

/** An attempt that failed in a way that may pass. */
export class Passing extends Error {
  constructor(
    /** What happened, as the start of a sentence. */
    message: string,
    /** What the server asked for, in milliseconds. */
    readonly retryAfterMs?: number,
    /** Give up after this many attempts that ended so, where that is fewer than usual. */
    readonly attempts = Infinity,
  ) {
    super(message);
    this.name = 'Passing';
  }
}

export interface RetryOptions {
  signal: AbortSignal;
  attempts: number;
  firstDelayMs: number;
  longestDelayMs: number;
  onWait?: (message: string) => void | Promise<void>;
  /** 0 to 1, for the spread of the delays. */
  random?: () => number;
}

/** A longer timer of Node would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `attempt` until it succeeds, fails for good, or the attempts are used up (then its last `Passing` is thrown).
 * @throws the signal's reason on abort
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, attempts, firstDelayMs, longestDelayMs, onWait, random = Math.random } = options;
  for (let n = 1; ; n++) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Passing)) throw error;
      const most = Math.min(attempts, error.attempts);
      if (n >= most) throw error;
      const backOff = Math.min(longestDelayMs, firstDelayMs * 2 ** (n - 1)) * (0.75 + 0.5 * random());
      // The server's wish counts even where it is longer than our longest delay, though not beyond what timers hold.
      const delay = Math.min(LONGEST_TIMER_MS, Math.max(error.retryAfterMs ?? 0, backOff));
      await onWait?.(`${error.message}; attempt ${n + 1} of ${most} in ${(delay / 1000).toFixed(1)} s`);
      await sleep(delay, undefined, { signal }).catch((reason: unknown) => {
        signal.throwIfAborted();
        throw reason;
      });
    }
  }
}

/**
 * Milliseconds a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.
 * @param now milliseconds since the epoch
 */
export function retryAfter(headers: { get(name: string): string | null }, now: number): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const text = headers.get('retry-after');
  if (text === null || text.trim() === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
