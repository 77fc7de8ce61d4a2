// Ctrl-C: the first asks to stop, the second ends at once.
import { EXIT } from './exit.js';

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Stops listening. */
  release(): void;
}

/**
 * Listens for SIGINT and SIGTERM.
 * @param first called once, for what the user should read while things are being stopped
 * @param second called just before the process ends by a second signal: kill what must not outlive us
 */
export function onInterrupt(first: () => void, second: () => void = () => undefined): Interrupt {
  const controller = new AbortController();
  const handler = () => {
    if (controller.signal.aborted) {
      second();
      process.exit(EXIT.interrupted);
    }
    controller.abort(new Error('interrupted'));
    first();
  };
  process.on('SIGINT', handler);
  process.on('SIGTERM', handler);
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', handler);
      process.off('SIGTERM', handler);
    },
  };
}
