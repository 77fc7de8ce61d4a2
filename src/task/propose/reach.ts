// The launches that a function reaches, directly or through functions it calls, in their order, with its pointers followed.
import type { Interval } from '../../kernel/bound.js';
import type { Access } from '../../kernel/accesses.js';
import { readBody, type Body } from '../../kernel/body.js';
import type { Code } from '../../kernel/code.js';
import { splitArguments, tokenize } from '../../kernel/tokens.js';
import type { HostFunction, Kernel, KernelFile, Launch, Range } from '../../kernel/types.js';
import { parseType } from '../dtype.js';
import { kernelOf } from './entry.js';
import { HostScope, termOf } from './scope.js';

/** One thing that happens to the entry's buffers. */
export type Step =
  | {
      kind: 'launch';
      launch: Launch;
      kernel: Kernel;
      body: Body;
      scope: HostScope;
      /** Kernel parameter → parameter of the entry. */
      pointers: ReadonlyMap<string, string>;
    }
  /** cudaMemset or a copy into the buffer. */
  | { kind: 'fill'; pointer: string };

/** Reads bodies once. */
export class Bodies {
  private readonly known = new Map<string, Body>();
  constructor(
    readonly code: Code,
    readonly file: KernelFile,
  ) {}

  of(range: Range, pointers: ReadonlyMap<string, string> = new Map()): Body {
    const key = `${range.startIndex}-${range.endIndex}`;
    const found = this.known.get(key) ?? readBody(this.code, range, pointers);
    this.known.set(key, found);
    return found;
  }

  ofKernel(kernel: Kernel): Body {
    const pointers = kernel.parameters.filter((p) => p.type.includes('*'));
    const target = (type: string): string => {
      const parsed = parseType(type);
      return parsed?.kind === 'pointer' ? parsed.base : '';
    };
    return followed(this.code, this.of(kernel.range, new Map(pointers.map((p) => [p.name, target(p.type)]))));
  }
}

/**
 * @param given what the function's names are worth
 * @param pointers its names of buffers → names of the entry's
 * @param only just this launch, for functions of which one launch is meant
 */
export function stepsOf(
  bodies: Bodies,
  fn: HostFunction,
  given: ReadonlyMap<string, Interval>,
  pointers: ReadonlyMap<string, string>,
  only?: Launch,
  depth = 0,
): Step[] {
  const { file, code } = bodies;
  const body = bodies.of(fn.range);
  const scope = new HostScope(code, file, body, given);
  const steps: { at: number; steps: Step[] }[] = [];
  const typeOf = (name: string) => fn.parameters.find((p) => p.name === name)?.type;
  for (const index of fn.launches) {
    const launch = file.launches[index];
    const kernel = launch && (only === undefined || only === launch) ? kernelOf(file, launch, typeOf) : undefined;
    if (!launch || !kernel) continue;
    const mapped = new Map<string, string>();
    kernel.parameters.forEach((p, i) => {
      const pointer = pointerIn(launch.arguments[i]?.text ?? '', pointers);
      if (pointer !== undefined && p.type.includes('*')) mapped.set(p.name, pointer);
    });
    const step: Step = { kind: 'launch', launch, kernel, body: bodies.ofKernel(kernel), scope, pointers: mapped };
    steps.push({ at: launch.range.startIndex, steps: [step] });
  }
  for (const call of body.calls) {
    const at = code.tokens[call.at]?.start ?? 0;
    const texts = call.arguments.map((a) =>
      code.tokens
        .slice(a.from, a.to)
        .map((t) => t.text)
        .join(' '),
    );
    const target = /^cudaMem(set|cpy)(2D)?(Async)?$/.test(call.name) ? pointerIn(texts[0] ?? '', pointers) : undefined;
    if (target !== undefined) steps.push({ at, steps: [{ kind: 'fill', pointer: target }] });
    const callee = file.hostFunctions.find(
      (f) => f.name === call.name && f !== fn && f.parameters.length >= texts.length,
    );
    if (!callee || depth > 3 || only !== undefined) continue;
    const inner = new Map<string, Interval>();
    const innerPointers = new Map<string, string>();
    callee.parameters.forEach((p, i) => {
      const value = scope.bound(termOf(texts[i] ?? p.default ?? ''));
      if (value) inner.set(p.name, value);
      const pointer = pointerIn(texts[i] ?? '', pointers);
      if (pointer !== undefined) innerPointers.set(p.name, pointer);
    });
    steps.push({ at, steps: stepsOf(bodies, callee, inner, innerPointers, undefined, depth + 1) });
  }
  return steps.sort((a, b) => a.at - b.at).flatMap((s) => s.steps);
}

