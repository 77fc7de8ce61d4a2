// JSON-RPC messages over the client's WebSocket; what the runner sends is checked where it is used.
import type { Message, MessageReader, MessageWriter } from 'vscode-jsonrpc/node';
import { AbstractMessageReader, AbstractMessageWriter } from 'vscode-jsonrpc/node';
import type { RawData, WebSocket } from 'ws';

export class SocketReader extends AbstractMessageReader implements MessageReader {
  constructor(private readonly ws: WebSocket) {
    super();
  }

  listen(callback: (message: Message) => void): { dispose(): void } {
    const onMessage = (data: RawData): void => {
      try {
        callback(JSON.parse((data as Buffer).toString('utf8')) as Message);
      } catch (error) {
        this.ws.close(1007, 'the message is not JSON-RPC');
        this.fireError(error);
      }
    };
    this.ws.on('message', onMessage);
    this.ws.on('close', () => this.fireClose());
    return { dispose: () => this.ws.off('message', onMessage) };
  }
}

export class SocketWriter extends AbstractMessageWriter implements MessageWriter {
  constructor(private readonly ws: WebSocket) {
    super();
  }

  write(message: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      this.ws.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  end(): void {
    this.ws.close(1000);
  }
}
