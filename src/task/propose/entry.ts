// Which function a task would call: one that launches, takes device pointers, and is not a step of another.
import type { Code } from '../../kernel/code.js';
import type { HostFunction, Kernel, KernelFile, Launch } from '../../kernel/types.js';
import { splitArguments } from '../../kernel/tokens.js';
import { parseType } from '../dtype.js';

export interface Entry {
  fn: HostFunction;
  /** Others that could have been meant. */
  others: HostFunction[];
}

/** Names of macros whose body launches: calling one is launching. */
function launchingMacros(code: Code): Set<string> {
  return new Set(code.macros.filter((m) => m.body.some((t) => t.text === '<<<')).map((m) => m.name));
}

/** The best entry, or undefined if launches stand only in main or in functions that copy from the host themselves. */
export function chooseEntry(file: KernelFile, code: Code): Entry | undefined {
  const macros = launchingMacros(code);
  const reaches = (fn: HostFunction, seen = new Set<string>()): boolean => {
    if (seen.has(fn.signature)) return false;
    seen.add(fn.signature);
    if (fn.launches.length > 0 || fn.calls.some((c) => macros.has(c))) return true;
    return fn.calls.some((c) => file.hostFunctions.some((f) => f.name === c && reaches(f, seen)));
  };
  const candidates = file.hostFunctions.filter(
    (f) => f.name !== 'main' && reaches(f) && takesDevicePointers(f) && !managesMemory(f, code),
  );
  const tops = candidates.filter((f) => !candidates.some((g) => g !== f && g.calls.includes(f.name)));
  const [fn, ...others] = tops.length > 0 ? tops : candidates;
  return fn && { fn, others };
}

function takesDevicePointers(f: HostFunction): boolean {
  return f.parameters.some((p) => parseType(p.type)?.kind === 'pointer');
}

/** A function that copies from or to its own pointers as host memory cannot be handed device pointers. */
function managesMemory(f: HostFunction, code: Code): boolean {
  const pointers = new Set(f.parameters.map((p) => p.name));
  const { tokens, partners } = code;
  return tokens.some((token, i) => {
    const isOwn = token.start >= f.range.startIndex && token.end <= f.range.endIndex;
    const close = isOwn && /^cudaMemcpy(Async)?$/.test(token.text) ? partners.get(i + 1) : undefined;
    if (close === undefined) return false;
    const [target, source, , kind] = splitArguments(tokens, partners, i + 2, close);
    const words = (a: { from: number; to: number } | undefined) =>
      a ? tokens.slice(a.from, a.to).map((t) => t.text) : [];
    if (words(kind).includes('cudaMemcpyHostToDevice')) return words(source).some((w) => pointers.has(w));
    return words(kind).includes('cudaMemcpyDeviceToHost') && words(target).some((w) => pointers.has(w));
  });
}

/** The kernel that a launch starts: by name, number of arguments, and where overloads remain by the types of its pointers. */
export function kernelOf(
  file: KernelFile,
  launch: Launch,
  typeOf: (argument: string) => string | undefined,
): Kernel | undefined {
  const name = launch.kernel.split('::').at(-1);
  const named = file.kernels.filter((k) => {
    const required = k.parameters.filter((p) => p.default === undefined).length;
    return k.name === name && launch.arguments.length >= required && launch.arguments.length <= k.parameters.length;
  });
  const isQualified = launch.kernel.includes('::');
  const scoped = isQualified ? named.filter((k) => k.qualifiedName.endsWith(launch.kernel)) : named;
  const pool = scoped.length > 0 ? scoped : named;
  const fits = (k: Kernel) =>
    launch.arguments.every((a, i) => {
      const given = typeOf(a.text);
      const wanted = parseType(k.parameters[i]?.type ?? '');
      const own = given === undefined ? undefined : parseType(given);
      return own?.kind !== 'pointer' || wanted?.kind !== 'pointer' || own.base === wanted.base;
    });
  return (
    pool.find((k) => (launch.templateArguments === undefined) === (k.templateParameters.length === 0) && fits(k)) ??
    pool.find(fits) ??
    pool[0]
  );
}
