// One evaluation from sources to verdict. Every way it can end is a verdict; only cancellation and faults of ours reject.
import { TaskError } from '../../src/task/types.js';
import { type EvaluateParams, type SourceFile, sourcesSha256, type Verdict } from '../protocol.js';
import { compile } from './compile.js';
import { confirmedVerdict } from './confirm.js';
import { Ended } from './ended.js';
import { type EvaluateTools, Evaluation } from './evaluation.js';
import type { EvaluateContext } from './evaluator.js';
import { firstVerdict } from './first.js';
import { prepareJob } from './job.js';
import { Unplanned } from './module-plan.js';
import { explainCrash, prepareSanitizers } from './sanitized.js';
import { SideFailure } from './side.js';
import { whyHostCode } from './tier.js';
import { finish, type Draft } from './verdict.js';

export type { EvaluateTools } from './evaluation.js';

export async function evaluate(
  params: EvaluateParams,
  context: EvaluateContext,
  tools: EvaluateTools,
): Promise<Verdict> {
  const candidate = params.candidate ?? params.task.original;
  const draftOf = (tier: 1 | 2, whyHostCode: string): Draft => ({
    ...{ mode: params.mode, tier, whyHostCode },
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
    ...(params.incumbent && { incumbentSha256: sourcesSha256(params.incumbent) }),
    flags: [],
    seeds: [],
    deviceStates: [],
  });
  try {
    const job = prepareJob(params.task, params.mode === 'confirm', context.stored);
    samePaths('candidate', candidate, params.task.original);
    if (params.incumbent) samePaths('incumbent', params.incumbent, params.task.original);
    const inTier = (draft: Draft): Promise<Verdict> =>
      run(new Evaluation(job, candidate, params, context, tools, draft));
    let why = whyHostCode(params, job.task, tools.toolchain);
    try {
      if (why === undefined) return await inTier(draftOf(1, ''));
    } catch (error) {
      if (!(error instanceof Unplanned)) throw error;
      why = error.message;
    }
    return await inTier(draftOf(2, why));
  } catch (error) {
    if (error instanceof TaskError) return finish(draftOf(2, ''), 'task_error', error.message);
    throw error;
  }
}

function samePaths(what: string, sources: SourceFile[], original: SourceFile[]): void {
  const paths = (all: SourceFile[]): string =>
    all
      .map((f) => f.path)
      .sort()
      .join('\n');
  if (paths(sources) === paths(original)) return;
  throw new TaskError(what, 'the same source files as in the original are expected, no more and no fewer');
}

async function run(evaluation: Evaluation): Promise<Verdict> {
  const { context, draft } = evaluation;
  // The first set of workers is started before the compiler: contexts are ready when the library is.
  const rig = evaluation.newRig();
  const measure = evaluation.params.mode === 'confirm' ? confirmedVerdict : firstVerdict;
  try {
    prepareSanitizers(evaluation);
    const libraries = await evaluation.phase('build', () => compile(evaluation));
    const speedup = await evaluation.withDevice(() => measure(evaluation, rig, libraries));
    return finish(draft, 'correct', '', speedup);
  } catch (error) {
    context.signal.throwIfAborted();
    draft.output ||= rig.output('candidate');
    if (error instanceof Ended) {
      const message = error.status === 'crash' ? await explainCrash(evaluation, error.message) : error.message;
      return finish(draft, error.status, message);
    }
    if (error instanceof SideFailure) return finish(draft, evaluation.statusOf(error), evaluation.messageOf(error));
    throw error;
  } finally {
    await rig.dispose();
  }
}
