// One evaluation from sources to verdict. Every way it can end is a verdict; only cancellation and faults of ours reject.
import { randomBytes } from 'node:crypto';
import { TaskError } from '../../src/task/types.js';
import {
  type Diagnostic,
  type EvaluateParams,
  type ScenarioVerdict,
  type SourceFile,
  type Status,
  type Verdict,
  sourcesSha256,
} from '../protocol.js';
import { TRAMPOLINE } from '../targets/job-folder.js';
import type { BuildResult, Toolchain } from '../targets/toolchain.js';
import type { Builds } from './builds.js';
import { type Checked, checkScenario, onSide, SideFailure } from './check.js';
import type { DeviceLock } from './device-lock.js';
import type { EvaluateContext } from './evaluator.js';
import { type Job, prepareJob } from './job.js';
import type { Layout } from './layout.js';
import { durationMs } from '../../src/task/schema.js';
import { type Programs, Rig } from './rig.js';
import { confirmedSpeedup, looks, provisionalSpeedup, type Speedup } from './speedup.js';
import { planPairs, type Timed, TimedFailure, timeScenario } from './timing.js';
import { finish, type Draft } from './verdict.js';

export interface EvaluateTools {
  toolchain: Toolchain;
  programs: Programs;
  builds: Builds;
  /** Held while the device is used: checks and times, never compilations. */
  deviceLock: DeviceLock;
}

export async function evaluate(
  params: EvaluateParams,
  context: EvaluateContext,
  tools: EvaluateTools,
): Promise<Verdict> {
  const candidate = params.candidate ?? params.task.original;
  const draft: Draft = {
    mode: params.mode,
    toolchain: tools.toolchain,
    scenarios: [],
    diagnostics: [],
    resources: [],
    findings: [],
    warnings: [],
    phases: {},
    output: '',
    startedAt: new Date().toISOString(),
    candidateSha256: sourcesSha256(candidate),
    originalSha256: sourcesSha256(params.task.original),
    flags: [],
    seeds: [],
  };
  try {
    const job = prepareJob(params.task, params.mode === 'confirm');
    const paths = (s: SourceFile[]): string =>
      s
        .map((f) => f.path)
        .sort()
        .join('\n');
    if (paths(candidate) !== paths(params.task.original))
      throw new TaskError('candidate', 'a candidate has the same source files as the original, no more and no fewer');
    return await new Evaluation(job, candidate, params, context, tools, draft).run();
  } catch (error) {
    if (error instanceof TaskError) return finish(draft, 'task_error', error.message);
    throw error;
  }
}

/** Ends the evaluation with a verdict from anywhere inside. */
class Ended extends Error {
  constructor(
    readonly status: Status,
    message: string,
  ) {
    super(message);
  }
}

class Evaluation {
  private readonly isOriginal: boolean;
  private readonly originalLimitMs: number;
  private readonly cold: boolean;

  constructor(
    private readonly job: Job,
    private readonly candidate: SourceFile[],
    private readonly params: EvaluateParams,
    private readonly context: EvaluateContext,
    private readonly tools: EvaluateTools,
    private readonly draft: Draft,
  ) {
    this.isOriginal = draft.candidateSha256 === draft.originalSha256;
    this.originalLimitMs = durationMs(job.task.timeout);
    this.cold = job.task.measure.cache === 'cold';
  }

  async run(): Promise<Verdict> {
    const confirm = this.params.mode === 'confirm';
    // The first pair of workers is started before the compiler: contexts are ready when the library is.
    const rig = this.newRig();
    try {
      const libraries = await this.phase('build', () => this.build());
      const speedup = confirm ? await this.confirmed(rig, libraries) : await this.provisional(rig, libraries);
      return finish(this.draft, 'correct', '', speedup);
    } catch (error) {
      this.context.signal.throwIfAborted();
      this.draft.output ||= rig.output('candidate');
      if (error instanceof Ended) return finish(this.draft, error.status, error.message);
      if (error instanceof SideFailure) return finish(this.draft, this.statusOf(error), this.messageOf(error));
      throw error;
    } finally {
      await rig.dispose();
    }
  }

  private newRig(): Rig {
    return new Rig(
      this.tools.programs,
      this.tools.toolchain,
      ['baseline', 'candidate'],
      this.job.segmentBytes,
      this.context.signal,
    );
  }

