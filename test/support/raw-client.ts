// A client without manners: sends what it is told over a WebSocket and records what comes back.
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { WebSocket } from 'ws';
import type { JobEvent } from '../../remote-runner/protocol.js';
import { METHODS, SUBPROTOCOL } from '../../remote-runner/protocol.js';
import { TOKEN } from './server.js';

export interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export class RawClient {
  readonly events: JobEvent[] = [];
  /** Close code and reason. */
  readonly closed: Promise<{ code: number; reason: string }>;
  private readonly pending = new Map<number, (answer: Answer) => void>();
  private readonly listeners = new Set<() => void>();
  private id = 0;

  private constructor(readonly ws: WebSocket) {
    this.closed = new Promise((resolve) => {
      ws.on('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        for (const answer of this.pending.values()) answer({ error: { code: 0, message: 'closed' } });
      });
    });
    ws.on('error', () => undefined);
    ws.on('message', (data) => {
      const message = JSON.parse((data as Buffer).toString()) as Answer & { id?: number; params: JobEvent };
      if (message.id !== undefined) this.pending.get(message.id)?.(message);
      else this.events.push(message.params);
      for (const listener of this.listeners) listener();
    });
  }

  static async open(url: string, token = TOKEN): Promise<RawClient> {
    const ws = new WebSocket(url, SUBPROTOCOL, { headers: { Authorization: `Bearer ${token}` } });
    const client = new RawClient(ws);
    await once(ws, 'open');
    return client;
  }

  request(method: string, params: unknown): Promise<Answer> {
    const id = (this.id += 1);
    this.ws.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve) => this.pending.set(id, resolve));
  }

  submit(job: string, params: unknown): Promise<Answer> {
    return this.request(METHODS.submit, { job, params });
  }

  /** Resolves with the last event of the job. */
  async last(job: string): Promise<JobEvent> {
    for (;;) {
      const found = this.events.find((e) => e.job === job && e.event.type !== 'phase');
      if (found) return found;
      await this.next();
    }
  }

  /** Resolves at the next message. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        this.listeners.delete(listener);
        resolve();
      };
      this.listeners.add(listener);
    });
  }
}

/** Sends an upgrade request with exactly these headers; answers status and body. */
export function upgrade(
  url: string,
  headers: Record<string, string>,
  path = '/',
): Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname,
      port,
      path,
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, body: '', headers: response.headers });
    });
    request.on('response', (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    request.end();
  });
}
