// How long from an edit to its first verdict, beside nvcc and a hand-written program (bare.cu) that does the same inputs,
// samples and comparison: both in one run, taken in turns, on edits that nothing has seen before.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { meanInterval, median } from '../../../remote-runner/evaluate/statistics.js';
import type { Verdict } from '../../../remote-runner/protocol.js';
import type { PreparedTask } from '../../../src/runner/prepare.js';
import type { RunnerConnection } from '../../../src/runner/types.js';

export interface FirstBench {
  runner: RunnerConnection;
  prepare: (taskFile: string) => Promise<PreparedTask>;
  /** Folder with examples/ and test/bench/. */
  root: string;
  repeats: number;
}

/** Edits as an agent makes them: another constant, and a line that makes each one new. */
export const edited = (text: string, number: number): string =>
  text.replace('BLOCK = 256', `BLOCK = ${[128, 512, 256, 1024][number % 4]!}`) + `\n// edit ${randomUUID()}\n`;

/** @returns lines of the report */
export async function benchFirst(options: FirstBench): Promise<string[]> {
  const { runner, prepare, root, repeats } = options;
  const cuda = runner.about.targets.find((t) => t.kind === 'cuda');
  if (!cuda?.arch) return ['edit → first verdict: skipped, it needs a CUDA device and nvcc'];
  const lines = [
    `edit → first verdict on ${cuda.name}, ${cuda.compiler}, ${repeats} edits each in turns (median, 95 %)`,
  ];
  for (const file of ['softmax.task.json', 'softmax.gpu.task.json']) {
    const task = await prepare(path.join(root, 'examples', file));
    const source = task.wire.original[0]!;
    const ours: number[] = [];
    const bare: { compile: number; run: number }[] = [];
    const bench = new Bare(root, cuda.arch);
    try {
      // The original is built once for a whole session, on either side.
      let verdict = await evaluate(options, task, edited(source.text, 0));
      for (let i = 1; i <= repeats; i++) {
        const text = edited(source.text, i);
        const started = performance.now();
        verdict = await evaluate(options, task, text);
        ours.push(performance.now() - started);
        if (verdict.status !== 'correct') throw new Error(`${file}: ${verdict.message}`);
        bare.push(bench.judge(edited(source.text, i), samplesOf(verdict)));
      }
      const total = bare.map((b) => b.compile + b.run);
      const ratio = meanInterval(
        ours.map((ms, i) => Math.log(ms / total[i]!)),
        0.95,
      );
      const [value, low, high] = [ratio.value, ratio.low, ratio.high].map((r) => Math.exp(r).toFixed(3));
      const parts = Object.entries(verdict.phases).map(([name, ms]) => `${name} ${ms}`);
      lines.push(
        `  ${file}: KernelSeek ${median(ours).toFixed(0)} ms (last: ${parts.join(', ')}), ` +
          `bare ${median(total).toFixed(0)} ms (nvcc ${median(bare.map((b) => b.compile)).toFixed(0)}, ` +
          `program ${median(bare.map((b) => b.run)).toFixed(0)}): ratio ${value} [${low}, ${high}]`,
      );
    } finally {
      bench.dispose();
    }
  }
  return lines;
}

async function evaluate({ runner }: FirstBench, task: PreparedTask, text: string): Promise<Verdict> {
  const candidate = [{ path: task.wire.original[0]!.path, text }];
  const params = { kind: 'evaluate', task: task.wire, candidate, target: 'cuda', mode: 'first' } as const;
  const done = await runner.run(randomUUID(), params, task.files, {});
  if (done.kind !== 'verdict') throw new Error('no verdict');
  return done.verdict;
}

/** `ROWS COLS PAIRS` of each scenario, with as many pairs as the evaluator took. */
export function samplesOf(verdict: Verdict): string[] {
  return verdict.scenarios.flatMap(({ id, timing }) => {
    const size = (name: string): string => new RegExp(`\\b${name}=(\\d+)`).exec(id)?.[1] ?? '';
    return [size('rows'), size('cols'), String(timing?.pairs ?? 0)];
  });
}

export class Bare {
  private readonly folder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-bare-'));
  private readonly flags: string[];

  constructor(root: string, arch: string) {
    this.flags = ['-O3', '-std=c++17', `-gencode=arch=${arch.replace('sm_', 'compute_')},code=${arch}`];
    const renamed = ['softmax', 'softmax_rows', 'tree_max', 'tree_sum'].map((name) => `-D${name}=original_${name}`);
    this.nvcc(['-c', path.join(root, 'test/bench/evaluator/bare.cu'), '-o', 'bare.o']);
    this.nvcc([...renamed, '-c', path.join(root, 'examples/softmax.cu'), '-o', 'original.o']);
  }

  private nvcc(args: string[]): void {
    this.run('nvcc', [...this.flags, ...args]);
  }

  private run(file: string, args: string[]): void {
    const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: this.folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`);
  }

  /** Milliseconds. */
  judge(text: string, samples: string[]): { compile: number; run: number } {
    const started = performance.now();
    writeFileSync(path.join(this.folder, 'softmax.cu'), text);
    this.nvcc(['softmax.cu', 'bare.o', 'original.o', '-o', 'bare']);
    const compiled = performance.now();
    this.run(path.join(this.folder, 'bare'), samples);
    return { compile: compiled - started, run: performance.now() - compiled };
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
