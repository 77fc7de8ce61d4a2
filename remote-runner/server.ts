// The WebSocket server: admits clients, gives each a JSON-RPC connection, drops those that no longer answer.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { NullLogger, createMessageConnection } from 'vscode-jsonrpc/node';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { refusal, refuse } from './admission.js';
import { Delivery } from './delivery.js';
import type { FileStore } from './jobs/files.js';
import type { JobStore } from './jobs/store.js';
import type { Log } from './log.js';
import { dispatch } from './methods.js';
import type { InitializeResult } from './protocol.js';
import { LIMITS, METHODS, SUBPROTOCOL } from './protocol.js';
import { Socket } from './socket.js';

export interface ServerOptions {
  host: string;
  /** 0: one that is free. */
  port: number;
  token: string;
  /** PEM contents; present: wss. */
  tls?: { cert: string; key: string };
  about: InitializeResult;
  /** Who holds which device now, by the target's id. */
  holders?: () => Promise<ReadonlyMap<string, string>>;
  jobs: JobStore;
  files: FileStore;
  log: Log;
  /** Milliseconds between pings; a client silent for two of them is dropped. */
  pingMs?: number;
  /** Milliseconds before a wrong token is answered. */
  refusalMs?: number;
  /** Milliseconds that a client may take to say what it wants, before it has shown a token. */
  handshakeMs?: number;
}

export interface RunningServer {
  /** `ws://127.0.0.1:4242` */
  url: string;
  /** Drops all clients and stops listening. Jobs are not touched. */
  close(): Promise<void>;
}

/** More clients than this are not accepted. */
const MOST_CONNECTIONS = 256;
/** Requests of one client handled at the same time. */
const PARALLEL_REQUESTS = 8;

/** Listens; rejects when the address cannot be had. */
export async function serve(options: ServerOptions): Promise<RunningServer> {
  const { handshakeMs = 10_000 } = options;
  const limits = {
    headersTimeout: handshakeMs,
    requestTimeout: handshakeMs,
    connectionsCheckingInterval: Math.ceil(handshakeMs / 4),
  };
  const http: HttpServer = options.tls
    ? createTlsServer({ ...limits, ...options.tls, handshakeTimeout: handshakeMs })
    : createServer(limits);
  http.maxConnections = MOST_CONNECTIONS;
  const sockets = new Set<Socket>();
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.message,
    perMessageDeflate: false,
    handleProtocols: () => SUBPROTOCOL,
  });
  http.on('request', (_request, response) => {
    response.writeHead(426, { 'Content-Type': 'text/plain; charset=utf-8', Upgrade: 'websocket', Connection: 'close' });
    response.end('This is a KernelSeek runner. It speaks WebSocket only: give its ws:// address to KernelSeek.\n');
  });
  http.on('upgrade', (request, socket, head) => {
    admit(wss, request, socket, head, options, (ws) => attend(ws, sockets, options));
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(options.port, options.host, resolve);
  });
  http.on('error', (error) => options.log(`server: ${error.message}`));
  const pulse = setInterval(() => {
    for (const socket of sockets) if (!socket.pulse()) options.log('dropped a client that does not answer');
  }, options.pingMs ?? 30_000);
  const { address, port, family } = http.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return {
    url: `${options.tls ? 'wss' : 'ws'}://${host}:${port}`,
    close: async () => {
      clearInterval(pulse);
      for (const ws of wss.clients) ws.close(1001, 'the runner is shutting down');
      const closed = new Promise((resolve) => http.close(resolve));
      wss.close();
      http.closeAllConnections();
      const impatient = setTimeout(() => wss.clients.forEach((ws) => ws.terminate()), 1000);
      await closed;
      clearTimeout(impatient);
    },
  };
}

function admit(
  wss: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: ServerOptions,
  attendTo: (ws: WebSocket) => void,
): void {
  socket.on('error', () => socket.destroy());
  const refused = refusal(request, options.token);
  if (refused) {
    options.log(`refused a client from ${request.socket.remoteAddress}: ${refused.status}`);
    setTimeout(() => refuse(socket, refused), refused.slow ? (options.refusalMs ?? 300) : 0);
    return;
  }
  wss.handleUpgrade(request, socket, head, attendTo);
}

/** Serves one client until its socket closes. */
function attend(ws: WebSocket, sockets: Set<Socket>, { about, holders, jobs, files, log }: ServerOptions): void {
  // Whatever has left makes room, answers too: an event may be all that waits for it.
  const socket = new Socket(ws, () => delivery.pump());
  sockets.add(socket);
  const connection = createMessageConnection(socket.reader, socket.writer, NullLogger, {
    maxParallelism: PARALLEL_REQUESTS,
  });
  const receiver = files.receiver();
  const delivery = new Delivery(
    // Async: a connection that has just closed throws, and the job that reports must not be hit by it.
    (event) => void (async () => connection.sendNotification(METHODS.event, event))().catch(() => undefined),
    () => (ws.readyState === ws.OPEN ? ws.bufferedAmount : Infinity),
  );
  const client = { id: randomUUID(), about, holders, jobs, files, receiver, delivery };
  connection.onRequest((method, params) => dispatch(method, params, client));
  // Oversize and broken frames arrive here; ws closes the socket with the right code by itself.
  ws.on('error', (error) => log(`client: ${error.message}`));
  ws.on('close', () => {
    sockets.delete(socket);
    delivery.close();
    connection.dispose();
    receiver.close().catch((error: Error) => log(`upload: ${error.message}`));
  });
  connection.listen();
}
