// The sanitizers' part of a verdict: a build of its own, then one call for each scenario asked for, on buffers that end where
// the task says. What is found makes the verdict a finding; what could not be checked is said, and is never an error.
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sizeOf } from '../../src/task/dtype.js';
import type { Finding, SanitizedScenario, SourceFile } from '../protocol.js';
import { workerConfinement } from '../sandbox/confinements.js';
import type { SanitizedCall, Sanitizer } from '../targets/sanitizer.js';
import type { BuildResult, Toolchain } from '../targets/toolchain.js';
import type { Builds } from './builds.js';
import type { EvaluateContext } from './evaluator.js';
import type { Job } from './job.js';
import { Keeper } from './keeper.js';
import { FENCE, type Layout } from './layout.js';
import type { Programs } from './rig.js';
import { createSegments, type Segment } from './segments.js';

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
    const inJob = (file: string): string | undefined => this.inJob(file);
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

  /** The job's file that a tool names, with whatever folder before it; the build's own folder is gone by then. */
  private inJob(file: string): string | undefined {
    const { sources, files, directory } = this.job.inputs(this.sources);
    const named = path.posix.normalize(file);
    const below = path.posix.normalize(path.posix.join(directory, named));
    const all = [...sources, ...files].map((f) => f.path);
    return (
      all.find((p) => p === below) ??
      all.filter((p) => named === p || named.endsWith(`/${p}`)).sort((a, b) => b.length - a.length)[0]
    );
  }
}

/** Segments, a keeper that fills them, and a copy of the library where the worker's user can read it. */
class Bench {
  private constructor(
    private readonly tools: SanitizeTools,
    private readonly folder: string,
    private readonly segments: readonly [Segment, Segment, Segment],
    private readonly keeper: Keeper,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', this.kill, { once: true });
  }

  private readonly kill = (): void => this.keeper.kill();

  static async open(
    tools: SanitizeTools,
    library: string,
    layouts: readonly Layout[],
    signal: AbortSignal,
  ): Promise<Bench> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-sanitize-'));
    try {
      await chmod(folder, 0o755);
      const copy = path.join(folder, 'candidate.so');
      await copyFile(library, copy);
      await chmod(copy, 0o644);
      const [input, first, second] = createSegments(3, Math.max(...layouts.map((l) => l.bytes)));
      const segments = [input!, first!, second!] as const;
      return new Bench(tools, folder, segments, new Keeper(tools.programs.keeper, input!, [first!, second!]), signal);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async enter(
    layout: Layout,
    group: number,
    seed: string,
  ): Promise<Omit<SanitizedCall, 'inJob' | 'sourceLine' | 'step' | 'limitMs' | 'signal'>> {
    const { keeper, segments, folder, tools } = this;
    await keeper.enter(layout, seed);
    await keeper.draw(0);
    return {
      library: path.join(folder, 'candidate.so'),
      folder,
      confine: (command, { program, read = [] }) => {
        const worker = workerConfinement(tools.toolchain.workerView, program, folder);
        return tools.programs.sandbox.confine(command, {
          ...worker,
          read: [...worker.read, ...read],
          write: [folder],
        });
      },
      commands: (library, poison) => commandsOf(layout, group, library, poison),
      input: segments[0].readOnly,
      results: [segments[1].readWrite, segments[2].readWrite],
      differ: async () => {
        // A checker program of the task judges one result; it cannot tell two apart.
        if (layout.regions.some((r) => typeof r.argument.compare === 'object')) return false;
        await keeper.keep(0);
        return (await keeper.compare(1, false)).outputs.some((o) => o.mismatches > 0);
      },
    };
  }

  async dispose(): Promise<void> {
    this.signal.removeEventListener('abort', this.kill);
    this.kill();
    for (const segment of this.segments) segment.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** See run() in harness/sanitized.cpp. */
function commandsOf(layout: Layout, group: number, library: string, poison: boolean): string {
  const regions = layout.regions.map(({ argument, offset, pointer }) => {
    const { name, role, span, align } = argument;
    const result = role === 'output' || role === 'inout';
    const loaded = poison || role === 'input' || role === 'inout';
    const bytes = span * sizeOf(argument.dtype);
    return `${name} ${offset + FENCE} ${bytes} ${pointer - FENCE} ${align} ${loaded ? 1 : 0} ${result ? 1 : 0}`;
  });
  const slots = layout.slots.map((s) =>
    s.kind === 'buffer' ? `b ${s.region.toString(16)}` : `v ${s.bits.toString(16)}`,
  );
  return [library, `${group} ${regions.length} ${slots.length}`, ...regions, ...slots, ''].join('\n');
}
