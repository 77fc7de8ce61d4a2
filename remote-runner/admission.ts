// Who may open a connection: the checks on an HTTP upgrade before it becomes a WebSocket, each with a readable answer.
import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { SUBPROTOCOL } from './protocol.js';
import { sameToken } from './token.js';

export interface Refusal {
  status: number;
  message: string;
  headers?: Record<string, string>;
  /** Answered after a pause, so that guessing is slow. */
  slow?: boolean;
}

/** Undefined when the request may become a connection. */
export function refusal(request: IncomingMessage, token: string): Refusal | undefined {
  if (request.url?.split('?')[0] !== '/') {
    return { status: 404, message: 'There is nothing at this path: a KernelSeek runner answers at / only.' };
  }
  // Browsers always send Origin on WebSockets; our clients never do.
  if (request.headers.origin !== undefined) {
    return { status: 403, message: 'Connections from web pages are refused (the request carries an Origin header).' };
  }
  const presented = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (presented === undefined || !sameToken(presented, token)) {
    const why = presented === undefined ? 'No bearer token was sent' : 'The token is wrong';
    return {
      status: 401,
      message: `${why}. Use the one in the runner's token file; the runner prints the file's path when it starts.`,
      headers: { 'WWW-Authenticate': 'Bearer realm="kernelseek-runner"' },
      slow: true,
    };
  }
  const offered = request.headers['sec-websocket-protocol'];
  if (offered === undefined) {
    return { status: 400, message: `No WebSocket subprotocol was offered; this runner speaks ${SUBPROTOCOL}.` };
  }
  if (!offered.split(',').some((p) => p.trim() === SUBPROTOCOL)) {
    return {
      status: 426,
      message: `This runner speaks ${SUBPROTOCOL}, the client offered ${offered.slice(0, 100)}. Use the same KernelSeek version on both sides.`,
      headers: { 'Sec-WebSocket-Protocol': SUBPROTOCOL },
    };
  }
  return undefined;
}

/** Answers an upgrade request with plain HTTP and closes. */
export function refuse(socket: Duplex, { status, message, headers }: Refusal): void {
  const body = `${message}\n`;
  const head = {
    Connection: 'close',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
