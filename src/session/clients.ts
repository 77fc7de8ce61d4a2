// The clients of a session process: the one who started it, through its pipe, and those who come over its socket. One drives.
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { ResponseError } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import type { OpenQuestion } from './asking/asker.js';
import type { Seat } from './asking/seat.js';
import type { TraceEvent } from './events.js';
import {
  driveParams,
  pauseParams,
  poseParams,
  presenceParams,
  replyParams,
  SESSION_METHODS,
  typingParams,
  type Attached,
  type SessionPlace,
  type SessionProgress,
} from './protocol.js';

/** JSON-RPC's code for a request that failed. */
const FAILED = -32603;

export interface ClientsOptions {
  /** @throws Error before a session was begun */
  seat: () => Seat;
  /** Undefined before a session was begun. */
  place: () => SessionPlace | undefined;
  stop: () => Promise<void>;
  detach: () => void;
  redact: (text: string) => string;
}

export class Clients {
  private readonly all = new Set<MessageConnection>();
  private driver: MessageConnection | undefined;

  constructor(private readonly options: ClientsOptions) {}

  /** Takes a connection in and answers its requests; the caller lets it listen. */
  add(connection: MessageConnection, drives: boolean): void {
    this.all.add(connection);
    if (drives) this.driver = connection;
    const { seat, stop, detach } = this.options;
    this.answers(connection, SESSION_METHODS.reply, replyParams, ({ moment, reply }) => seat().reply(moment, reply));
    this.answers(connection, SESSION_METHODS.pose, poseParams, ({ text }) => seat().pose(text));
    this.answers(connection, SESSION_METHODS.pause, pauseParams, ({ paused }) => seat().setPaused(paused));
    this.answers(connection, SESSION_METHODS.stop, undefined, stop);
    this.answers(connection, SESSION_METHODS.detach, undefined, detach);
    this.hears(connection, SESSION_METHODS.typing, typingParams, ({ typing }) => seat().setTyping(typing));
    this.hears(connection, SESSION_METHODS.presence, presenceParams, ({ present }) => seat().setPresent(present));
    connection.onRequest(SESSION_METHODS.attach, (params: unknown) =>
      this.guarded(() => this.attach(connection, driveParams.parse(params).drive)),
    );
    connection.onError(() => undefined);
    connection.onClose(() => this.remove(connection));
  }

  event(event: TraceEvent): void {
    this.tell(SESSION_METHODS.event, event);
  }

  progress(progress: SessionProgress): void {
    this.tell(SESSION_METHODS.progress, progress);
  }

  question(question: OpenQuestion | undefined): void {
    this.tell(SESSION_METHODS.question, { question: question ?? null });
  }

  /** An error as it goes back to a client, without secrets. */
  failure(error: unknown): ResponseError<void> {
    return new ResponseError(FAILED, this.options.redact(error instanceof Error ? error.message : String(error)));
  }

  private attach(connection: MessageConnection, drive: 'no' | 'free' | 'take'): Attached {
    const { seat, place } = this.options;
    const where = place();
    if (!where) throw new Error('no session was begun here yet');
    const before = this.driver;
    if (drive === 'no' && before === connection) this.leave();
    if (drive === 'take' || (drive === 'free' && !before)) {
      if (before && before !== connection) {
        seat().setPresent(false);
        notify(before, SESSION_METHODS.driving, { driving: false });
      }
      this.driver = connection;
    }
    const question = seat().current() ?? null;
    return { ...where, driving: this.driver === connection, question, paused: seat().isPaused };
  }

  private remove(connection: MessageConnection): void {
    this.all.delete(connection);
    if (this.driver === connection) this.leave();
  }

  /** Nobody sits at the seat any more. */
  private leave(): void {
    this.driver = undefined;
    if (this.options.place()) this.options.seat().setPresent(false);
  }

  /** A request that only the driver may make. */
  private answers<T>(
    connection: MessageConnection,
    method: string,
    schema: z.ZodType<T> | undefined,
    act: (params: T) => void | Promise<void>,
  ): void {
    connection.onRequest(method, (params: unknown) =>
      this.guarded(async () => {
        if (this.driver !== connection) throw new Error('another client drives this session; take the seat first');
        // Methods without a schema take no parameters.
        await act(schema ? schema.parse(params) : (undefined as T));
        return null;
      }),
    );
  }

  private hears<T>(
    connection: MessageConnection,
    method: string,
    schema: z.ZodType<T>,
    act: (params: T) => void,
  ): void {
    connection.onNotification(method, (params: unknown) => {
      const parsed = schema.safeParse(params);
      if (parsed.success && this.driver === connection && this.options.place()) act(parsed.data);
    });
  }

  private async guarded<T>(act: () => T | Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw this.failure(error);
    }
  }

  private tell(method: string, params: unknown): void {
    for (const connection of this.all) notify(connection, method, params);
  }
}

function notify(connection: MessageConnection, method: string, params: unknown): void {
  // Nobody may be listening any more (a closed connection throws at once); the trace has it.
  void (async () => connection.sendNotification(method, params))().catch(() => undefined);
}
