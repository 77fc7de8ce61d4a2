// The processes of one evaluation: a keeper, a baseline worker and a candidate worker over three shared segments.
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { randomInt } from 'node:crypto';
import type { Toolchain } from '../targets/toolchain.js';
import { type Comparison, Keeper } from './keeper.js';
import type { Layout } from './layout.js';
import { createSegments, type Segment } from './segments.js';
import { type Sample, Worker } from './worker.js';

export interface Programs {
  keeper: string;
  host: string;
}

export type Side = 'baseline' | 'candidate';

export class Rig {
  readonly keeper: Keeper;
  private readonly workers: Record<Side, Worker>;
  private readonly segments: Segment[];
  private readonly places: Record<Side, { calls: number; shift: number }> = {
    baseline: { calls: 0, shift: 0 },
    candidate: { calls: 0, shift: 0 },
  };
  private readonly abort = (): void => this.kill();
  private folder: string | undefined;

  /** Starts all three at once: the workers make their contexts while the candidate is still being compiled. */
  constructor(
    programs: Programs,
    toolchain: Toolchain,
    segmentBytes: number,
    private readonly signal: AbortSignal,
  ) {
    signal.throwIfAborted();
    this.segments = createSegments(3, segmentBytes);
    const [input, left, right] = this.segments as [Segment, Segment, Segment];
    this.keeper = new Keeper(programs.keeper, input, [left, right]);
    const env = toolchain.workerEnvironment;
    this.workers = {
      baseline: new Worker(programs.host, env, input, left),
      candidate: new Worker(programs.host, env, input, right),
    };
    signal.addEventListener('abort', this.abort, { once: true });
  }

  /** @param functions how many ks_call_N the libraries have */
  async open(
    libraries: Record<Side, string>,
    functions: number,
    onSide: <T>(side: Side, work: Promise<T>) => Promise<T>,
  ): Promise<void> {
    // Workers run as nobody where we are root: they get copies where they can read them.
    this.folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-run-'));
    await chmod(this.folder, 0o711);
    for (const side of ['baseline', 'candidate'] as const) {
      const copy = path.join(this.folder, `${side}.so`);
      await copyFile(libraries[side], copy);
      await chmod(copy, 0o644);
      await onSide(side, this.workers[side].open(copy, functions));
    }
  }

  async enter(
    layout: Layout,
    group: number,
    seed: string,
    onSide: <T>(side: Side, work: Promise<T>) => Promise<T>,
  ): Promise<void> {
    await this.keeper.enter(layout, seed);
    for (const side of ['baseline', 'candidate'] as const) await onSide(side, this.workers[side].enter(layout, group));
  }

  /**
   * One timed call; its results lie in the side's segment afterwards. Addresses move with every second call: a result cached
   * by address meets new contents, one cached by contents meets a new address.
   */
  sample(side: Side, limitMs: number, cold: boolean, inputs = false): Promise<Sample> {
    const place = this.places[side];
    // Up to 64 KiB in steps of 512 bytes: other cache sets, the same alignment.
    if (place.calls === 0 || place.calls % 2 === 1) place.shift = randomInt(128) * 512;
    place.calls++;
    return this.workers[side].sample({ limitMs, shift: place.shift, cold, inputs });
  }

  compare(side: Side, inputs = false): Promise<Comparison> {
    return this.keeper.compare(side, inputs);
  }

  output(side: Side): string {
    return this.workers[side].output;
  }

  private kill(): void {
    this.keeper.kill();
    this.workers.baseline.kill();
    this.workers.candidate.kill();
  }

  async dispose(): Promise<void> {
    this.signal.removeEventListener('abort', this.abort);
    this.kill();
    for (const s of this.segments) s.close();
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }
}
