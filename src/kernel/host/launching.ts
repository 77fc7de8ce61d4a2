// Turns launches and the runtime's calls around them into steps.
import { splitArguments, templateEnd } from '../tokens.js';
import type { Kernel } from '../types.js';
import { type Calls, evaluateCode } from './evaluate.js';
import type { Expression } from './expressions.js';
import { Frame, isNull, toAxes } from './frame.js';
import { Refusal, shown } from './refusal.js';
import type { Code } from './sources.js';
import { type Axes, type KernelAttributes, MOST_STEPS, SHARED_WITHOUT_OPT_IN, type Step } from './steps.js';
import { readType } from './types.js';
import { bitsOf, bytesOf, convert, integer, SIZE, type Value } from './values.js';

interface Callee {
  kernel: Kernel;
  template: ({ type: string } | { value: Value })[];
  /** Names this instantiation. */
  key: string;
}

interface Configuration {
  grid: Axes;
  block: Axes;
  shared: number;
  cluster?: Axes;
}

const ATTRIBUTES: Readonly<Record<string, keyof KernelAttributes>> = {
  cudaFuncAttributeMaxDynamicSharedMemorySize: 'maxShared',
  cudaFuncAttributePreferredSharedMemoryCarveout: 'carveout',
  cudaFuncAttributeNonPortableClusterSizeAllowed: 'nonPortableCluster',
};

/** Calls of the runtime that change nothing where no call before has failed. */
const IDLE = /^(cudaGetLastError|cudaPeekAtLastError)$/;

export class Launching {
  readonly steps: Step[] = [];
  private readonly attributes = new Map<string, KernelAttributes>();

  constructor(private readonly calls: Calls) {}

  /** A statement with `<<<`. */
  launch(code: Code, frame: Frame): void {
    const { tokens, partners, from, to } = code;
    const open = tokens.findIndex((t, i) => i >= from && i < to && t.text === '<<<');
    const close = findTriple(code, open + 1);
    const end = close === undefined ? undefined : partners.get(close + 3);
    if (close === undefined || end !== to - 1) throw new Refusal('has a launch that is not read');
    const callee = this.callee({ ...code, to: open }, frame);
    const [grid, block, shared, stream, ...more] = parts({ ...code, from: open + 1, to: close });
    if (!grid || !block || more.length > 0) throw new Refusal('has a launch that is not read');
    const configuration = {
      grid: toAxes(this.value(grid, frame)),
      block: toAxes(this.value(block, frame)),
      shared: shared ? this.size(shared, frame) : 0,
    };
    if (stream) this.ownStream(this.value(stream, frame));
    this.record(callee, configuration, parts({ ...code, from: close + 4, to: end }), frame);
  }

  private value(code: Code, frame: Frame): Value {
    return evaluateCode(code, frame, this.calls);
  }

  private size(code: Code, frame: Frame): number {
    return sizeFrom(this.value(code, frame));
  }

  private ownStream(value: Value): void {
    if (value.kind !== 'stream' && !isNull(value)) throw new Refusal('launches into a stream of its own');
  }

  /** `ns::kernel<T, 4>`, also behind & and in parentheses or a cast to void*. */
  private callee(written: Code, frame: Frame): Callee {
    const code = bare(written);
    const { tokens, partners, to } = code;
    let at = code.from;
    if (tokens[at]?.text === '::') at++;
    const path: string[] = [];
    for (;;) {
      if (at >= to || tokens[at]?.kind !== 'name') throw new Refusal('launches something that is no name of a kernel');
      path.push(tokens[at]?.text ?? '');
      at++;
      if (tokens[at]?.text !== '::' || at >= to) break;
      at++;
    }
    let list: Code[] = [];
    if (at < to) {
      const end = templateEnd(tokens, partners, at, to);
      if (end !== to - 1) throw new Refusal('launches something that is no name of a kernel');
      list = parts({ ...code, from: at + 1, to: end });
    }
    if (path.length === 1 && frame.find(path[0] ?? ''))
      throw new Refusal(`launches ${shown(path[0] ?? '')}, a variable`);
    const kernel = frame.sources.kernel(path);
    const template = list.map((argument, i) =>
      this.templateArgument(argument, kernel.templateParameters[i]?.kind, frame),
    );
    const key = `${kernel.signature} ${JSON.stringify(template, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v))}`;
    return { kernel, template, key };
  }

