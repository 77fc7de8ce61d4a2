// A worker process as the evaluator drives it (harness/host.cpp): one library, its device buffers, its calls.
// Whatever goes wrong in there ends as a WorkerFailure with a status of the verdict, never as an outage.
import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import { LIMITS, type Status } from '../protocol.js';
import type { Command } from '../sandbox/sandbox.js';
import { killGroup, Tail } from '../targets/run-tool.js';
import { ChannelClosed, LineChannel } from './channel.js';
import { processesBelow } from './cpu-time.js';
import type { Peaks } from './floor.js';
import type { Layout } from './layout.js';
import { Unplanned } from './module-plan.js';
import type { Segment } from './segments.js';
import { Turn } from './turn.js';

export class WorkerFailure extends Error {
  constructor(
    readonly status: Extract<
      Status,
      'compile_error' | 'launch_error' | 'crash' | 'timeout' | 'out_of_memory' | 'infrastructure' | 'finding'
    >,
    message: string,
  ) {
    super(message);
    this.name = 'WorkerFailure';
  }
}

/** cudaError_t values that a bad launch gives, as opposed to a kernel that ran and failed. */
const launchCodes = new Set([1, 7, 8, 9, 98, 200, 209, 218, 701, 720]);
const outOfMemory = 2;
/** Libraries load in milliseconds; what takes this long is a constructor that does not end. */
const loadLimitMs = 10_000;

/** Copies of whole segments take long only where the machine is in trouble. */
const transferLimitMs = 60_000;

const answered = (line: string): boolean => /^(ok|ran|error|ready)\b/.test(line);

/** Milliseconds: by events on the stream, by the host's clock, and how long after the stream the device was still busy. */
export interface Sample {
  event: number;
  host: number;
  late: number;
  /** Whether work may have been going on elsewhere when the stream was done; false where nobody can tell. */
  unjoined: boolean;
}

export class Worker {
  private readonly child: ChildProcess;
  private readonly channel: LineChannel;
  private readonly printed = new Tail(LIMITS.output);
  private ready: Promise<string[]>;
  private readonly turn: Turn | undefined;

