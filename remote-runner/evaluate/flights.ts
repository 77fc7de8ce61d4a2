// Work that several wait for at the same time is done once, and is given up when nobody waits any more.

interface Flight<T> {
  result: Promise<T>;
  controller: AbortController;
  waiting: number;
}

export class Flights<T> {
  private readonly flights = new Map<string, Flight<T>>();

  /**
   * Joins the work that is under way for `key`, or begins it.
   * @param signal of the one that waits; the last one to give up waits until the work has stopped
   * @param work gets a signal of its own
   */
  async share(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const flight = this.flights.get(key) ?? this.begin(key, work);
    flight.waiting += 1;
    let giveUp: (() => void) | undefined;
    const abandoned = new Promise<never>((_, reject) => {
      giveUp = () => reject(signal.reason as Error);
      signal.addEventListener('abort', giveUp, { once: true });
    });
    try {
      return await Promise.race([flight.result, abandoned]);
    } finally {
      if (giveUp) signal.removeEventListener('abort', giveUp);
      flight.waiting -= 1;
      if (flight.waiting === 0 && signal.aborted) {
        // Whoever comes now begins anew.
        this.end(key, flight);
        flight.controller.abort(signal.reason);
        await flight.result.catch(() => undefined);
      }
    }
  }

  private begin(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = { controller, waiting: 0, result: work(controller.signal) };
    this.flights.set(key, flight);
    const end = (): void => this.end(key, flight);
    flight.result.then(end, end);
    return flight;
  }

  private end(key: string, flight: Flight<T>): void {
    if (this.flights.get(key) === flight) this.flights.delete(key);
  }
}
