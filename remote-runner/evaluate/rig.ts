// The processes of one evaluation: a keeper and a worker for each side, over shared segments.
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { randomInt } from 'node:crypto';
import { checkerConfinement, workerConfinement } from '../sandbox/confinements.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { sizeOf } from '../../src/task/dtype.js';
import type { Toolchain } from '../targets/toolchain.js';
import { type CpuTime, type Spent, spentBetween, threadTimes } from './cpu-time.js';
import { Checker, type CheckerSegments } from './checker.js';
import type { Comparison } from './comparison.js';
import { Keeper } from './keeper.js';
import type { Peaks } from './floor.js';
import type { Layout } from './layout.js';
import type { Library, ModulePlan } from './module-plan.js';
import { createSegments, type Segment } from './segments.js';
import { type Sample, Worker } from './worker.js';

export interface Programs {
  keeper: string;
  host: string;
  /** What workers are started in. */
  sandbox: Sandbox;
}

/** Whose code is timed: the original's, the incumbent's, the candidate's. */
export type TimedSide = 'baseline' | 'incumbent' | 'candidate';
/** Whose code a worker runs; the reference only says what is right. */
export type Side = TimedSide | 'reference';

interface Place {
  worker: Worker;
  /** By which the keeper knows it. */
  number: number;
  calls: number;
  shift: number;
}

export class Rig {
  readonly keeper: Keeper;
  private readonly places = new Map<Side, Place>();
  private readonly segments: Segment[];
  private readonly abort = (): void => this.kill();
  /** A folder for each side: a worker sees its own library only. */
  private readonly folder: string;
  readonly emulated: boolean;
  /** The GPU whose clocks the keeper reads. */
  private readonly device: string | undefined;
  /** By the file that the task names. */
  private readonly checkers = new Map<string, Checker>();
  /** What those see; absent where the task has none. */
  private readonly seen: CheckerSegments | undefined;
  private readonly plans = new Map<Side, ModulePlan | undefined>();
  private layout: Layout | undefined;

  /**
   * Starts all at once: the workers make their contexts while the candidate is still being compiled.
   * @param checked whether checker programs will look at results
   * @param tier 1: device code alone, launched by our own program; 2: host code runs
   */
  constructor(
    private readonly programs: Programs,
    toolchain: Toolchain,
    readonly sides: readonly Side[],
    segmentBytes: number,
    private readonly signal: AbortSignal,
    checked = false,
    private readonly tier: 1 | 2 = 2,
  ) {
    signal.throwIfAborted();
    this.emulated = toolchain.emulated;
    this.device = toolchain.info.kind === 'cuda' ? toolchain.info.id : undefined;
    this.segments = createSegments(1 + sides.length + (checked ? 1 : 0), segmentBytes);
    const [input, ...others] = this.segments as [Segment, ...Segment[]];
    const results = others.slice(0, sides.length);
    const expected = others[sides.length];
    if (expected) this.seen = { input, expected, results };
    this.keeper = new Keeper(programs.keeper, input, results, expected);
    this.folder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-run-'));
    chmodSync(this.folder, 0o711);
    for (const [number, side] of sides.entries()) {
      const folder = path.join(this.folder, side);
      mkdirSync(folder, { mode: 0o755 });
      const confinement = workerConfinement(toolchain.workerView, programs.host, folder);
      const args = this.tierOf(side) === 1 ? ['module'] : [];
      const command = programs.sandbox.confine({ file: programs.host, args }, { ...confinement, takesTurns: true });
      const { knowsTurns } = programs.sandbox;
      const worker = new Worker(command, toolchain.workerEnvironment, input, results[number]!, knowsTurns);
      this.places.set(side, { worker, number, calls: 0, shift: 0 });
    }
    signal.addEventListener('abort', this.abort, { once: true });
  }

  /** Starts to count the CPU time of a side's worker. @returns what stops it */
  async meter(side: Side): Promise<() => Promise<Spent>> {
    const before = await this.cpuTime(side);
    return async () => spentBetween(before, await this.cpuTime(side));
  }

  private async cpuTime(side: Side): Promise<CpuTime> {
    const { processes } = this.at(side).worker;
    const total = await this.keeper.cpuTime(processes);
    return { total: total > 0 ? total : NaN, threads: threadTimes(processes) };
  }

  /** Does the keeper see a GPU's clocks? */
  get watches(): boolean {
    return this.device !== undefined;
  }

  /** What only says what is right runs as it is written. */
  private tierOf(side: Side): 1 | 2 {
    return side === 'reference' ? 2 : this.tier;
  }

  private at(side: Side): Place {
    const place = this.places.get(side);
    if (!place) throw new Error(`this rig has no ${side}`);
    return place;
  }

  /** Of the device that the workers run on. */
  peaks(): Promise<Peaks> {
    return this.at('baseline').worker.peaks();
  }

  get timedSides(): TimedSide[] {
    return this.sides.filter((side) => side !== 'reference');
  }

  /**
   * @param libraries one for each side of this rig
   * @param functions how many ks_call_N the libraries have
   */
  async open(
    libraries: Partial<Record<Side, Library>>,
    functions: number,
    onSide: <T>(side: Side, work: Promise<T>) => Promise<T>,
  ): Promise<void> {
    if (this.device !== undefined) await this.keeper.watch(this.device);
    // Workers run as another user where we are root: they get copies that they can read.
    for (const side of this.sides) {
      const library = libraries[side];
      if (library === undefined) throw new Error(`no library for the ${side}`);
      const copy = path.join(this.folder, side, 'library.so');
      await copyFile(library.file, copy);
      await chmod(copy, 0o644);
      const { worker } = this.at(side);
      const { plan } = library;
      if ((plan === undefined) !== (this.tierOf(side) === 2))
        throw new Error('a module is for tier 1, a library for tier 2');
      this.plans.set(side, plan);
      await onSide(side, plan ? worker.openModule(copy, plan.kernels) : worker.open(copy, functions));
    }
  }

