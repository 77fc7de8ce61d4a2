// The steps that every kind of evaluation is made of, with the verdict they fill in: processes, scenarios, checks, times.
import { randomBytes } from 'node:crypto';
import { durationMs } from '../../src/task/schema.js';
import type { EvaluateParams, ScenarioVerdict, SourceFile, Status } from '../protocol.js';
import type { Builder, Toolchain } from '../targets/toolchain.js';
import type { Builds } from './builds.js';
import { type Checked, checkScenario } from './check.js';
import { clockScenario, type Seen } from './clock.js';
import type { Libraries } from './libraries.js';
import type { DeviceLock } from './device-lock.js';
import { Ended } from './ended.js';
import type { EvaluateContext } from './evaluator.js';
import { floorOf } from './floor.js';
import type { Job } from './job.js';
import type { Layout } from './layout.js';
import { Unplanned } from './module-plan.js';
import { Sanitizing } from './sanitize.js';
import { type Programs, Rig, type Side } from './rig.js';
import { onSide, SideFailure } from './side.js';
import type { Speedup } from './speedup.js';
import { type Timed, TimedFailure, timeScenario, type TimingOptions } from './timing.js';
import type { Draft } from './verdict.js';

export interface EvaluateTools {
  toolchain: Toolchain;
  programs: Programs;
  builds: Builds;
  /** Compiles the checker programs of tasks. */
  checkers: Builder;
  /** Held while the device is used: checks and times, never compilations. */
  deviceLock: DeviceLock;
}

const ms = (value: number): string => `${value.toPrecision(3)} ms`;

export class Evaluation {
  readonly isOriginal: boolean;
  readonly tier: 1 | 2;
  readonly cold: boolean;
  readonly sanitizing: Sanitizing;
  private readonly originalLimitMs: number;
  private readonly sides: Side[];

  constructor(
    readonly job: Job,
    readonly candidate: SourceFile[],
    readonly params: EvaluateParams,
    readonly context: EvaluateContext,
    readonly tools: EvaluateTools,
    readonly draft: Draft,
  ) {
    this.tier = draft.tier;
    this.isOriginal = draft.candidateSha256 === draft.originalSha256;
    this.originalLimitMs = durationMs(job.task.timeout);
    this.cold = job.task.measure.cache === 'cold';
    this.sanitizing = new Sanitizing(tools, job, candidate, context);
    this.sides = [
      'baseline',
      ...(params.incumbent ? ['incumbent' as const] : []),
      'candidate',
      ...(job.reference ? ['reference' as const] : []),
    ];
  }

  newRig(): Rig {
    const { tools, job, context } = this;
    const checked = job.checkers.size > 0;
    return new Rig(tools.programs, tools.toolchain, this.sides, job.segmentBytes, context.signal, checked, this.tier);
  }

  /** Work with processes of its own, which are gone afterwards. */
  async withRig<T>(work: (rig: Rig) => Promise<T>): Promise<T> {
    const rig = this.newRig();
    try {
      return await work(rig);
    } finally {
      this.draft.output ||= rig.output('candidate');
      await rig.dispose();
    }
  }

