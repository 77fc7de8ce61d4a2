// What a runner makes of many candidates at once, beside one after the other: on a GPU beside nvcc and a fresh process of the
// hand-written program (bare.cu) for each; on the CPU target, where there is none, beside the same runner asked one at a time.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { TargetChoice, Verdict } from '../../../remote-runner/protocol.js';
import type { PreparedTask } from '../../../src/runner/prepare.js';
import { Bare, edited, type FirstBench, samplesOf } from './first.js';

const COUNTS = [1, 8, 64];

/** @returns lines of the report */
export async function benchQueue(options: FirstBench): Promise<string[]> {
  const { runner, prepare, root } = options;
  const cuda = runner.about.targets.find((t) => t.kind === 'cuda');
  const target = cuda ? 'cuda' : 'cpu';
  const task = await prepare(path.join(root, 'examples/softmax.task.json'));
  const { text } = task.wire.original[0]!;
  const ask = (candidate: string): Promise<Verdict> => evaluate(options, task, candidate, target);
  // The original is built once for a whole session, on either side, and says how many samples the bare program takes.
  const first = await ask(edited(text, 0));
  const where = `${(cuda ?? first.target)?.name}, ${runner.about.host.cores} cores`;
  const lines = [`many candidates at once on ${where}, ${cuda ? 'beside nvcc and bare.cu' : 'beside one at a time'}`];
  for (const count of COUNTS) {
    const candidates = Array.from({ length: count }, (_, i) => edited(text, i + 1));
    const alone = cuda?.arch ? bareOnes(root, cuda.arch, candidates, first) : await oneByOne(ask, candidates);
    const texts = candidates.map((candidate) => edited(candidate, 0));
    const together = await timed(() => Promise.all(texts.map(ask)));
    // The same texts again: the libraries are there, what is left is checking and timing.
    const warm = await timed(() => Promise.all(texts.map(ask)));
    const sum = (phase: string): number => together.result.reduce((s, v) => s + (v.phases[phase] ?? 0), 0) / 1000;
    const building = together.seconds - warm.seconds;
    lines.push(
      `  ${count}: ${together.seconds.toFixed(1)} s beside ${alone.seconds.toFixed(1)} s: ` +
        `${(alone.seconds / together.seconds).toFixed(1)}×; ` +
        `builds ${alone.build.toFixed(1)} s one by one, ${sum('build').toFixed(1)} s side by side in ${building.toFixed(1)} s more ` +
        `than with libraries at hand; processes and samples ${alone.rest.toFixed(1)} s one by one, ` +
        `${warm.seconds.toFixed(1)} s at once (check ${sum('check').toFixed(1)}, time ${sum('time').toFixed(1)})`,
    );
  }
  return lines;
}

/** Seconds. */
interface Alone {
  seconds: number;
  build: number;
  rest: number;
}

function bareOnes(root: string, arch: string, candidates: string[], like: Verdict): Alone {
  const bare = new Bare(root, arch);
  try {
    const each = candidates.map((text) => bare.judge(text, samplesOf(like)));
    const build = each.reduce((s, { compile }) => s + compile, 0) / 1000;
    const rest = each.reduce((s, { run }) => s + run, 0) / 1000;
    return { seconds: build + rest, build, rest };
  } finally {
    bare.dispose();
  }
}

async function oneByOne(ask: (text: string) => Promise<Verdict>, candidates: string[]): Promise<Alone> {
  let build = 0;
  const { seconds } = await timed(async () => {
    for (const text of candidates) build += ((await ask(text)).phases.build ?? 0) / 1000;
  });
  return { seconds, build, rest: seconds - build };
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const started = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - started) / 1000 };
}

async function evaluate(
  { runner }: FirstBench,
  task: PreparedTask,
  text: string,
  target: TargetChoice,
): Promise<Verdict> {
  const candidate = [{ path: task.wire.original[0]!.path, text }];
  const params = { kind: 'evaluate', task: task.wire, candidate, target, mode: 'first', fresh: true } as const;
  const done = await runner.run(randomUUID(), params, task.files, {});
  if (done.kind !== 'verdict') throw new Error('no verdict');
  if (done.verdict.status !== 'correct') throw new Error(done.verdict.message);
  return done.verdict;
}