/** The buffer an argument passes: `x`, `x + n`, `(float4*)x`, `thrust…(x)`. */
function pointerIn(argument: string, pointers: ReadonlyMap<string, string>): string | undefined {
  const name = tokenize(argument).find((t) => t.kind === 'name' && pointers.has(t.text));
  return name && pointers.get(name.text);
}

/** The body with what device functions of the file do with pointers that it hands to them. */
function followed(code: Code, body: Body, depth = 0): Body {
  const accesses = body.accesses.map((access): Access => {
    const kind = access.into && depth < 4 ? kindIn(code, access.into, depth) : undefined;
    return kind === undefined ? access : { ...access, kind };
  });
  return { ...body, accesses };
}

function kindIn(
  code: Code,
  { name, argument }: NonNullable<Access['into']>,
  depth: number,
): Access['kind'] | undefined {
  const { tokens, partners } = code;
  const at = tokens.findIndex((t, i) => {
    const close = t.text === name && tokens[i + 1]?.text === '(' ? partners.get(i + 1) : undefined;
    return close !== undefined && tokens[close + 1]?.text === '{';
  });
  const close = partners.get(at + 1);
  const end = close === undefined ? undefined : tokens[partners.get(close + 1) ?? -1];
  const [start] = tokens.slice(at, at + 1);
  if (close === undefined || !end || !start) return undefined;
  const list = splitArguments(tokens, partners, at + 2, close)[argument];
  const words = list ? tokens.slice(list.from, list.to).map((t) => t.text) : [];
  const parameter = words.at(-1);
  if (parameter === undefined || !words.includes('*')) return undefined;
  if (words.includes('const')) return 'read';
  const origin = { line: 0, column: 0 };
  const range = { start: origin, end: origin, startIndex: start.start, endIndex: end.end };
  const body = followed(code, readBody(code, range, new Map([[parameter, '']])), depth + 1);
  const kinds = body.accesses.filter((a) => a.pointer === parameter).map((a) => a.kind);
  const [first] = kinds;
  if (first === undefined || kinds.includes('passed')) return undefined;
  return kinds.every((k) => k === first) || first === 'write' ? first : 'update';
}

/** Variables in device memory that a kernel reads and that have no initial value. */
export function unsetGlobals({ tokens, partners }: Code, kernel: Kernel): string[] {
  const { startIndex, endIndex } = kernel.range;
  const used = new Set(tokens.filter((t) => t.start >= startIndex && t.end <= endIndex).map((t) => t.text));
  return tokens.flatMap((token, i) => {
    if (token.text !== '__constant__') return [];
    for (let at = i + 1; at < tokens.length; at++) {
      const next = tokens[at + 1]?.text;
      if (tokens[at]?.text === ';' || next === '=' || next === '{') return [];
      let end = at + 1;
      while (tokens[end]?.text === '[') end = (partners.get(end) ?? end) + 1;
      const name = tokens[at]?.text ?? '';
      if (tokens[end]?.text === ';' && tokens[at]?.kind === 'name') return used.has(name) ? [name] : [];
    }
    return [];
  });
}
