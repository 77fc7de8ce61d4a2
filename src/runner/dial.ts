// Opens one connection to a runner and introduces itself.
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { NullLogger, createMessageConnection } from 'vscode-jsonrpc/node';
import { WebSocket } from 'ws';
import type { InitializeResult } from '../../remote-runner/protocol.js';
import { LIMITS, METHODS, SUBPROTOCOL, initializeResult } from '../../remote-runner/protocol.js';
import { closeMeaning, diagnose, refusedBy } from './diagnose.js';
import { Pulse } from './pulse.js';
import { SocketReader, SocketWriter } from './socket.js';
import { RunnerError } from './types.js';

export interface Endpoint {
  url: string;
  token?: string;
}

/** A connection that has introduced itself. */
export interface Line {
  rpc: MessageConnection;
  about: InitializeResult;
  /** The socket's close code and reason, once it is closed. */
  closed: Promise<string>;
  /** To be called while something is awaited from the runner: its silence then closes the connection. */
  wait(): () => void;
  /** Closes at once, without waiting for the other side. */
  drop(): void;
}

const HANDSHAKE_MS = 10_000;
const PING_MS = 15_000;

/**
 * Connects and initializes.
 * @throws RunnerError `refused` and `lost` may pass by themselves, the others will not
 */
export async function dial(endpoint: Endpoint, version: string, signal?: AbortSignal): Promise<Line> {
  const ws = await open(endpoint, signal);
  const rpc = createMessageConnection(new SocketReader(ws), new SocketWriter(ws), NullLogger);
  const closed = new Promise<string>((resolve) => {
    ws.once('close', (code, reason) => {
      rpc.dispose();
      resolve(reason.length > 0 ? reason.toString('utf8') : closeMeaning(code));
    });
  });
  const pulse = new Pulse(ws, PING_MS);
  rpc.listen();
  const drop = (): void => ws.terminate();
  signal?.addEventListener('abort', drop, { once: true });
  const wait = (): (() => void) => pulse.wait();
  try {
    const answer = await withinMs(
      rpc.sendRequest<unknown>(METHODS.initialize, { client: { name: 'kernelseek', version: version.slice(0, 64) } }),
      HANDSHAKE_MS,
      () => new RunnerError('lost', `${endpoint.url} accepted the connection but does not answer.`),
    );
    const about = initializeResult.safeParse(answer);
    if (!about.success) {
      const at = about.error.issues[0]?.path.join('.');
      throw new RunnerError(
        'protocol',
        `${endpoint.url} introduced itself in a way that is not understood (${at}). Use the same KernelSeek version on both sides.`,
      );
    }
    return { rpc, about: about.data, closed, wait, drop };
  } catch (error) {
    drop();
    if (signal?.aborted) throw new RunnerError('cancelled', 'Connecting was cancelled.');
    if (error instanceof RunnerError) throw error;
    throw new RunnerError('lost', `${endpoint.url} closed the connection: ${await closed}.`);
  } finally {
    signal?.removeEventListener('abort', drop);
  }
}

function open({ url, token }: Endpoint, signal?: AbortSignal): Promise<WebSocket> {
  if (!/^wss?:\/\/[^\s/]/.test(url) || !URL.canParse(url)) {
    return Promise.reject(
      new RunnerError('refused', `${url} is not the address of a runner: it must look like ws://127.0.0.1:4242.`),
    );
  }
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new RunnerError('cancelled', 'Connecting was cancelled.'));
    const ws = new WebSocket(url, SUBPROTOCOL, {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      maxPayload: LIMITS.message,
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_MS,
    });
    const onAbort = (): void => {
      reject(new RunnerError('cancelled', 'Connecting was cancelled.'));
      ws.terminate();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const settled = (): void => signal?.removeEventListener('abort', onAbort);
    ws.on('unexpected-response', (_request, response) => {
      settled();
      void refusedBy(url, response).then((error) => {
        reject(error);
        ws.terminate();
      });
    });
    ws.on('error', (error: NodeJS.ErrnoException) => {
      settled();
      reject(diagnose(url, error));
    });
    ws.on('open', () => {
      settled();
      resolve(ws);
    });
  });
}

function withinMs<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
