// The append-only event log of a session, trace.jsonl: written and flushed before anyone is told, read with every line checked.
import type { FileHandle } from 'node:fs/promises';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TraceEvent, TraceEventBody } from './events.js';
import { traceEvent } from './events.js';
import { FILES } from './place.js';

export class TraceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TraceError';
  }
}

export interface ReadTrace {
  events: TraceEvent[];
  /** Bytes up to the end of the last whole line. */
  validBytes: number;
  /** False when the last line is whole but its line end is missing. */
  endsWithNewline: boolean;
  /** What was wrong at the end and was dropped. */
  warning?: string;
}

const NEWLINE = 0x0a;

/**
 * Reads a trace. A last line that a crash tore is dropped with a warning; anything wrong before it is refused, since what
 * follows could not be trusted.
 * @throws TraceError that names file and line
 */
export async function readTrace(folder: string): Promise<ReadTrace> {
  const file = path.join(folder, FILES.trace);
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw new TraceError(`${file} cannot be read: ${message(error)}`, { cause: error });
  }
  return parseTrace(bytes, file);
}

/**
 * @param name the file's name for messages
 * @throws TraceError
 */
export function parseTrace(bytes: Buffer, name: string): ReadTrace {
  const events: TraceEvent[] = [];
  let start = 0;
  let validBytes = 0;
  let endsWithNewline = true;
  for (let line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    const next = newline < 0 ? bytes.length : newline + 1;
    const parsed = parseLine(bytes.toString('utf8', start, end), line);
    if (typeof parsed === 'string') {
      if (next < bytes.length) throw new TraceError(`${name}, line ${line}: ${parsed}; the trace is damaged there`);
      const warning = `the last line of the trace (line ${line}) was torn and is dropped: ${parsed}`;
      return { events, validBytes, endsWithNewline: true, warning };
    }
    events.push(parsed);
    validBytes = next;
    endsWithNewline = newline >= 0;
    start = next;
  }
  return { events, validBytes, endsWithNewline };
}

/** The event, or what is wrong with the line. */
function parseLine(text: string, line: number): TraceEvent | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  const parsed = traceEvent.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `not a trace event (${issue?.path.join('.') || 'the whole line'}: ${issue?.message ?? 'invalid'})`;
  }
  if (parsed.data.seq !== line) return `sequence number ${parsed.data.seq} instead of ${line}`;
  return parsed.data;
}

/** Appends to one trace; the caller holds the session's lock. */
export class TraceWriter {
  private queue: Promise<unknown> = Promise.resolve();
  private failed: TraceError | undefined;

  private constructor(
    private readonly handle: FileHandle,
    private seq: number,
    private size: number,
    private readonly redact: (line: string) => string,
  ) {}

  /**
   * Opens for appending after what `readTrace` found, cutting off a torn end; without `after`, makes a new file.
   * @param redact removes secrets from a line before it is written
   */
  static async open(folder: string, redact: (line: string) => string, after?: ReadTrace): Promise<TraceWriter> {
    const handle = await open(path.join(folder, FILES.trace), after ? 'r+' : 'wx+', 0o600);
    let size = after?.validBytes ?? 0;
    await handle.truncate(size);
    if (after && !after.endsWithNewline) size += (await handle.write('\n', size)).bytesWritten;
    return new TraceWriter(handle, after?.events.length ?? 0, size, redact);
  }

  /**
   * Writes one event and flushes it to disk; resolves with the event as it is on disk. Calls are queued.
   * @throws TraceError when the disk refuses; later calls fail the same way, since the order would break
   */
  append(body: TraceEventBody): Promise<TraceEvent> {
    const next = this.queue.then(() => this.write(body));
    this.queue = next.catch(() => undefined);
    return next;
  }

  private async write(body: TraceEventBody): Promise<TraceEvent> {
    if (this.failed) throw this.failed;
    const line = this.redact(JSON.stringify({ seq: this.seq + 1, at: Date.now(), ...body }));
    // Parsed back: what is told is exactly what a later reader will find, and nothing unreadable is ever written.
    const event = traceEvent.parse(JSON.parse(line));
    try {
      const bytes = Buffer.from(line + '\n', 'utf8');
      for (let done = 0; done < bytes.length;) {
        done += (await this.handle.write(bytes, done, bytes.length - done, this.size + done)).bytesWritten;
      }
      await this.handle.datasync();
      this.size += bytes.length;
    } catch (error) {
      await this.handle.truncate(this.size).catch(() => undefined);
      this.failed = new TraceError(`the trace cannot be written: ${message(error)}`, { cause: error });
      throw this.failed;
    }
    this.seq += 1;
    return event;
  }

  /** Waits for queued writes, then closes. */
  async close(): Promise<void> {
    await this.queue;
    await this.handle.close();
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
