// When sanitizers run, and what their word does to a verdict.
import { Ended } from './ended.js';
import type { Evaluation } from './evaluation.js';
import { smallestOfEach } from './sanitize.js';

/** Longest that all checks together may take, milliseconds: what has not been checked by then is said. */
const FIRST_MS = 20_000;
const WIN_MS = 180_000;

/** Starts the sanitizers' build beside the others where a first verdict is sure to need it. */
export function prepareSanitizers(evaluation: Evaluation): void {
  const { tools, params } = evaluation;
  if (params.sanitize ?? tools.toolchain.emulated) void evaluation.sanitizing.build();
}

/**
 * In a first verdict, and where no win is at hand: on the CPU target the smallest scenario of each instantiation; all where
 * they are asked for.
 * @throws Ended at a finding
 */
export async function sanitizeFirst(evaluation: Evaluation): Promise<void> {
  const { params, job, tools } = evaluation;
  if (params.sanitize) await sanitize(evaluation, job.layouts, WIN_MS);
  else if (tools.toolchain.emulated && params.sanitize !== false)
    await sanitize(evaluation, smallestOfEach(job), FIRST_MS);
}

/**
 * Before a win: all scenarios on the CPU target, the smallest of each instantiation on a GPU. A check that gave no result
 * makes no winner.
 * @throws Ended at a finding, and where nothing is certain
 */
export async function sanitizeBeforeAWin(evaluation: Evaluation): Promise<void> {
  const { params, job, tools } = evaluation;
  const isWhole = params.sanitize === true || tools.toolchain.emulated;
  const inconclusive = await sanitize(evaluation, isWhole ? job.layouts : smallestOfEach(job), WIN_MS);
  if (inconclusive.length > 0)
    throw new Ended('inconclusive', `a sanitizer gave no result: ${inconclusive.join('; ')}`);
}

async function sanitize(
  evaluation: Evaluation,
  layouts: Evaluation['job']['layouts'],
  limitMs: number,
): Promise<string[]> {
  const { draft, isOriginal } = evaluation;
  const result = await evaluation.phase('sanitize', () =>
    evaluation.sanitizing.check(layouts, evaluation.seed(), limitMs),
  );
  for (const warning of result.warnings) evaluation.warn(warning);
  draft.sanitized = result.scenarios;
  const [first] = result.findings;
  if (!first) return result.inconclusive;
  draft.findings.push(...result.findings);
  const where = first.file === undefined ? '' : `${first.file}:${first.line}: `;
  const message = `${where}${first.message}`;
  const layout = layouts.find((l) => l.scenario.id === result.scenarios.at(-1)?.scenario);
  if (layout) Object.assign(evaluation.verdictOf(layout), { status: 'finding', message });
  throw new Ended('finding', isOriginal ? `${message}; it is the original itself` : message);
}

/**
 * A candidate that dies on the CPU target dies without a line. What strict mode finds in the scenario it died in, up to
 * there, goes beside the verdict. @returns the message with the place
 */
export async function explainCrash(evaluation: Evaluation, message: string): Promise<string> {
  const { draft, job, tools } = evaluation;
  const died = draft.scenarios.find((s) => s.status === 'crash');
  const layout = job.layouts.find((l) => l.scenario.id === died?.id);
  if (!layout || !tools.toolchain.emulated) return message;
  const { findings } = await evaluation.phase('sanitize', () =>
    evaluation.sanitizing.check([layout], evaluation.seed(), FIRST_MS),
  );
  const [first] = findings;
  if (!first) return message;
  draft.findings.push(...findings);
  return `${message}; strict mode: ${first.file === undefined ? '' : `${first.file}:${first.line}: `}${first.message}`;
}
