// Scenario entries and grids → the scenarios of a task, each with a stable id.
import { resolveDtype } from './dtype.js';
import { evaluateAt } from './at.js';
import { nearest, show } from './message.js';
import type { TaskFile, TaskScenario } from './schema.js';
import { TaskError, type Scenario, type Value, type Variables } from './types.js';

/** More scenarios than this are refused: each costs compile, check and timing. */
export const MAX_SCENARIOS = 1000;

/** `k=v,k=v`, variables sorted by name. */
function scenarioId(variables: Variables): string {
  return Object.keys(variables)
    .sort()
    .map((name) => `${name}=${String(variables[name])}`)
    .join(',');
}

/**
 * All scenarios, held-out ones last and flagged.
 * @throws TaskError on duplicates, on variables that are neither number, flag nor dtype, and beyond MAX_SCENARIOS
 */
export function expandScenarios(task: Pick<TaskFile, 'scenarios' | 'heldOut'>): Scenario[] {
  const seen = new Map<string, string>();
  const all: Scenario[] = [];
  const lists = [
    { name: 'scenarios', entries: task.scenarios, heldOut: false },
    { name: 'heldOut', entries: task.heldOut, heldOut: true },
  ];
  for (const { name, entries, heldOut } of lists) {
    entries.forEach((entry, i) => {
      const at = `$.${name}[${i}]`;
      for (const variables of expandEntry(entry, at)) {
        const id = scenarioId(variables);
        const first = seen.get(id);
        if (first !== undefined)
          throw new TaskError(at, `scenario ${id} is already in ${first}: remove one of the two`);
        seen.set(id, at);
        all.push({ id, variables, weight: entry.weight ?? 1, heldOut });
        if (all.length > MAX_SCENARIOS) throw tooMany(at);
      }
    });
  }
  return all;
}

function tooMany(at: string): TaskError {
  return new TaskError(at, `makes more than ${MAX_SCENARIOS} scenarios: shorten the grid or narrow it with "where"`);
}

function expandEntry(entry: TaskScenario, at: string): Variables[] {
  const { grid, where, weight: _, ...plain } = entry;
  const fixed = new Map<string, Value>();
  for (const [name, value] of Object.entries(plain)) {
    if (value === undefined || typeof value === 'object') continue;
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      throw new TaskError(`${at}[${JSON.stringify(name)}]`, 'is not a variable name: use letters, digits and _');
    }
    fixed.set(name, checkValue(value, `${at}.${name}`));
  }
  if (grid === undefined) {
    if (where !== undefined) throw new TaskError(`${at}.where`, 'narrows a "grid", but there is none');
    return [Object.fromEntries(fixed)];
  }
  const axes = Object.entries(grid).map(([name, values]) => {
    if (fixed.has(name)) throw new TaskError(`${at}.grid.${name}`, `stands also beside the grid: keep one of the two`);
    return { name, values: values.map((v, i) => checkValue(v, `${at}.grid.${name}[${i}]`)) };
  });
  // A bound on the product, not only on what `where` leaves, so that hostile grids cost nothing.
  if (axes.reduce((n, a) => n * a.values.length, 1) > 100 * MAX_SCENARIOS) throw tooMany(`${at}.grid`);
  let points: Variables[] = [Object.fromEntries(fixed)];
  for (const { name, values } of axes) points = points.flatMap((p) => values.map((v) => ({ ...p, [name]: v })));
  if (where === undefined) return points;
  const kept = points.filter((p) => evaluateAt(`${at}.where`, where, p) !== 0);
  if (kept.length === 0) throw new TaskError(`${at}.where`, `${show(where)} leaves no scenario: widen it`);
  return kept;
}

function checkValue(value: Value, at: string): Value {
  if (typeof value !== 'string') return value;
  const dtype = resolveDtype(value);
  if (dtype !== undefined) return dtype;
  const near = nearest(value, ['float', 'double', 'half', '__nv_bfloat16', 'int']);
  const remedy =
    near !== undefined ? `did you mean "${near}"?` : 'a text names a dtype such as "half"; sizes are numbers';
  throw new TaskError(at, `${show(value)} is not a dtype: ${remedy}`);
}
