// What a client of a session hears and says, whatever the connection runs over.
import type { Event, MessageConnection } from 'vscode-jsonrpc/node';
import { createMessageConnection, Emitter, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { z } from 'zod';
import type { OpenQuestion, Reply } from './asking/asker.js';
import type { TraceEvent } from './events.js';
import { traceEvent } from './events.js';
import type { Attached, SessionProgress } from './protocol.js';
import { attached, drivingParams, questionParams, SESSION_METHODS, sessionProgress } from './protocol.js';
import { connectSocket } from './socket.js';
import { readTrace } from './trace.js';

export class SessionLink {
  private readonly events = new Emitter<TraceEvent>();
  private readonly progress = new Emitter<SessionProgress>();
  private readonly questions = new Emitter<OpenQuestion | undefined>();
  private readonly seat = new Emitter<boolean>();

  /** Trace events, in order, each already on disk. */
  readonly onEvent: Event<TraceEvent> = this.events.event;
  /** Progress of the evaluation under way; not part of the trace. */
  readonly onProgress: Event<SessionProgress> = this.progress.event;
  /** The question that waits for a person, whenever it changes; undefined once none does. */
  readonly onQuestion: Event<OpenQuestion | undefined> = this.questions.event;
  /** Told when another client took the seat. */
  readonly onDriving: Event<boolean> = this.seat.event;

  constructor(
    protected readonly connection: MessageConnection,
    log?: (line: string) => void,
  ) {
    connection.onError(() => undefined);
    connection.onNotification(SESSION_METHODS.event, (params: unknown) => {
      const event = traceEvent.safeParse(params);
      if (event.success) this.events.fire(event.data);
      else log?.(`the session process sent an event we cannot read: ${z.prettifyError(event.error)}`);
    });
    hear(connection, SESSION_METHODS.progress, sessionProgress, (progress) => this.progress.fire(progress));
    hear(connection, SESSION_METHODS.question, questionParams, ({ question }) =>
      this.questions.fire(question ?? undefined),
    );
    hear(connection, SESSION_METHODS.driving, drivingParams, ({ driving }) => this.seat.fire(driving));
    connection.listen();
  }

  /** Decides about the open question. @throws Error when it is not open any more */
  reply(moment: string, reply: Reply): Promise<void> {
    return this.request(SESSION_METHODS.reply, { moment, reply }, () => undefined);
  }

  /** Poses a question in one's own words; it comes at the next safe point. */
  pose(text: string): Promise<void> {
    return this.request(SESSION_METHODS.pose, { text }, () => undefined);
  }

  /** Halts the agent between two of its turns, or lets it go on. */
  pause(paused: boolean): Promise<void> {
    return this.request(SESSION_METHODS.pause, { paused }, () => undefined);
  }

  /** Stops; resolves once the best so far is in the trace. */
  stop(): Promise<void> {
    return this.request(SESSION_METHODS.stop, undefined, () => undefined);
  }

  /** Tells that somebody types, so that the countdown stands still. */
  typing(typing: boolean): void {
    this.notify(SESSION_METHODS.typing, { typing });
  }

  /** Tells whether a person sits here. */
  presence(present: boolean): void {
    this.notify(SESSION_METHODS.presence, { present });
  }

  protected async request<T>(method: string, params: unknown, parse: (result: unknown) => T): Promise<T> {
    return parse(await this.connection.sendRequest<unknown>(method, ...(params === undefined ? [] : [params])));
  }

  private notify(method: string, params: unknown): void {
    void (async () => this.connection.sendNotification(method, params))().catch(() => undefined);
  }
}

function hear<T>(connection: MessageConnection, method: string, schema: z.ZodType<T>, act: (params: T) => void): void {
  connection.onNotification(method, (params: unknown) => {
    const parsed = schema.safeParse(params);
    if (parsed.success) act(parsed.data);
  });
}

/** A client that came over the socket of a session that runs already. */
export class AttachedClient extends SessionLink {
  /** Resolves when the session process is gone, or we left. */
  readonly closed: Promise<void>;

  private constructor(connection: MessageConnection) {
    super(connection);
    this.closed = new Promise((resolve) => connection.onClose(resolve));
  }

  /** @throws Error when the process that drives the session in `folder` cannot be reached */
  static async connect(folder: string): Promise<AttachedClient> {
    const socket = await connectSocket(folder);
    socket.on('error', () => undefined);
    return new AttachedClient(
      createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket)),
    );
  }

  /** Takes a place among the clients: `free` drives if nobody else does, `take` in place of whoever does. */
  attach(drive: 'no' | 'free' | 'take'): Promise<Attached> {
    return this.request(SESSION_METHODS.attach, { drive }, (result) => attached.parse(result));
  }

  /**
   * Every event of the session from its first on, in order and each once: those of the trace, then what comes.
   * @param folder of the session
   */
  async follow(folder: string, told: (event: TraceEvent) => void): Promise<void> {
    const early: TraceEvent[] = [];
    let last = 0;
    let caughtUp = false;
    const tell = (event: TraceEvent): void => {
      if (event.seq <= last) return;
      last = event.seq;
      told(event);
    };
    // Listens before it reads: what happens in between is then in one of the two, or in both.
    this.onEvent((event) => (caughtUp ? tell(event) : void early.push(event)));
    const { events } = await readTrace(folder);
    [...events, ...early].forEach(tell);
    caughtUp = true;
  }

  /** Leaves; the session goes on. */
  leave(): void {
    this.connection.end();
    this.connection.dispose();
  }
}