  /** A type or a value, as the template wants it. */
  templateArgument(code: Code, kind: string | undefined, frame: Frame): { type: string } | { value: Value } {
    if (kind !== 'type') return { value: this.value(code, frame) };
    const { isType, builtin } = frame.around;
    const read = readType(code.tokens, code.from, code.to, isType, builtin);
    if (read?.next !== code.to || read.type.pointers > 0 || read.type.isReference || read.type.isConst)
      throw new Refusal('has a template argument that is not read');
    return { type: frame.resolve(read.type.base) };
  }

  private record({ kernel, template, key }: Callee, given: Configuration, args: Code[], frame: Frame): void {
    frame.budget.effect();
    const { parameters, name } = kernel;
    if (args.length !== parameters.length) throw new Refusal(`launches ${shown(name)} with ${args.length} arguments`);
    const values = args.map((a) => this.value(a, frame));
    const inside = new Frame(frame.sources, frame.budget);
    const bound = inside.bind(kernel, template, values, (text, own) => this.value(frame.sources.text(text), own));
    const passed = values.map((value, i) => {
      const type = bound.parameters[i];
      if (type === undefined || type.isReference) throw new Refusal(`launches ${shown(name)} with a reference`);
      return inside.coerce(value, type);
    });
    const { maxShared, ...attributes } = this.attributes.get(key) ?? {};
    const isLarge = given.shared > SHARED_WITHOUT_OPT_IN;
    if (isLarge && (maxShared ?? 0) < given.shared)
      throw new Refusal(`launches ${shown(name)} with more shared memory than it asked for`);
    if ([...given.grid, ...given.block].some((n) => n < 1 || n >= 2 ** 31))
      throw new Refusal(`launches ${shown(name)} with a grid or block that is empty or too large`);
    this.add({
      kind: 'launch',
      kernel: kernel.qualifiedName.replaceAll('(anonymous)::', ''),
      template: bound.template,
      parameters: bound.parameters.map((t) => (t.pointers > 0 ? '*' : inside.resolve(t.base))),
      ...given,
      ...(isLarge && maxShared !== undefined ? { maxShared } : {}),
      ...attributes,
      arguments: passed.map((value) => {
        if (value.kind === 'pointer') return { kind: 'pointer', argument: value.argument, offset: whole(value.offset) };
        if (value.kind !== 'number') throw new Refusal(`launches ${shown(name)} with a ${value.kind}`);
        return { kind: 'value', bytes: bytesOf(value.type), bits: bitsOf(value) };
      }),
    });
  }

  private add(step: Step): void {
    this.steps.push(step);
    if (this.steps.length > MOST_STEPS) throw new Refusal(`launches more than ${MOST_STEPS} kernels`);
  }

  /** A call of the runtime that is read here; undefined for any other function. */
  runtime(call: Extract<Expression, { kind: 'call' }>, frame: Frame): Value | undefined {
    const [name = ''] = call.path;
    if (call.path.length > 1 || call.template) return undefined;
    const done = (): Value => integer(0);
    if (IDLE.test(name) && call.args.length === 0) {
      frame.sources.builtin(name);
      return done();
    }
    if (!/^(cudaFuncSetAttribute|cudaMemsetAsync|cudaLaunchKernelEx)$/.test(name)) return undefined;
    frame.sources.builtin(name);
    frame.budget.effect();
    if (name === 'cudaFuncSetAttribute') this.setAttribute(call.args, frame);
    else if (name === 'cudaMemsetAsync') this.memset(call.args, frame);
    else this.launchEx(call.args, frame);
    return done();
  }

  private setAttribute([kernel, attribute, value, more]: Code[], frame: Frame): void {
    if (!kernel || !attribute || !value || more) throw new Refusal('sets an attribute in a way that is not read');
    const word = attribute.to === attribute.from + 1 ? (attribute.tokens[attribute.from]?.text ?? '') : '';
    const field = Object.hasOwn(ATTRIBUTES, word) ? ATTRIBUTES[word] : undefined;
    if (field === undefined || frame.find(word)) throw new Refusal(`sets the attribute ${shown(word)} of a kernel`);
    frame.sources.builtin(word);
    const { key } = this.callee(kernel, frame);
    const given = this.value(value, frame);
    if (given.kind !== 'number') throw new Refusal('sets an attribute in a way that is not read');
    this.attributes.set(key, {
      ...this.attributes.get(key),
      [field]: Number(convert(given.value, integer(0).type).value),
    });
  }

