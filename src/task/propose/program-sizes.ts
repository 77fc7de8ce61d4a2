// The sizes that a program itself runs with: literal numbers that main sets and hands on to what launches.
import type { Interval } from '../../kernel/bound.js';
import type { HostFunction } from '../../kernel/types.js';
import type { Callee } from './callee.js';
import type { Bodies } from './reach.js';
import { HostScope, termOf } from './scope.js';

/** The value of every size, or undefined where the program does not say one. */
export function programSizes(bodies: Bodies, { called, bare, sizes }: Callee): Map<string, number> | undefined {
  const fn = bare ? bare.fn : bodies.file.hostFunctions.find((f) => f.qualifiedName === called.qualifiedName);
  if (!fn || sizes.length === 0) return undefined;
  const given = givenTo(bodies, fn);
  const scope = new HostScope(bodies.code, bodies.file, bodies.of(fn.range), given);
  const names = bare ? [...bare.variables] : sizes.map((s) => [s, s] as const);
  const found = new Map<string, number>();
  for (const [name, size] of names) {
    const value = bare ? literal(scope, name) : given.get(name)?.high;
    if (value !== undefined && Number.isInteger(value) && value >= 1) found.set(size, value);
  }
  return sizes.every((s) => found.has(s)) ? new Map(sizes.map((s) => [s, found.get(s) ?? 1])) : undefined;
}

/** What the parameters of a function are worth where the program calls it. */
function givenTo(bodies: Bodies, fn: HostFunction, depth = 0): Map<string, Interval> {
  const given = new Map<string, Interval>();
  if (fn.name === 'main') {
    // Run without arguments: `argc > 1 ? atoi(argv[1]) : 1024` is 1024.
    const [count] = fn.parameters;
    if (count) given.set(count.name, { low: 1, high: 1 });
    return given;
  }
  for (const caller of depth > 3 ? [] : bodies.file.hostFunctions) {
    const body = bodies.of(caller.range);
    const call = body.calls.find((c) => c.name === fn.name && c.arguments.length <= fn.parameters.length);
    if (!call || caller === fn) continue;
    const scope = new HostScope(bodies.code, bodies.file, body, givenTo(bodies, caller, depth + 1));
    call.arguments.forEach(({ from, to }, i) => {
      const text = bodies.code.tokens.slice(from, to).map((t) => t.text);
      const value = literal(scope, text.join(' '));
      const name = fn.parameters[i]?.name;
      if (value !== undefined && name !== undefined) given.set(name, { low: value, high: value });
    });
    if (given.size > 0) return given;
  }
  return given;
}

/** The number that an expression of host code comes to; of a name that is set several times the last that is known. */
function literal(scope: HostScope, text: string): number | undefined {
  const exact = (interval: Interval | undefined): number | undefined =>
    interval?.low === interval?.high ? interval?.high : undefined;
  const own = exact(scope.bound(termOf(text)));
  if (own !== undefined) return own;
  const values = (scope.body.definitions.get(text) ?? []).map((d) => exact(scope.bound(d.terms[0])));
  return values.filter((v) => v !== undefined).at(-1);
}
