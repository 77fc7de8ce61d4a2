// One profiling job: the call of one scenario under Nsight Compute. Where counters cannot be read, what compiler and ptxas
// know is still told, with what is missing and the remedy.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { evaluateAt } from '../../src/task/at.js';
import { TaskError } from '../../src/task/types.js';
import { Bench, fileOfJob } from '../evaluate/bench.js';
import type { EvaluateTools } from '../evaluate/evaluate.js';
import type { EvaluateContext } from '../evaluate/evaluator.js';
import { type Job, prepareJob } from '../evaluate/job.js';
import type { Layout } from '../evaluate/layout.js';
import { LIMITS, type Profile, type ProfileParams, type ProfileTrouble, sourcesSha256 } from '../protocol.js';
import { factsOf } from './facts.js';
import type { NcuRun, Profiler } from './ncu.js';
import { troubleOf } from './trouble.js';

/** A run under the profiler, replays and all, unless the client says otherwise, milliseconds. */
const LIMIT_MS = 300_000;

export type ProfileTools = Pick<EvaluateTools, 'toolchain' | 'builds'> & {
  /** What counters are read with; absent where there is no device. */
  device?: Pick<EvaluateTools, 'programs' | 'deviceLock'> & { profiler: Profiler };
  /** Why not. */
  trouble?: ProfileTrouble;
};

export async function profile(params: ProfileParams, context: EvaluateContext, tools: ProfileTools): Promise<Profile> {
  const sources = params.candidate ?? params.task.original;
  const result: Profile = {
    status: 'correct',
    message: '',
    target: tools.toolchain.info,
    emulated: tools.toolchain.emulated,
    sourcesSha256: sourcesSha256(sources),
    set: params.set,
    launches: [],
    missingMetrics: [],
    resources: [],
    diagnostics: [],
    warnings: [],
    artifacts: [],
    phases: {},
  };
  try {
    const job = prepareJob(params.task, false, context.stored);
    const layout = chosenLayout(job, params.scenario);
    result.scenario = layout.scenario.id;
    const library = await timed(result, 'build', () => build(job, sources, context, tools, result));
    if (library === undefined) return result;
    const { device } = tools;
    if (!device) return { ...result, message: tools.trouble?.message ?? '', trouble: tools.trouble };
    await underProfiler(job, sources, layout, library, params, context, { ...tools, device }, result);
    return result;
  } catch (error) {
    if (error instanceof TaskError) return { ...result, status: 'task_error', message: error.message };
    throw error;
  }
}

/** The one asked for; else that with the most work, else the one with the largest buffers. */
function chosenLayout(job: Job, wanted: string | undefined): Layout {
  const found = wanted === undefined ? undefined : job.layouts.find((l) => l.scenario.id === wanted);
  if (found) return found;
  if (wanted !== undefined) {
    const ids = job.layouts.map((l) => l.scenario.id).join(', ');
    throw new TaskError('scenario', `there is no scenario "${wanted}"; there are: ${ids}`);
  }
  const { work } = job.task;
  const size = ({ scenario, bytes }: Layout): number => {
    const expression = work?.flops ?? work?.bytes;
    return expression === undefined ? bytes : evaluateAt('$.work', expression, scenario.variables);
  };
  return job.layouts.reduce((a, b) => (size(b) >= size(a) ? b : a));
}

async function build(
  job: Job,
  sources: ProfileParams['task']['original'],
  context: EvaluateContext,
  { toolchain, builds }: ProfileTools,
  result: Profile,
): Promise<string | undefined> {
  context.progress({ type: 'phase', phase: 'build', detail: `compiling with ${toolchain.info.compiler}` });
  const built = await builds.build(toolchain, { ...job.inputs(sources), sanitized: true }, context);
  if (built.status === 'unsupported') {
    const { construct, file, line, cudaWouldDo } = built;
    Object.assign(result, { status: 'unsupported', message: built.message });
    result.unsupported = { construct, file, line, cudaWouldDo };
    return undefined;
  }
  result.diagnostics = built.diagnostics.slice(0, LIMITS.diagnostics);
  if (built.status !== 'built') {
    Object.assign(result, { status: built.status, message: built.message });
    return undefined;
  }
  result.resources = built.resources;
  return built.library;
}

async function underProfiler(
  job: Job,
  sources: ProfileParams['task']['original'],
  layout: Layout,
  library: string,
  params: ProfileParams,
  context: EvaluateContext,
  { toolchain, device }: ProfileTools & Required<Pick<ProfileTools, 'device'>>,
  result: Profile,
): Promise<void> {
  const { profiler, programs, deviceLock } = device;
  const { signal, progress } = context;
  const bench = await Bench.open({ toolchain, programs }, library, [layout], signal);
  try {
    const group = job.calls.groupOf.get(layout.scenario.id)!;
    const call = { ...(await bench.enter(layout, group, randomBytes(16).toString('hex'))), signal };
    const say = (detail: string): void => progress({ type: 'phase', phase: 'time', detail });
    const release = await deviceLock.acquire(signal, (holder) => say(`waiting for ${toolchain.info.name}, ${holder}`));
    let run: NcuRun;
    try {
      say(`${params.set} counters of ${layout.scenario.id}: every kernel runs many times`);
      run = await timed(result, 'profile', () => profiler.profile(call, params, params.timeoutMs ?? LIMIT_MS));
    } finally {
      await release();
    }
    result.tool = `ncu ${profiler.ncu.version}`;
    result.missingMetrics = run.messages.missingMetrics;
    const trouble = troubleOf(run, params);
    if (trouble) Object.assign(result, { trouble, message: trouble.message, status: statusOf(trouble) });
    const { report } = run;
    if (trouble || report === undefined) return;
    say('reading the report');
    const pages = await timed(result, 'read', () => profiler.pages(call, report));
    const facts = factsOf(pages, params.kernel, (file) => fileOfJob(job.inputs(sources), file));
    result.launches = facts.launches;
    result.warnings.push(...facts.warnings);
    result.message = `${facts.launches.length} ${facts.launches.length === 1 ? 'launch' : 'launches'} profiled in ${layout.scenario.id}`;
    if (run.messages.clocksUnmodified) result.warnings.push('the clocks were left as they are: times vary with them');
    const table = path.join(context.folder, 'instructions.json');
    await writeFile(table, JSON.stringify(facts.instructions));
    for (const file of [report, table]) {
      const kept = await context.keep(file).catch((error: Error) => void result.warnings.push(error.message));
      if (kept) result.artifacts.push({ name: path.basename(file), ...kept });
    }
  } finally {
    await bench.dispose();
  }
}

/** What keeps a profiler from its counters is no fault of the candidate. */
const statusOf = ({ kind }: ProfileTrouble): Profile['status'] =>
  kind === 'refused' ? 'launch_error' : kind === 'no-match' ? 'task_error' : 'infrastructure';

async function timed<T>(result: Profile, phase: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    result.phases[phase] = Math.round(performance.now() - start);
  }
}