  private memset([to, value, bytes, stream, more]: Code[], frame: Frame): void {
    if (!to || !value || !bytes || more) throw new Refusal('calls cudaMemsetAsync in a way that is not read');
    const [pointer, byte] = [this.value(to, frame), this.value(value, frame)];
    if (stream) this.ownStream(this.value(stream, frame));
    if (pointer.kind !== 'pointer' || pointer.argument === undefined || byte.kind !== 'number')
      throw new Refusal('calls cudaMemsetAsync in a way that is not read');
    const count = this.size(bytes, frame);
    if (count === 0) return;
    const { argument, offset } = pointer;
    const filled = Number(BigInt.asUintN(8, BigInt(convert(byte.value, integer(0).type).value)));
    this.add({ kind: 'memset', argument, offset: whole(offset), value: filled, bytes: count });
  }

  private launchEx([configuration, kernel, ...args]: Code[], frame: Frame): void {
    const record = configuration && this.value(configuration, frame);
    if (!record || !kernel || record.kind !== 'record')
      throw new Refusal('calls cudaLaunchKernelEx in a way that is not read');
    const { fields } = record;
    const axes = (name: string): Axes => {
      const value = fields.get(name);
      return value ? toAxes(value) : [1, 1, 1];
    };
    const stream = fields.get('stream');
    if (stream) this.ownStream(stream);
    const shared = fields.get('dynamicSmemBytes');
    const cluster = clusterOf(fields);
    const given = {
      grid: axes('gridDim'),
      block: axes('blockDim'),
      shared: shared ? sizeFrom(shared) : 0,
      ...(cluster && { cluster }),
    };
    this.record(this.callee(kernel, frame), given, args, frame);
  }
}

/** The attributes of a launch: the size of its clusters is the only one that is read. */
function clusterOf(fields: ReadonlyMap<string, Value>): Axes | undefined {
  const count = fields.get('numAttrs');
  if (count === undefined || isNull(count)) return undefined;
  const attributes = fields.get('attrs');
  if (count.kind !== 'number' || count.value !== 1n || attributes?.kind !== 'record')
    throw new Refusal('launches with attributes that are not read');
  const first = attributes.fields.get('0') ?? attributes;
  const id = first.kind === 'record' ? first.fields.get('id') : undefined;
  const value = first.kind === 'record' ? first.fields.get('val') : undefined;
  const cluster = value?.kind === 'record' ? value.fields.get('clusterDim') : undefined;
  if (id?.kind !== 'number' || id.value !== 4n || cluster?.kind !== 'record')
    throw new Refusal('launches with attributes that are not read');
  const axis = (name: string): Value => cluster.fields.get(name) ?? integer(0);
  return toAxes({ kind: 'list', values: [axis('x'), axis('y'), axis('z')] });
}

function sizeFrom(value: Value): number {
  const bytes = value.kind === 'number' ? convert(value.value, SIZE).value : undefined;
  if (bytes === undefined || bytes >= 2n ** 40n) throw new Refusal('has a size that is none');
  return Number(bytes);
}

function whole(offset: bigint): number {
  if (offset < 0n || offset > 2n ** 43n) throw new Refusal('moves a pointer out of its buffer');
  return Number(offset);
}

const parts = (code: Code): Code[] =>
  splitArguments(code.tokens, code.partners, code.from, code.to).map((a) => ({ ...code, from: a.from, to: a.to }));

/** The first of the three `>` that end a configuration. */
function findTriple({ tokens, partners, to }: Code, from: number): number | undefined {
  for (let i = from; i < to; i++) {
    const partner = partners.get(i);
    const [a, b, c, d] = [tokens[i], tokens[i + 1], tokens[i + 2], tokens[i + 3]];
    if (partner !== undefined && partner > i) i = partner;
    else if (
      a?.text === '>' &&
      b?.text === '>' &&
      c?.text === '>' &&
      d?.text === '(' &&
      a.end === b.start &&
      b.end === c.start
    )
      return i;
  }
  return undefined;
}

/** Without what only changes the type of a pointer to a kernel around it. */
function bare(code: Code): Code {
  const { tokens, partners, from, to } = code;
  const text = (i: number): string => (i < to ? (tokens[i]?.text ?? '') : '');
  if (text(from) === '&') return bare({ ...code, from: from + 1 });
  const close = partners.get(from);
  if (text(from) === '(' && close !== undefined && close < to) {
    const words = tokens
      .slice(from + 1, close)
      .map((t) => t.text)
      .join(' ');
    if (/^(const )?void( const)? \*$/.test(words)) return bare({ ...code, from: close + 1 });
    if (close === to - 1) return bare({ ...code, from: from + 1, to: close });
  }
  if (text(from) !== 'reinterpret_cast') return code;
  const end = templateEnd(tokens, partners, from + 1, to);
  const last = end === undefined ? undefined : partners.get(end + 1);
  return end !== undefined && last === to - 1 ? bare({ ...code, from: end + 2, to: last }) : code;
}