  private async phase<T>(name: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.draft.phases[name] = (this.draft.phases[name] ?? 0) + performance.now() - started;
    }
  }

  private statusOf({ side, failure }: SideFailure): Status {
    // A task whose original does not run can judge no candidate.
    return side === 'baseline' && !this.isOriginal && failure.status !== 'infrastructure'
      ? 'task_error'
      : failure.status;
  }

  private messageOf({ side, failure }: SideFailure): string {
    return side === 'baseline' && !this.isOriginal
      ? `the original fails (${failure.status}): ${failure.message}`
      : failure.message;
  }

  private async build(): Promise<{ baseline: string; candidate: string }> {
    const { context, tools, params, draft } = this;
    context.progress({ type: 'phase', phase: 'build', detail: `compiling with ${tools.toolchain.info.compiler}` });
    const make = (sources: SourceFile[]): Promise<BuildResult> =>
      tools.builds.build(tools.toolchain, this.job.inputs(sources), context);
    const candidate = make(this.candidate);
    const [built, baseline] = await Promise.all([candidate, this.isOriginal ? candidate : make(params.task.original)]);
    if (baseline.status !== 'built' && baseline !== built) {
      if (baseline.status === 'unsupported') this.refuse(baseline, 'in the original: ');
      throw new Ended('task_error', `the original does not compile: ${baseline.message}`);
    }
    if (built.status === 'unsupported') return this.refuse(built, '');
    draft.flags = built.flags;
    draft.diagnostics = built.diagnostics.map((d) => this.place(d));
    if (built.status !== 'built') {
      draft.output = built.output;
      const inCall = built.diagnostics.find((d) => d.severity === 'error')?.file.endsWith(TRAMPOLINE);
      throw new Ended(
        built.status,
        inCall ? `the sources do not fit the task's call: ${built.message.replace(/^[^:]*:\d+: /, '')}` : built.message,
      );
    }
    if (baseline.status !== 'built') throw new Error('unreachable: the original’s build was checked above');
    draft.resources = built.resources;
    draft.findings.push(...built.findings);
    draft.warnings.push(...built.warnings);
    return { baseline: baseline.library, candidate: built.library };
  }

  /** An error in the generated call is told at the source: the trampoline is not the user's. */
  private place(d: Diagnostic): Diagnostic {
    if (!d.file.endsWith(TRAMPOLINE)) return d;
    return {
      ...d,
      file: this.candidate[0]!.path,
      line: 1,
      column: undefined,
      message: `in the task's call: ${d.message}`,
    };
  }

  private refuse(built: Extract<BuildResult, { status: 'unsupported' }>, prefix: string): never {
    const { construct, file, line, cudaWouldDo } = built;
    this.draft.unsupported = { construct, file, line, cudaWouldDo };
    throw new Ended('unsupported', prefix + built.message);
  }

  private async open(rig: Rig, libraries: { baseline: string; candidate: string }): Promise<void> {
    await rig.open(libraries, this.job.calls.groups, onSide);
  }

  private async enter(rig: Rig, index: number, seed: string): Promise<void> {
    const layout = this.job.layouts[index]!;
    await this.inScenario(layout, rig.enter(layout, this.job.calls.groupOf.get(layout.scenario.id)!, seed, onSide));
  }

  /** The verdict of a scenario, begun anew or as it stands. */
  private verdictOf(layout: Layout, anew = false): ScenarioVerdict {
    const { scenarios } = this.draft;
    const { id, heldOut } = layout.scenario;
    const known = scenarios.findIndex((s) => s.id === id);
    if (known >= 0 && !anew) return scenarios[known]!;
    const verdict: ScenarioVerdict = { id, status: 'correct', outputs: [], ...(heldOut ? { heldOut: true } : {}) };
    if (known >= 0) scenarios[known] = verdict;
    else scenarios.push(verdict);
    return verdict;
  }

  /** A side that fails ends the evaluation; its scenario says so. */
  private async inScenario<T>(layout: Layout, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof SideFailure)) throw error;
      const [status, message] = [this.statusOf(error), this.messageOf(error)];
      Object.assign(this.verdictOf(layout), { status, message });
      throw new Ended(status, `scenario ${layout.scenario.id}: ${message}`);
    }
  }

  /** Checks one scenario the rig has entered; anything but `correct` ends the evaluation. */
  private async check(rig: Rig, index: number): Promise<Checked> {
    const layout = this.job.layouts[index]!;
    const { draft } = this;
    const verdict = this.verdictOf(layout, true);
    const options = { originalLimitMs: this.originalLimitMs, isOriginal: this.isOriginal, cold: this.cold };
    const checked = await this.inScenario(layout, checkScenario(rig, layout, options));
    Object.assign(verdict, {
      status: checked.status,
      outputs: checked.outputs,
      ...(checked.message ? { message: checked.message } : {}),
    });
    for (const w of checked.warnings) if (!draft.warnings.includes(w)) draft.warnings.push(w);
    if (checked.status === 'finding') draft.findings.push(...checked.findings);
    if (checked.status !== 'correct') throw new Ended(checked.status, checked.message ?? '');
    return checked;
  }

  private async time(rig: Rig, index: number, checked: Checked, pairs: number, onPair?: () => void): Promise<Timed> {
    const layout = this.job.layouts[index]!;
    const options = {
      pairs,
      cold: this.cold,
      isOriginal: this.isOriginal,
      originalLimitMs: this.originalLimitMs,
      onPair,
    };
    try {
      return await this.inScenario(layout, timeScenario(rig, layout, checked, options));
    } catch (error) {
      if (!(error instanceof TimedFailure)) throw error;
      const { status, outputs, message, findings } = error;
      Object.assign(this.verdictOf(layout), { status, outputs, message });
      this.draft.findings.push(...findings);
      throw new Ended(status, message);
    }
  }

  private seed(): string {
    const seed = randomBytes(16).toString('hex');
    this.draft.seeds.push(seed);
    return seed;
  }

  private async provisional(rig: Rig, libraries: { baseline: string; candidate: string }): Promise<Speedup> {
    const { job, context } = this;
    const seed = this.seed();
    const total = job.layouts.length;
    const checks = await this.phase('check', async () => {
      await this.open(rig, libraries);
      const all: Checked[] = [];
      for (let i = 0; i < total; i++) {
        context.progress({
          type: 'phase',
          phase: 'check',
          detail: `checking ${job.layouts[i]!.scenario.id}`,
          done: i,
          total,
        });
        await this.enter(rig, i, seed);
        all.push(await this.check(rig, i));
      }
      return all;
    });
    return this.phase('time', async () => {
      const samples: { timed: Timed; weight: number }[] = [];
      for (let i = 0; i < total; i++) {
        const { scenario } = job.layouts[i]!;
        const pairs = planPairs(checks[i]!.pairMs, Math.max(500, 3000 / total), 7, 25);
        await this.enter(rig, i, seed);
        let done = 0;
        const timed = await this.time(rig, i, checks[i]!, pairs, () =>
          context.progress({
            type: 'phase',
            phase: 'time',
            detail: `timing ${scenario.id}`,
            done: ++done,
            total: pairs,
          }),
        );
        samples.push({ timed, weight: scenario.weight });
      }
      return this.report(
        provisionalSpeedup(samples),
        job.layouts.map((_, i) => i),
      );
    });
  }

  /** Fresh processes, fresh seeds, both orders of start; looks at the interval after 4, 6 and 9 process pairs. */
  private async confirmed(firstRig: Rig, libraries: { baseline: string; candidate: string }): Promise<Speedup> {
    const { job, context } = this;
    const timedIndices = job.layouts.flatMap((l, i) => (l.scenario.heldOut ? [] : [i]));
    const weights = timedIndices.map((i) => job.layouts[i]!.scenario.weight);
    const processes: Timed[][] = [];
    const most = looks[looks.length - 1]!;
    while (processes.length < most) {
      const rig = processes.length === 0 ? firstRig : this.newRig();
      const number = processes.length + 1;
      context.progress({
        type: 'phase',
        phase: 'time',
        detail: `confirming in fresh processes`,
        done: number - 1,
        total: most,
      });
      try {
        processes.push(await this.phase('confirm', () => this.processPair(rig, libraries, number === 1)));
      } finally {
        if (rig !== firstRig) {
          this.draft.output ||= rig.output('candidate');
          await rig.dispose();
        }
      }
      if (!looks.some((l) => l === processes.length)) continue;
      const speedup = confirmedSpeedup(processes, weights);
      if (speedup.overall.low > 1 || speedup.overall.high < 1 || processes.length === most)
        return this.report(speedup, timedIndices);
    }
    throw new Error('unreachable: the last look returns');
  }

  private async processPair(
    rig: Rig,
    libraries: { baseline: string; candidate: string },
    heldOut: boolean,
  ): Promise<Timed[]> {
    const { job } = this;
    const seed = this.seed();
    const samples: Timed[] = [];
    await this.open(rig, libraries);
    for (let i = 0; i < job.layouts.length; i++) {
      const isHeldOut = job.layouts[i]!.scenario.heldOut;
      if (isHeldOut && !heldOut) continue;
      await this.enter(rig, i, seed);
      const checked = await this.check(rig, i);
      if (!isHeldOut) samples.push(await this.time(rig, i, checked, planPairs(checked.pairMs, 400, 5, 11)));
    }
    return samples;
  }

  /** Puts each scenario's timing where its verdict is. @param indices of the timed scenarios, in the order of `perScenario` */
  private report(speedup: Speedup, indices: number[]): Speedup {
    indices.forEach((index, i) => {
      const verdict = this.draft.scenarios.find((s) => s.id === this.job.layouts[index]!.scenario.id);
      if (verdict) verdict.timing = speedup.perScenario[i];
    });
    this.draft.noScenarioBelow = this.job.task.objective.noScenarioBelow;
    return speedup;
  }
}
