// The sanitizers' part of a verdict: a build of its own, then one call for each scenario asked for, on buffers that end where
// the task says. What is found makes the verdict a finding; what could not be checked is said, and is never an error.
import path from 'node:path';
import type { Finding, SanitizedScenario, SourceFile } from '../protocol.js';
import type { Sanitizer } from '../targets/sanitizer.js';
import type { BuildResult, Toolchain } from '../targets/toolchain.js';
import { Bench, fileOfJob } from './bench.js';
import type { Builds } from './builds.js';
import type { EvaluateContext } from './evaluator.js';
import type { Job } from './job.js';
import type { Layout } from './layout.js';
import type { Programs } from './rig.js';

export interface SanitizeTools {
  toolchain: Toolchain;
  programs: Programs;
  builds: Builds;
}

export interface Sanitized {
  findings: Finding[];
  warnings: string[];
  scenarios: SanitizedScenario[];
  /** Checks that ran and gave no result. */
  inconclusive: string[];
}

/** The smallest scenario of each instantiation: other sizes run the same code. */
export function smallestOfEach(job: Job): Layout[] {
  const seen = new Set<number>();
  return job.layouts.filter((layout) => {
    const group = job.calls.groupOf.get(layout.scenario.id)!;
    if (seen.has(group)) return false;
    seen.add(group);
    return true;
  });
}

export class Sanitizing {
  private building: Promise<BuildResult> | undefined;

  constructor(
    private readonly tools: SanitizeTools,
    private readonly job: Job,
    private readonly sources: SourceFile[],
    private readonly context: EvaluateContext,
  ) {}

  /** Starts the build; whoever knows early that it will be needed calls this beside the other builds. */
  build(): Promise<BuildResult> {
    if (this.building) return this.building;
    const { tools, job, sources, context } = this;
    this.building = tools.builds.build(tools.toolchain, { ...job.inputs(sources), sanitized: true }, context);
    // An evaluation that ends before it is asked for has no use for the reason.
    this.building.catch(() => undefined);
    return this.building;
  }

  /**
   * Checks these scenarios one after the other, up to the first finding.
   * @param seed of the inputs, 32 hexadecimal digits
   * @param limitMs for all of them
   */
  async check(layouts: readonly Layout[], seed: string, limitMs: number): Promise<Sanitized> {
    const result: Sanitized = { findings: [], warnings: [], scenarios: [], inconclusive: [] };
    const { signal } = this.context;
    const end = performance.now() + limitMs;
    const nothing = (why: string): Sanitized => {
      for (const { scenario } of layouts)
        result.scenarios.push({ scenario: scenario.id, covered: [], notCovered: [why] });
      result.warnings.push(`not covered by sanitizers: ${why}`);
      return result;
    };
    try {
      const built = await this.build();
      if (built.status !== 'built') return nothing(`the build for them failed: ${built.message}`);
      const sanitizer = await this.tools.toolchain.sanitizer(path.dirname(this.tools.programs.host), signal);
      if ('missing' in sanitizer) return nothing(sanitizer.missing);
      const bench = await Bench.open(this.tools, built.library, layouts, signal);
      try {
        for (const layout of layouts) {
          const left = end - performance.now();
          await this.one(sanitizer, bench, layout, seed, left, result);
          if (result.findings.length > 0) break;
        }
      } finally {
        await bench.dispose();
      }
      return result;
    } catch (error) {
      signal.throwIfAborted();
      return nothing(error instanceof Error ? error.message : String(error));
    }
  }

  private async one(
    sanitizer: Sanitizer,
    bench: Bench,
    layout: Layout,
    seed: string,
    limitMs: number,
    result: Sanitized,
  ): Promise<void> {
    const { id } = layout.scenario;
    if (limitMs <= 0) {
      result.scenarios.push({ scenario: id, covered: [], notCovered: ['no time was left'] });
      result.warnings.push(`not covered by sanitizers: scenario ${id}: no time was left`);
      return;
    }
    const group = this.job.calls.groupOf.get(id)!;
    const call = await bench.enter(layout, group, seed);
    const inJob = (file: string): string | undefined => fileOfJob(this.job.inputs(this.sources), file);
    const sourceLine = (file: string, line: number): string | undefined =>
      this.sources.find((s) => s.path === file)?.text.split('\n')[line - 1];
    const step = (name: string): void =>
      this.context.progress({ type: 'phase', phase: 'check', detail: `${name} on ${id}` });
    const report = await sanitizer.check({ ...call, inJob, sourceLine, step, limitMs, signal: this.context.signal });
    const { covered, notCovered } = report;
    result.scenarios.push({ scenario: id, covered, notCovered });
    result.findings.push(...report.findings.map((f) => ({ ...f, message: `scenario ${id}: ${f.message}` })));
    result.warnings.push(...report.warnings.map((w) => `scenario ${id}: ${w}`));
    result.inconclusive.push(...report.inconclusive.map((i) => `scenario ${id}: ${i}`));
    if (notCovered.length > 0)
      result.warnings.push(`not covered by sanitizers: scenario ${id}: ${notCovered.join('; ')}`);
  }
}