  async phase<T>(name: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.draft.phases[name] = (this.draft.phases[name] ?? 0) + performance.now() - started;
    }
  }

  /** Holds the device while `work` uses it. */
  async withDevice<T>(work: () => Promise<T>): Promise<T> {
    const { tools, context } = this;
    const { name } = tools.toolchain.info;
    const release = await this.phase('wait', () =>
      tools.deviceLock.acquire(context.signal, (holder) =>
        context.progress({ type: 'phase', phase: 'check', detail: `waiting for ${name}, ${holder}` }),
      ),
    );
    try {
      return await work();
    } finally {
      await release();
    }
  }

  /** Is what failed no part of what is judged? */
  private isBeside(side: Side): boolean {
    return side === 'reference' || (side !== 'candidate' && !this.isOriginal);
  }

  statusOf({ side, failure }: SideFailure): Status {
    // A task whose original does not run can judge no candidate.
    return this.isBeside(side) && failure.status !== 'infrastructure' ? 'task_error' : failure.status;
  }

  messageOf({ side, failure }: SideFailure): string {
    return this.isBeside(side)
      ? `the ${side === 'baseline' ? 'original' : side} fails (${failure.status}): ${failure.message}`
      : failure.message;
  }

  async open(rig: Rig, libraries: Libraries): Promise<void> {
    await rig.open(libraries, this.job.calls.groups, onSide);
    await rig.openCheckers(libraries.checkers);
  }

  async enter(rig: Rig, layout: Layout, seed: string): Promise<void> {
    await this.inScenario(layout, rig.enter(layout, this.job.calls.groupOf.get(layout.scenario.id)!, seed, onSide));
  }

  /** The verdict of a scenario, begun anew or as it stands. */
  verdictOf(layout: Layout, anew = false): ScenarioVerdict {
    const { scenarios } = this.draft;
    const { id, heldOut } = layout.scenario;
    const known = scenarios.findIndex((s) => s.id === id);
    if (known >= 0 && !anew) return scenarios[known]!;
    const verdict: ScenarioVerdict = { id, status: 'correct', outputs: [], ...(heldOut ? { heldOut: true } : {}) };
    if (known >= 0) scenarios[known] = verdict;
    else scenarios.push(verdict);
    return verdict;
  }

  /** What fails here ends the evaluation; its scenario says so. */
  private async inScenario<T>(layout: Layout, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof SideFailure && error.side === 'baseline') this.doubtPlan(error.message);
      if (error instanceof TimedFailure) {
        if (this.isOriginal) this.doubtPlan(error.message);
        const { status, outputs, message, findings } = error;
        Object.assign(this.verdictOf(layout), { status, outputs, message });
        this.draft.findings.push(...findings);
        throw new Ended(status, message);
      }
      if (!(error instanceof SideFailure)) throw error;
      const [status, message] = [this.statusOf(error), this.messageOf(error)];
      Object.assign(this.verdictOf(layout), { status, message });
      throw new Ended(status, `scenario ${layout.scenario.id}: ${message}`);
    }
  }

  /** The original is right: where it is not when its device code runs alone, its host code was not understood. */
  private doubtPlan(what: string): void {
    if (this.tier === 1) throw new Unplanned(`the original fails without its host code: ${what}`);
  }

  /** Checks one scenario the rig has entered; anything but `correct` ends the evaluation. */
  async check(rig: Rig, layout: Layout): Promise<Checked> {
    const { draft, originalLimitMs, isOriginal, cold } = this;
    const verdict = this.verdictOf(layout, true);
    const { reproducible } = this.job.task;
    // Once is enough, and of the original alone: doubts of the task say nothing of a candidate.
    const isSmallest = layout === this.job.layouts[0];
    const doubtTask = isOriginal && this.params.mode === 'first' && isSmallest;
    const options = { originalLimitMs, isOriginal, cold, reproducible, doubtTask, isSmallest };
    const checked = await this.inScenario(layout, checkScenario(rig, layout, options));
    const { status, outputs, message } = checked;
    Object.assign(verdict, { status, outputs, ...(message ? { message } : {}) });
    for (const warning of checked.warnings) this.warn(warning);
    if (status === 'finding') draft.findings.push(...checked.findings);
    if (status !== 'correct' && this.isOriginal) this.doubtPlan(message ?? status);
    if (status !== 'correct') throw new Ended(status, message ?? '');
    return checked;
  }

  async time(
    rig: Rig,
    layout: Layout,
    checked: Checked,
    options: Pick<TimingOptions, 'rounds' | 'heatMs' | 'onRound'> & { cold?: boolean },
  ): Promise<Timed> {
    const { originalLimitMs, cold } = this;
    const all = { cold, originalLimitMs, ...options };
    const timed = await this.inScenario(layout, timeScenario(rig, layout, checked, all));
    this.draft.deviceStates.push(...timed.device);
    return timed;
  }

  clock(rig: Rig, layout: Layout, checked: Checked, timed: Timed): Promise<Seen> {
    const { originalLimitMs, cold } = this;
    return this.inScenario(layout, clockScenario(rig, layout, checked, timed, { originalLimitMs, cold }));
  }

  warn(message: string): void {
    if (!this.draft.warnings.includes(message)) this.draft.warnings.push(message);
  }

  seed(): string {
    const seed = randomBytes(16).toString('hex');
    this.draft.seeds.push(seed);
    return seed;
  }

  /**
   * Puts each scenario's timing where its verdict is. A time below what the work can take on this device ends the evaluation.
   * @param layouts the timed ones, in the order of `perScenario`
   */
  async report(rig: Rig, speedup: Speedup, layouts: Layout[]): Promise<Speedup> {
    layouts.forEach((layout, i) => (this.verdictOf(layout).timing = speedup.perScenario[i]));
    this.draft.noScenarioBelow = this.job.task.objective.noScenarioBelow;
    const { arch } = this.tools.toolchain.info;
    if (arch === undefined) return speedup;
    const peaks = await rig.peaks();
    for (const [i, layout] of layouts.entries()) {
      const { id, variables } = layout.scenario;
      const { candidateMs, baselineMs } = speedup.perScenario[i]!;
      const floor = floorOf(this.job.task.work, variables, arch, peaks);
      const { timing } = this.verdictOf(layout);
      if (timing && floor > 0) timing.floorMs = floor;
      if (baselineMs < floor)
        this.warn(
          `scenario ${id}: the original itself is faster than $.work allows on this device (${ms(floor)}): is $.work right?`,
        );
      else if (candidateMs < floor) {
        const message = `scenario ${id}: ${ms(candidateMs)} are less than the work takes on this device, ${ms(floor)} at least`;
        this.draft.findings.push({ code: 'below_floor', message });
        throw new Ended('finding', message);
      }
    }
    return speedup;
  }
}
