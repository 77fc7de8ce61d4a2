// Notices that the other side is gone though the network never said so; silent while nobody waits for anything.
import type { WebSocket } from 'ws';

export class Pulse {
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;
  private heard = true;

  /** @param everyMs a runner that sends nothing for two of these is gone */
  constructor(
    private readonly ws: WebSocket,
    private readonly everyMs: number,
  ) {
    ws.on('pong', () => (this.heard = true));
    ws.on('message', () => (this.heard = true));
    ws.once('close', () => clearInterval(this.timer));
  }

  /** Pings from now on, until what is returned has been called by everyone. */
  wait(): () => void {
    this.waiting += 1;
    if (this.waiting === 1) this.start();
    return () => {
      this.waiting -= 1;
      if (this.waiting === 0) clearInterval(this.timer);
    };
  }

  private start(): void {
    this.heard = true;
    this.timer = setInterval(() => {
      if (!this.heard) return this.ws.terminate();
      this.heard = false;
      if (this.ws.readyState === this.ws.OPEN) this.ws.ping();
    }, this.everyMs);
    this.timer.unref();
  }
}
