// The keeper process as the evaluator drives it (harness/keeper.cpp): draws inputs, keeps expected values, compares.
import { spawn, type ChildProcess } from 'node:child_process';
import { killGroup } from '../targets/run-tool.js';
import { LineChannel } from './channel.js';
import { type Comparison, type ExpectedDescription, readComparison, readDescriptions } from './comparison.js';
import { FENCE, type Layout } from './layout.js';
import type { Segment } from './segments.js';

export type { Comparison };

export interface DeviceState {
  smMhz: number;
  memoryMhz: number;
  reasons: number;
}

/** How the keeper's own comparer is called. */
const comparers = { close: 'elements', exact: 'elements', set: 'set', sorted: 'sorted' } as const;

export class Keeper {
  private readonly channel: LineChannel;
  private readonly child: ChildProcess;

  /**
   * @param results one segment for each worker, by which `keep` and `compare` name it
   * @param expected where expected values are kept, if others are to see them; no worker is ever given it
   */
  constructor(program: string, input: Segment, results: Segment[], expected?: Segment) {
    const shared = expected ? [expected.readWrite] : [];
    this.child = spawn(program, [String(results.length), ...(expected ? ['checked'] : [])], {
      detached: true,
      env: {},
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore', input.readWrite, ...results.map((r) => r.readOnly), ...shared],
    });
    this.channel = new LineChannel(this.child, this.child.stdin!, this.child.stdout!);
  }

  private async ask(command: string): Promise<string[]> {
    const lines = await this.channel.ask(command, (line) => line === 'end' || line === 'bad', 600_000);
    if (lines.pop() !== 'end') throw new Error(`the keeper refused: ${command.slice(0, 80)}`);
    return lines;
  }

  /** @param seed 32 hexadecimal digits */
  async enter(layout: Layout, seed: string): Promise<void> {
    const lines = layout.regions.map(({ argument: a, offset, bytes, skip }) => {
      const [p1, p2] =
        a.fill.kind === 'integers' ? [a.fill.low, a.fill.high] : a.fill.kind === 'offsets' ? [a.fill.total, 0] : [0, 0];
      const dims = a.shape.map((extent, d) => `${extent} ${a.strides[d]}`).join(' ');
      const comparer = typeof a.compare === 'string' ? comparers[a.compare] : 'check';
      return (
        `${offset} ${bytes} ${FENCE} ${skip} ${a.dtype.replaceAll(' ', '_')} ${a.role} ${a.fill.kind} ${p1} ${p2} ` +
        `${a.tolerance.rtol} ${a.tolerance.atol} ${comparer} ${a.shape.length} ${dims}`
      );
    });
    await this.ask(`seed ${seed.slice(0, 16)} ${seed.slice(16, 32)}`);
    await this.ask([`layout ${lines.length}`, ...lines].join('\n'));
    for (const [i, { contents }] of layout.regions.entries())
      if (contents !== undefined) await this.ask(`file ${i} ${contents}`);
  }

  /** New inputs and new poison in the shared segment; the same number and seed give the same values. */
  async draw(number: number): Promise<void> {
    await this.ask(`draw ${number}`);
  }
  /** Other values in one input of those just drawn; each number gives others. */
  async redraw(region: number, number: number): Promise<void> {
    await this.ask(`redraw ${region} ${number}`);
  }
  /** Ones and twos in inputs of float and double that were drawn as ones. */
  async varyOnes(number: number): Promise<void> {
    await this.ask(`vary ${number}`);
  }
  /** Other poison in outputs and workspaces, the inputs as they were drawn. */
  async repoison(number: number): Promise<void> {
    await this.ask(`repoison ${number}`);
  }
  /** Moves the inputs just drawn by at most one unit in the last place; each number gives other moves. */
  async nudge(number: number): Promise<void> {
    await this.ask(`nudge ${number}`);
  }
  /** What that worker left becomes the expectation. */
  async keep(worker: number): Promise<void> {
    await this.ask(`keep ${worker}`);
  }

  /** Compares what a worker left with the expectation. */
  async compare(worker: number, inputs: boolean): Promise<Comparison> {
    return readComparison(await this.ask(`compare ${worker} ${inputs ? 1 : 0}`));
  }

  /** What a worker's results are bit by bit: equal only if every bit is. By region. */
  async fingerprints(worker: number): Promise<Map<number, string>> {
    const lines = await this.ask(`fingerprint ${worker}`);
    return new Map(lines.map((line) => [Number(line.split(' ')[1]), line.split(' ')[2] ?? '']));
  }

  /**
   * Starts one armed turn of a worker and times it by the keeper's own clock, until a piece of the results of one of `slots`
   * calls is here (0: until the worker says so).
   * @returns milliseconds, and the slot the piece is from; undefined when it took longer than `limitMs`
   */
  async clock(worker: number, slots: number, limitMs: number): Promise<{ ms: number; slot: number } | undefined> {
    const [line = ''] = await this.ask(`clock ${worker} ${slots} ${limitMs}`);
    const [verb, nanoseconds, slot] = line.split(' ');
    return verb === 'clock' ? { ms: Number(nanoseconds) / 1e6, slot: Number(slot) } : undefined;
  }
  /** Is the piece of the last turn what that worker has stored for its slot since? */
  async pieceHolds(worker: number): Promise<boolean> {
    return (await this.ask(`piece ${worker}`))[0] === 'piece 1';
  }

  /** CPU time that these processes have used so far, milliseconds; 0 where the system does not tell. */
  async cpuTime(pids: readonly number[]): Promise<number> {
    const [, nanoseconds] = (await this.ask(`cpu ${[pids.length, ...pids].join(' ')}`))[0]?.split(' ') ?? [];
    return Number(nanoseconds) / 1e6;
  }

  /** @param uuid the GPU that `device` tells of from now on */
  async watch(uuid: string): Promise<void> {
    await this.ask(`watch ${uuid}`);
  }
  /** Clocks in MHz, 0 where the driver does not tell; `reasons` are NVML's bits of why they are held back. */
  async device(): Promise<DeviceState> {
    const [, sm, memory, reasons] = (await this.ask('device'))[0]?.split(' ') ?? [];
    return { smMhz: Number(sm), memoryMhz: Number(memory), reasons: parseInt(reasons ?? '0', 16) };
  }

  async describe(): Promise<ExpectedDescription[]> {
    return readDescriptions(await this.ask('describe'));
  }

  kill(): void {
    killGroup(this.child.pid);
  }
}
