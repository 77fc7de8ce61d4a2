// A TCP relay between client and server whose cable a test can pull.
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export class Proxy {
  private readonly sockets = new Set<Socket>();
  /** Connections made through it. */
  connections = 0;

  private constructor(
    readonly url: string,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  /** @param target asked at each connection, since a server that comes back has another port */
  static async open(target: () => string): Promise<Proxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new Proxy(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    server.on('connection', (near) => {
      const far = connect(Number(new URL(target()).port), '127.0.0.1');
      proxy.connections += 1;
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        proxy.sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          proxy.sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    return proxy;
  }

  /** Breaks every connection, as a network does: without a word. */
  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }
}
