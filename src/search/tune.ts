// The strategy `tune`: prior-free search over the integer constants of the sources. No model, no key.
import type { Verdict } from '../../remote-runner/protocol.js';
import { evaluateAt } from '../task/at.js';
import { requireTask, validateTask } from '../task/parse.js';
import type { TaskFile } from '../task/schema.js';
import type { Judged, Strategy, StrategyContext } from '../session/strategy.js';
import type { Optimizer, Outcome } from './optimizer.js';
import { defaults, edited, findSites, type Site } from './sites.js';
import { type Configuration, type Restriction, Space } from './space.js';
import { surrogateSearch } from './surrogate.js';

/** Rejects as `evaluate` does: out of budget, stopped. */
export const tune: Strategy = async (context) => {
  const task = requireTask(validateTask(context.task));
  const sites = numberable(
    await findSites(context.original, task.tunables, context.readKernels, task.kernel !== undefined),
  );
  const space = new Space(
    sites.map(({ name, values }) => ({ kind: 'ordinal', name, values })),
    restriction(task.restrictions ?? [], defaults(sites)),
  );
  if (sites.length === 0) return { reason: 'exhausted', message: nothingToTune(context, task) };
  const start = defaults(sites);
  const optimizer = surrogateSearch(space, context.seed, start);
  // Over the original, the original itself is 1.
  optimizer.tell(start, { kind: 'value', value: 1 });
  for (const { proposal, verdict } of context.judged) {
    // What says nothing about the configuration is asked again.
    if (verdict.status === 'inconclusive' || verdict.status === 'infrastructure') continue;
    if (proposal.configuration && space.contains(proposal.configuration)) {
      tell(optimizer, proposal.configuration, verdict);
    }
  }
  let configuration: Configuration | undefined;
  while (([configuration] = optimizer.ask()) && configuration) {
    const judged = await context.evaluate({
      sources: edited(context.original, sites, configuration),
      author: 'search',
      note: noteOf(configuration, start),
      configuration: { ...configuration },
    });
    if (judged.verdict.status === 'task_error') return { reason: 'failed', message: judged.verdict.message };
    tell(optimizer, configuration, judged.verdict);
  }
  return { reason: 'exhausted', message: exhausted(sites, context.judged) };
};

/**
 * Allows what makes every expression true.
 * @param example a configuration; trying it finds what is wrong with an expression before anything is compiled
 * @throws TaskError on an expression that cannot be read, or names what is no tunable
 */
function restriction(expressions: readonly string[], example: Configuration): Restriction {
  const allows = (configuration: Configuration) =>
    expressions.every((text, i) => evaluateAt(`$.restrictions[${i}]`, text, configuration) !== 0);
  allows(example);
  return allows;
}

/** What differs from the original: `BLOCK = 512, TILE = 32`. */
function noteOf(configuration: Configuration, start: Configuration): string {
  return Object.entries(configuration)
    .filter(([name, value]) => value !== start[name])
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ');
}

/** As many sites, in the order of the text, as a space can number: a generated file may hold hundreds. */
function numberable(sites: readonly Site[]): Site[] {
  let size = 1;
  return sites.filter(({ values }) => {
    if (values.length < 2 || size * values.length > 2 ** 50) return false;
    size *= values.length;
    return true;
  });
}

function tell(optimizer: Optimizer, configuration: Configuration, verdict: Verdict): void {
  optimizer.tell(configuration, outcomeOf(verdict));
}

/** What a verdict means to a search. Cost is time over the original's, so that 1 is no change and lower is better. */
export function outcomeOf({ status, speedup }: Verdict): Outcome {
  switch (status) {
    case 'correct':
      return speedup ? { kind: 'value', value: 1 / speedup.value } : { kind: 'failed' };
    // It could not be built or launched: a limit of the device or an assertion of the source.
    case 'compile_error':
    case 'launch_error':
    case 'out_of_memory':
    case 'unsupported':
      return { kind: 'invalid' };
    case 'wrong':
    case 'crash':
    case 'timeout':
    case 'nondeterministic':
    case 'finding':
    case 'task_error':
    case 'inconclusive':
    case 'infrastructure':
      return { kind: 'failed' };
  }
}

function nothingToTune({ original }: StrategyContext, task: TaskFile): string {
  const fixed =
    task.kernel === undefined
      ? ''
      : ' The task gives the launch of a bare kernel: constants that set it in the file are left alone; put the launch into ' +
        'a host function and name that as "entry" to have them tuned.';
  return (
    `there is nothing to tune in ${original.map(({ path }) => path).join(', ')}: looked for #define, constexpr, const and enum ` +
    `integers that a launch, an array extent, a loop or an unroll depends on; name some in the task, for example ` +
    `"tunables": { "BLOCK": [64, 128, 256] }.${fixed}`
  );
}

function exhausted(sites: readonly Site[], judged: readonly Judged[]): string {
  const kinds = judged.map(({ verdict }) => outcomeOf(verdict).kind);
  const number = (kind: Outcome['kind']) => kinds.filter((k) => k === kind).length;
  const names = sites.map(({ name }) => name).join(', ');
  return (
    `every configuration of ${names} was tried: ${number('value')} correct, ${number('failed')} failed, ` +
    `${number('invalid')} invalid`
  );
}