  /** @param programs built checkers by the file that the task names */
  async openCheckers(programs: ReadonlyMap<string, string>): Promise<void> {
    if (!this.seen) return;
    for (const [number, [file, program]] of [...programs].entries()) {
      const folder = path.join(this.folder, `checker-${number}`);
      await mkdir(folder, { mode: 0o755 });
      const copy = path.join(folder, 'checker');
      await copyFile(program, copy);
      await chmod(copy, 0o755);
      const confinement = checkerConfinement(folder, 2 + this.seen.results.length);
      const args = [String(this.seen.results.length)];
      const command = this.programs.sandbox.confine({ file: copy, args }, confinement);
      this.checkers.set(file, new Checker(command, file, this.seen));
    }
    if (this.signal.aborted) this.kill();
  }

  async enter(
    layout: Layout,
    group: number,
    seed: string,
    onSide: <T>(side: Side, work: Promise<T>) => Promise<T>,
  ): Promise<void> {
    await this.keeper.enter(layout, seed);
    this.layout = layout;
    for (const checker of this.checkers.values()) await checker.enter(layout);
    for (const side of this.sides) {
      const { worker } = this.at(side);
      await onSide(side, worker.enter(layout, group));
      const plan = this.plans.get(side);
      if (plan) await onSide(side, worker.plan(plan.steps.get(layout.scenario.id) ?? []));
    }
  }

  /**
   * One timed call; its results lie in the side's segment afterwards. Addresses move with every second call: a result cached
   * by address meets new contents, one cached by contents meets a new address.
   */
  sample(side: Side, limitMs: number, cold: boolean, inputs = false): Promise<Sample> {
    const place = this.at(side);
    // Up to 64 KiB in steps of 512 bytes: other cache sets, the same alignment.
    if (place.calls === 0 || place.calls % 2 === 1) place.shift = randomInt(128) * 512;
    place.calls++;
    return place.worker.sample({ limitMs, shift: place.shift, cold, inputs });
  }

  slots(side: Side, count: number): Promise<void> {
    return this.at(side).worker.slots(count);
  }

  /** Contents of the segment into a slot, at an address of its own. */
  load(side: Side, slot: number, cold: boolean): Promise<void> {
    return this.at(side).worker.load(slot, randomInt(128) * 512, cold);
  }

  store(side: Side, slot: number): Promise<void> {
    return this.at(side).worker.store(slot, false);
  }

  /**
   * One call on each of `count` loaded slots in one go, or the flushes between them alone, by the keeper's clock.
   * @returns milliseconds and the slot whose results were seen at the end; undefined when it took longer than `limitMs`
   */
  async turn(
    side: Side,
    count: number,
    call: boolean,
    limitMs: number,
  ): Promise<{ ms: number; slot: number } | undefined> {
    const { worker, number } = this.at(side);
    const { end } = await worker.arm(count, call, 2 * limitMs);
    const [taken] = await Promise.all([this.keeper.clock(number, call ? count : 0, limitMs), end]);
    return taken;
  }

  /** Is what the keeper saw at the end of the last turn what that side has stored since? */
  pieceHolds(side: Side): Promise<boolean> {
    return this.keeper.pieceHolds(this.at(side).number);
  }

  heat(side: Side, ms: number, limitMs: number): Promise<void> {
    return this.at(side).worker.heat(ms, limitMs);
  }

  /** What that side has left bit by bit, by region. */
  fingerprints(side: Side): Promise<Map<number, string>> {
    return this.keeper.fingerprints(this.at(side).number);
  }

  /** What that side left becomes the expectation. */
  keep(side: Side): Promise<void> {
    return this.keeper.keep(this.at(side).number);
  }

  async compare(side: Side, inputs = false): Promise<Comparison> {
    const { number } = this.at(side);
    const comparison = await this.keeper.compare(number, inputs);
    for (const output of comparison.outputs) {
      const message = await this.refusal(output.region, number);
      if (message !== undefined) Object.assign(output, { mismatches: output.elements, message });
    }
    return comparison;
  }

  /** Outputs whose checker is content with what lay there before any call. */
  async contentWithPoison(): Promise<string[]> {
    const content: string[] = [];
    for (const [region, { argument }] of (this.layout?.regions ?? []).entries()) {
      if (argument.role !== 'output' || typeof argument.compare === 'string') continue;
      // A few random bits may be right by chance.
      if (argument.span * sizeOf(argument.dtype) < 8) continue;
      if ((await this.refusal(region, undefined)) === undefined) content.push(argument.name);
    }
    return content;
  }

  /** Why the checker of a region refuses it, if it has one and that does. */
  private async refusal(region: number, worker: number | undefined): Promise<string | undefined> {
    const { compare, name } = this.layout!.regions[region]!.argument;
    return typeof compare === 'string' ? undefined : this.checkers.get(compare.check)?.refusal(name, worker);
  }

  output(side: Side): string {
    return this.at(side).worker.output;
  }

  private kill(): void {
    this.keeper.kill();
    for (const { worker } of this.places.values()) worker.kill();
    for (const checker of this.checkers.values()) checker.kill();
  }

  async dispose(): Promise<void> {
    this.signal.removeEventListener('abort', this.abort);
    this.kill();
    for (const s of this.segments) s.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
