// A real keeper process and the segments around it, with the test in the place of the workers.
import { readSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { BufferArgument, Layout } from '../../remote-runner/evaluate/layout.js';
import { layOut } from '../../remote-runner/evaluate/layout.js';
import { Keeper } from '../../remote-runner/evaluate/keeper.js';
import { keeperProgram } from '../../remote-runner/evaluate/keeper-program.js';
import { createSegments, type Segment } from '../../remote-runner/evaluate/segments.js';
import { findCpuCompiler } from '../../remote-runner/targets/cpu/toolchain.js';
import type { Dtype } from '../../src/task/types.js';

const root = path.resolve(__dirname, '../..');
const segmentBytes = 1 << 18;

/** An argument of which a test says only what matters to it. */
export function bufferOf(parts: Partial<BufferArgument> & { dtype: Dtype; shape: number[] }): BufferArgument {
  const strides = parts.strides ?? parts.shape.map((_, d) => parts.shape.slice(d + 1).reduce((a, b) => a * b, 1));
  const offset = parts.offset ?? 0;
  return {
    kind: 'buffer',
    name: 'y',
    isConst: false,
    role: 'output',
    strides,
    offset,
    span: parts.shape.reduce((sum, extent, d) => sum + (extent - 1) * strides[d]!, offset + 1),
    align: 256,
    fill: { kind: 'zeros' },
    compare: 'close',
    tolerance: { rtol: 0, atol: 0 },
    ...parts,
  };
}

export const layoutOf = (args: BufferArgument[]): Layout =>
  layOut({ id: 'n=1', variables: {}, weight: 1, heldOut: false }, args, [], [], Number.MAX_SAFE_INTEGER);

export class KeeperRig {
  private constructor(
    readonly keeper: Keeper,
    private readonly input: Segment,
    private readonly results: Segment[],
  ) {}

  static async create(): Promise<KeeperRig> {
    const compiler = await findCpuCompiler(process.env);
    if (!compiler) throw new Error('no C++ compiler: install g++');
    const program = await keeperProgram(
      compiler.path,
      path.join(root, 'remote-runner/harness'),
      path.join(root, 'node_modules/.cache/kernelseek-test/programs'),
      new AbortController().signal,
    );
    const [input, ...results] = createSegments(3, segmentBytes) as [Segment, ...Segment[]];
    return new KeeperRig(new Keeper(program, input, results), input, results);
  }

  /** What the keeper hands out. */
  handedOut(bytes: number): Buffer {
    const all = Buffer.alloc(bytes);
    readSync(this.input.readWrite, all, 0, bytes, 0);
    return all;
  }

  /** Changes a byte of what the keeper has handed out, as no worker may. */
  tamper(at: number): void {
    const byte = Buffer.alloc(1);
    readSync(this.input.readWrite, byte, 0, 1, at);
    byte[0]! ^= 0xff;
    writeSync(this.input.readWrite, byte, 0, 1, at);
  }

  /** Leaves a worker's results. */
  leave(worker: number, all: Buffer): void {
    writeSync(this.results[worker]!.readWrite, all, 0, all.length, 0);
  }

  close(): void {
    this.keeper.kill();
    for (const s of [this.input, ...this.results]) s.close();
  }
}
