// One call of one library in a process of its own (harness/sanitized.cpp), for tools that watch it: sanitizers, the profiler.
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sizeOf } from '../../src/task/dtype.js';
import { workerConfinement } from '../sandbox/confinements.js';
import type { SanitizedCall } from '../targets/sanitizer.js';
import type { Toolchain } from '../targets/toolchain.js';
import type { BuildInputs } from './builds.js';
import { Keeper } from './keeper.js';
import { FENCE, type Layout } from './layout.js';
import type { Programs } from './rig.js';
import { createSegments, type Segment } from './segments.js';

export interface BenchTools {
  toolchain: Toolchain;
  programs: Programs;
}

/** The job's file that a tool names, with whatever folder before it: the build's own folder is gone by then. */
export function fileOfJob(inputs: BuildInputs, file: string): string | undefined {
  const named = path.posix.normalize(file);
  const below = path.posix.normalize(path.posix.join(inputs.directory, named));
  const all = [...inputs.sources, ...inputs.files].map((f) => f.path);
  return (
    all.find((p) => p === below) ??
    all.filter((p) => named === p || named.endsWith(`/${p}`)).sort((a, b) => b.length - a.length)[0]
  );
}

/** Segments, a keeper that fills them, and a copy of the library where the worker's user can read it. */
export class Bench {
  private constructor(
    private readonly tools: BenchTools,
    private readonly folder: string,
    private readonly segments: readonly [Segment, Segment, Segment],
    private readonly keeper: Keeper,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', this.kill, { once: true });
  }

  private readonly kill = (): void => this.keeper.kill();

  static async open(
    tools: BenchTools,
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
