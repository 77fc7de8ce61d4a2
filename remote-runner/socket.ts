// JSON-RPC messages over one accepted WebSocket: what the client sent is checked before vscode-jsonrpc sees it.
import type { Message, MessageReader, MessageWriter } from 'vscode-jsonrpc/node';
import { AbstractMessageReader, AbstractMessageWriter } from 'vscode-jsonrpc/node';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';

/** Requests taken in and not yet answered, above which the socket is not read further. */
const MOST_UNANSWERED = 32;
/** Outgoing bytes above which no further request is read: a client that does not read its answers gets no more. */
const MOST_UNSENT = 4 * 2 ** 20;

const request = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.number(), z.string().max(64)]),
  method: z.string().max(64),
  params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
});
const optionalNotification = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.undefined().optional(),
  method: z.string().startsWith('$/').max(64),
});

/** WebSocket close codes (RFC 6455, 7.4.1). */
const CLOSE = { unsupportedData: 1003, badPayload: 1007, policy: 1008 } as const;

/** Reader and writer share one count of unanswered requests, which is what holds a flooding client back. */
export class Socket {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  private unanswered = 0;
  private heard = true;

  /** @param onWritten a message has left, or never will */
  constructor(
    private readonly ws: WebSocket,
    onWritten: () => void,
  ) {
    ws.on('pong', () => (this.heard = true));
    ws.on('message', () => (this.heard = true));
    this.reader = new Reader(ws, (data, isBinary) => this.read(data, isBinary));
    this.writer = new Writer(
      ws,
      () => (this.unanswered -= 1),
      () => {
        this.regulate();
        onWritten();
      },
    );
  }

  /**
   * To be called at intervals: pings. A client that sent nothing since the last call is gone or does not read, and is cut
   * off, unless it is we who do not read because its requests are being worked on.
   * @returns false when it was cut off
   */
  pulse(): boolean {
    if (!this.heard && this.unanswered <= MOST_UNANSWERED) {
      this.ws.terminate();
      return false;
    }
    this.heard = false;
    this.ws.ping();
    return true;
  }

  /** The request in this frame; undefined when there is none to handle, after closing where the client is at fault. */
  private read(data: RawData, isBinary: boolean): Message | undefined {
    if (isBinary) return this.close(CLOSE.unsupportedData, 'binary frames are not understood; send JSON-RPC as text');
    let json: unknown;
    try {
      json = JSON.parse((data as Buffer).toString('utf8'));
    } catch {
      return this.close(CLOSE.badPayload, 'the message is not JSON');
    }
    const parsed = request.safeParse(json);
    if (!parsed.success) {
      // `$/…` notifications are optional by convention: vscode-jsonrpc sends $/cancelRequest by itself.
      if (optionalNotification.safeParse(json).success) return undefined;
      return this.close(CLOSE.policy, 'the message is not a JSON-RPC 2.0 request');
    }
    this.unanswered += 1;
    this.regulate();
    return parsed.data as Message;
  }

  private regulate(): void {
    const full = this.unanswered > MOST_UNANSWERED || this.ws.bufferedAmount > MOST_UNSENT;
    if (full && !this.ws.isPaused) this.ws.pause();
    else if (!full && this.ws.isPaused) this.ws.resume();
  }

  private close(code: number, reason: string): undefined {
    this.ws.close(code, reason);
    return undefined;
  }
}

class Reader extends AbstractMessageReader {
  constructor(
    private readonly ws: WebSocket,
    private readonly read: (data: RawData, isBinary: boolean) => Message | undefined,
  ) {
    super();
  }

  listen(callback: (message: Message) => void): { dispose(): void } {
    const onMessage = (data: RawData, isBinary: boolean): void => {
      if (this.ws.readyState !== this.ws.OPEN) return;
      const message = this.read(data, isBinary);
      if (message) callback(message);
    };
    this.ws.on('message', onMessage);
    this.ws.on('close', () => this.fireClose());
    return { dispose: () => this.ws.off('message', onMessage) };
  }
}

class Writer extends AbstractMessageWriter implements MessageWriter {
  constructor(
    private readonly ws: WebSocket,
    private readonly answered: () => void,
    private readonly written: () => void,
  ) {
    super();
  }

  write(message: Message): Promise<void> {
    if ('id' in message) this.answered();
    return new Promise((resolve, reject) => {
      this.ws.send(JSON.stringify(message), (error) => {
        this.written();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  end(): void {
    this.ws.close(1000);
  }
}
