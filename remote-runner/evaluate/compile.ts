// Builds the libraries of one evaluation: of the original, the candidate, and the incumbent if there is one.
import { sourcesSha256, type Diagnostic, type Finding, type SourceFile } from '../protocol.js';
import { TRAMPOLINE } from '../targets/job-folder.js';
import type { BuildResult } from '../targets/toolchain.js';
import { Ended } from './ended.js';
import { beyondOriginal, forbiddenIncludes } from './forbidden.js';
import type { Evaluation } from './evaluation.js';
import type { Libraries } from './libraries.js';
import { type Library, planModule, Unplanned } from './module-plan.js';
import { hostFunction, type TimedPlan } from './tier.js';

/** @throws Ended when one does not build */
export async function compile(evaluation: Evaluation): Promise<Libraries> {
  const { context, tools, params, draft, job } = evaluation;
  context.progress({ type: 'phase', phase: 'build', detail: `compiling with ${tools.toolchain.info.compiler}` });
  const builds = new Map<string, Promise<BuildResult>>();
  // The original evaluated against itself, or a candidate that is the incumbent, is built once.
  const builder = (evaluation.tier === 1 ? tools.toolchain.modules : undefined) ?? tools.toolchain;
  const make = (sources: SourceFile[]): Promise<BuildResult> => {
    const key = sourcesSha256(sources);
    const known = builds.get(key) ?? tools.builds.build(builder, job.inputs(sources), context);
    builds.set(key, known);
    return known;
  };
  // Before a win the sources also have to compile and link as a whole, though no host code of theirs runs.
  const whole = (sources: SourceFile[]): Promise<BuildResult> | undefined =>
    evaluation.tier === 1 && params.mode === 'confirm'
      ? tools.builds.build(tools.toolchain, job.inputs(sources), context)
      : undefined;
  const [module, wholeCandidate, wholeOriginal, baseline, incumbent, reference, checkers] = await Promise.all([
    make(evaluation.candidate),
    whole(evaluation.candidate),
    whole(params.task.original),
    make(params.task.original),
    params.incumbent && make(params.incumbent),
    job.reference && tools.builds.build(tools.toolchain, job.reference, context),
    buildCheckers(evaluation),
  ]);
  const candidate =
    module.status === 'built' && wholeCandidate && wholeCandidate.status !== 'built' ? wholeCandidate : module;
  if (reference && reference.status !== 'built') {
    if (reference.status === 'unsupported') return refuse(evaluation, reference, 'in the reference: ');
    throw new Ended('task_error', `the reference does not compile: ${reference.message}`);
  }
  if (baseline.status !== 'built' && !evaluation.isOriginal) {
    if (baseline.status === 'unsupported') return refuse(evaluation, baseline, 'in the original: ');
    throw new Ended('task_error', `the original does not compile: ${baseline.message}`);
  }
  if (candidate.status === 'unsupported') return refuse(evaluation, candidate, '');
  draft.flags = candidate.flags;
  draft.diagnostics = candidate.diagnostics.map((d) => placed(evaluation, d));
  if (candidate.status !== 'built') {
    draft.output = candidate.output;
    const inCall = candidate.diagnostics.find((d) => d.severity === 'error')?.file.endsWith(TRAMPOLINE);
    const message = candidate.message.replace(/^[^:]*:\d+: /, '');
    throw new Ended(
      candidate.status,
      inCall ? `the sources do not fit the task's call: ${message}` : candidate.message,
    );
  }
  if (incumbent && incumbent.status !== 'built')
    throw new Ended('task_error', `the incumbent does not compile: ${incumbent.message}`);
  if (baseline.status !== 'built') throw new Error('unreachable: the original is the candidate, which was built');
  draft.resources = candidate.resources;
  draft.findings.push(
    ...beyondOriginal(findingsOf(wholeCandidate ?? candidate), findingsOf(wholeOriginal ?? baseline)),
    ...forbiddenIncludes(job.task.forbid, evaluation.candidate, params.task.original),
  );
  draft.warnings.push(...candidate.warnings);
  return {
    baseline: planned(evaluation, 'original', baseline),
    candidate: planned(evaluation, params.candidate ? 'candidate' : 'original', candidate),
    ...(incumbent && { incumbent: planned(evaluation, 'incumbent', incumbent) }),
    ...(reference && { reference: { file: reference.library } }),
    checkers,
  };
}

const findingsOf = (built: BuildResult): Finding[] => (built.status === 'built' ? built.findings : []);

/** What was built, with what is launched of it where that is device code alone. @throws Unplanned */
function planned(
  { tier, params, job }: Evaluation,
  which: TimedPlan,
  built: Extract<BuildResult, { status: 'built' }>,
): Library {
  const file = built.library;
  if (tier === 2) return { file };
  const plan = params.plans?.[which] ?? { why: 'has no plan' };
  try {
    return { file, plan: planModule(plan, built.kernels ?? [], job.layouts) };
  } catch (error) {
    throw error instanceof Unplanned ? new Unplanned(hostFunction(which, error.message)) : error;
  }
}

async function buildCheckers({ job, tools, context }: Evaluation): Promise<Map<string, string>> {
  const built = new Map<string, string>();
  for (const [file, inputs] of job.checkers) {
    const result = await tools.builds.build(tools.checkers, inputs, context);
    if (result.status !== 'built')
      throw new Ended('task_error', `the checker program ${file} does not compile: ${result.message}`);
    built.set(file, result.library);
  }
  return built;
}

/** An error in the generated call is told at the source: the trampoline is not the user's. */
function placed({ candidate }: Evaluation, d: Diagnostic): Diagnostic {
  if (!d.file.endsWith(TRAMPOLINE)) return d;
  return { ...d, file: candidate[0]!.path, line: 1, column: undefined, message: `in the task's call: ${d.message}` };
}

function refuse({ draft }: Evaluation, built: Extract<BuildResult, { status: 'unsupported' }>, prefix: string): never {
  const { construct, file, line, cudaWouldDo } = built;
  draft.unsupported = { construct, file, line, cudaWouldDo };
  throw new Ended('unsupported', prefix + built.message);
}