  /** @param knowsTurns whether the command starts it in what can stop it */
  constructor(command: Command, env: Record<string, string>, input: Segment, result: Segment, knowsTurns = false) {
    this.child = spawn(command.file, command.args, {
      detached: true,
      env,
      cwd: '/',
      stdio: [
        ...(['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const),
        ...[input.readOnly, result.readWrite],
        ...(knowsTurns ? ['pipe' as const] : []),
      ],
    });
    if (knowsTurns) this.turn = new Turn((this.child.stdio as unknown as Duplex[])[7]!);
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding('utf8').on('data', (t: string) => this.printed.add(t));
    this.channel = new LineChannel(this.child, this.child.stdio[3] as Writable, this.child.stdio[4] as Readable);
    // The context is made while the compiler runs: nobody waits for it yet.
    this.ready = this.channel.ask(undefined, answered, 120_000);
    this.ready.catch(() => undefined);
  }

  /** Its processes, whatever the launcher and the candidate put between. */
  get processes(): number[] {
    return this.child.pid === undefined ? [] : [this.child.pid, ...processesBelow(this.child.pid)];
  }

  /** What its device can do at most, as told before any candidate's code was loaded. */
  async peaks(): Promise<Peaks> {
    const [, ...values] = ((await this.ready)[0] ?? '').split(' ');
    const [memoryKhz = 0, busBits = 0, clockKhz = 0, multiprocessors = 0, l2Bytes = 0] = values.map(Number);
    // Two transfers in a cycle.
    return { bandwidth: 2 * memoryKhz * (busBits / 8), l2Bytes, clockKhz, multiprocessors };
  }

  /** Tail of what the candidate printed. */
  get output(): string {
    return this.printed.text();
  }

  /**
   * @param command none: the answer to an earlier one is still to come
   * @param expected first word of the answer: another one is not the harness's
   */
  private ask(command: string | undefined, timeoutMs: number, expected = 'ok'): Promise<string> {
    return this.atTurn(() => this.asked(command, timeoutMs, expected));
  }

  /** It runs during `work` and stands still before and after: what a candidate does in another's turn is done to its time. */
  private async atTurn<T>(work: () => Promise<T>): Promise<T> {
    this.turn?.begin();
    try {
      return await work();
    } finally {
      await this.turn?.end();
    }
  }

  private async asked(command: string | undefined, timeoutMs: number, expected: string): Promise<string> {
    const [started] = await this.ready.catch((error: Error) => {
      // No candidate code has run yet.
      throw new WorkerFailure(
        'infrastructure',
        `the worker did not start: ${error.message} ${this.output.trim()}`.trim(),
      );
    });
    try {
      if (started?.startsWith('error ')) throw failureOf(started);
      const [line] = (await this.channel.ask(command, answered, timeoutMs)).slice(-1);
      if (this.channel.unsolicited > 0) throw forged();
      if (line?.startsWith('error ')) throw failureOf(line);
      if (line?.split(' ', 1)[0] !== expected) throw forged();
      return line;
    } catch (error) {
      if (error instanceof ChannelClosed) throw failureOfEnd(error, timeoutMs);
      throw error;
    }
  }

  async open(library: string, functions: number): Promise<void> {
    // Constructors of the library run here.
    await this.ask(`open ${functions} ${library}`, loadLimitMs);
  }

  /** Device code alone. @throws Unplanned where driver or kernels are not what the plan needs */
  async openModule(file: string, kernels: string[]): Promise<void> {
    await this.ask([`module ${kernels.length} ${file}`, ...kernels].join('\n'), loadLimitMs);
  }

  /** What a call in the scenario just entered launches. @throws Unplanned */
  async plan(steps: string[]): Promise<void> {
    await this.ask([`plan ${steps.length}`, ...steps].join('\n'), loadLimitMs);
  }

  async enter(layout: Layout, group: number): Promise<void> {
    const regions = layout.regions.map(
      (r) =>
        `${r.offset} ${r.bytes} ${r.pointer} ${r.argument.role === 'output' || r.argument.role === 'inout' ? 1 : 0}`,
    );
    const slots = layout.slots.map((s) =>
      s.kind === 'buffer' ? `b ${s.region.toString(16)}` : `v ${s.bits.toString(16)}`,
    );
    await this.ask([`scenario ${group} ${regions.length} ${slots.length}`, ...regions, ...slots].join('\n'), 120_000);
  }

  /**
   * One logical call: fresh contents at a fresh address, cold or warm cache, one timed call, results copied out.
   * @param limitMs longest time the call may take
   * @param shift bytes by which the addresses move, a multiple of their alignment
   */
  sample(options: { limitMs: number; shift: number; cold: boolean; inputs: boolean }): Promise<Sample> {
    return this.atTurn(async () => {
      await this.load(0, options.shift, options.cold);
      const line = await this.ask('go', options.limitMs, 'ran');
      await this.store(0, options.inputs);
      return sampleOf(line);
    });
  }

  /** Room for that many calls with contents of their own, slots 0 to count - 1. */
  async slots(count: number): Promise<void> {
    await this.ask(`slots ${count}`, transferLimitMs);
  }
  /** Copies what the segment holds into the buffers of a slot. */
  async load(slot: number, shift: number, cold: boolean): Promise<void> {
    await this.ask(`load ${slot} ${shift} ${cold ? 1 : 0}`, transferLimitMs);
  }
  /** Copies the results of a slot, or all of its buffers, into the segment. */
  async store(slot: number, inputs: boolean): Promise<void> {
    await this.ask(`store ${slot} ${inputs ? 1 : 0}`, transferLimitMs);
  }

  /**
   * Makes ready for one call on each of `count` slots, or for the flushes between them alone, on a sign of the keeper.
   * @returns once armed: the batch's end, which the keeper's sign leads to, with the sum of the calls' own times
   */
  async arm(count: number, call: boolean, limitMs: number): Promise<{ end: Promise<Sample> }> {
    this.turn?.begin();
    try {
      await this.ask(`batch ${count} ${call ? 1 : 0}`, transferLimitMs);
    } catch (error) {
      await this.turn?.end();
      throw error;
    }
    // One turn from arming to the end.
    const end = this.ask(undefined, limitMs, 'ran')
      .finally(() => this.turn?.end())
      .then(sampleOf);
    end.catch(() => undefined);
    return { end };
  }

  /** Calls over and over for that long, unchecked. */
  async heat(ms: number, limitMs: number): Promise<void> {
    await this.ask(`heat ${ms}`, ms + 16 * limitMs);
  }

  kill(): void {
    killGroup(this.child.pid);
  }
}

/** Ratios of times need one above zero: a nanosecond, far below what either clock resolves. */
const shortestMs = 1e-6;

/** @throws WorkerFailure for what the harness cannot have written */
export function sampleOf(line: string): Sample {
  const times = line.split(' ').slice(1).map(Number);
  const [event = NaN, host = NaN, late = NaN, unjoined = NaN] = times;
  if (times.length !== 4 || !times.every((t) => Number.isFinite(t) && t >= 0)) throw forged();
  return { event: Math.max(event, shortestMs), host, late, unjoined: unjoined !== 0 };
}

const forged = (): WorkerFailure => new WorkerFailure('finding', 'it wrote to the harness’s own channel');

/** Characters of what the runtime or the loader says; a candidate can make it say much. */
const longestText = 1000;

function failureOf(line: string): WorkerFailure | Unplanned {
  const [, what, codeText, name, ...rest] = line.slice(0, longestText).split(' ');
  // Told before any code of a candidate has run.
  if (what === 'plan') return new Unplanned(`does not fit the ${name}: ${rest.join(' ')}`);
  const code = Number(codeText);
  const text = `${rest.join(' ')} (${name}${code > 0 ? `, ${code}` : ''})`;
  if (what === 'load' && code === 0)
    return new WorkerFailure('compile_error', `the library does not load: ${rest.join(' ')}`);
  if (what === 'device') return new WorkerFailure('infrastructure', `the device cannot be used: ${text}`);
  if (code === outOfMemory)
    return new WorkerFailure('out_of_memory', what === 'allocate' ? `no memory for the arguments: ${text}` : text);
  if (code === 702) return new WorkerFailure('timeout', text);
  if (launchCodes.has(code)) return new WorkerFailure('launch_error', text);
  return new WorkerFailure('crash', text);
}

function failureOfEnd(end: ChannelClosed, timeoutMs: number): WorkerFailure {
  if (end.why === 'timeout')
    return new WorkerFailure('timeout', `no end after ${(timeoutMs / 1000).toPrecision(3)} s; it was killed`);
  if (end.why === 'flood') return forged();
  if (end.killedBy === 'SIGKILL')
    return new WorkerFailure('out_of_memory', 'the system killed it, most likely for want of memory');
  return new WorkerFailure(
    'crash',
    end.killedBy ? `it died of ${end.killedBy}` : `it ended the process itself (exit code ${end.code})`,
  );
}
