// What of a task the agent's texts depend on.
import { resolveArguments } from '../../task/arguments.js';
import { expandScenarios } from '../../task/scenarios.js';
import type { TaskFile } from '../../task/schema.js';
import type { Quote } from './text.js';

export interface Brief {
  task: TaskFile;
  quote: Quote;
  /** Weights of the scenarios that the agent is shown, by id. */
  shown: ReadonlyMap<string, number>;
  /** How many scenarios it is not shown. */
  heldOut: number;
}

export function briefOf(task: TaskFile, quote: Quote): Brief {
  const scenarios = expandScenarios(task);
  const shown = scenarios.filter((s) => !s.heldOut);
  return {
    task,
    quote,
    shown: new Map(shown.map((s) => [s.id, s.weight])),
    heldOut: scenarios.length - shown.length,
  };
}

/** True where scenarios count differently. */
export function isWeighted({ shown }: Brief): boolean {
  return new Set(shown.values()).size > 1;
}

/** One line an argument: `x: const float* [n] (input, normal)`. */
export function argumentLines(task: TaskFile): string[] {
  const resolved = expandScenarios(task)
    .filter((s) => !s.heldOut)
    .map((s) => resolveArguments(task, s));
  return task.arguments.map((a) => {
    const buffers = resolved.flatMap((all) => all.filter((r) => r.kind === 'buffer' && r.name === a.name));
    const facts = new Set<string>();
    for (const r of buffers) {
      if (r.kind !== 'buffer') continue;
      facts.add(r.role);
      if (r.role === 'input' || r.role === 'inout') facts.add(fillText(a.fill ?? r.fill));
      if (r.role !== 'output' && r.role !== 'inout') continue;
      facts.add(comparisonText(r));
    }
    const shape = a.shape ? ` [${a.shape.join(', ')}]` : '';
    return `${a.name}: ${a.type}${shape}${facts.size > 0 ? ` (${[...facts].join(', ')})` : ''}`;
  });
}

function comparisonText({ compare, tolerance: { rtol, atol } }: ResolvedBuffer): string {
  if (typeof compare === 'object') return 'a checker program decides';
  const values = rtol === 0 && atol === 0 ? 'exact' : `within ${atol} + ${rtol}·|expected|`;
  if (compare === 'set') return `each row in any order, ${values}`;
  return compare === 'sorted' ? `each row in order, ${values}` : values;
}

type ResolvedBuffer = Extract<ReturnType<typeof resolveArguments>[number], { kind: 'buffer' }>;
type Written = NonNullable<TaskFile['arguments'][number]['fill']>;
type Resolved = ResolvedBuffer['fill'];

/** A fill as the task has it, its expressions unresolved, else the default. */
function fillText(fill: Written | Resolved): string {
  if (typeof fill === 'string') return fill;
  if ('kind' in fill) return fill.kind === 'integers' ? `integers ${fill.low} to ${fill.high}` : fill.kind;
  if ('integers' in fill) return `integers ${fill.integers[0]} to ${fill.integers[1]}`;
  return 'offsets' in fill ? `offsets up to ${fill.offsets}` : `from ${fill.file}`;
}
