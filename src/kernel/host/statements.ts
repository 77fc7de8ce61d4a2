// Follows a host function from statement to statement, for one set of values, as far as it is arithmetic and launches.
import { splitArguments } from '../tokens.js';
import type { HostFunction } from '../types.js';
import type { Budget } from './budget.js';
import { evaluateCode } from './evaluate.js';
import type { Expression } from './expressions.js';
import { Frame, toAxes } from './frame.js';
import { Launching } from './launching.js';
import { Refusal, shown } from './refusal.js';
import type { Code, HostSources } from './sources.js';
import type { Step } from './steps.js';
import { readType, type WrittenType } from './types.js';
import { binary, convert, integer, isTrue, SCALARS, type Value } from './values.js';

/** How a statement ended, where not at its end. */
type Ending = { kind: 'return'; value: Value | undefined } | { kind: 'break' } | { kind: 'continue' } | undefined;

const REFUSED = new Map([
  ['static', 'keeps something from call to call'],
  ['thread_local', 'keeps something from call to call'],
  ['extern', 'declares something'],
  ['using', 'declares something'],
  ['typedef', 'declares something'],
  ['struct', 'declares something'],
  ['switch', 'has a switch'],
  ['goto', 'has a goto'],
  ['try', 'catches exceptions'],
  ['throw', 'throws'],
  ['asm', 'has assembly'],
  ['__asm__', 'has assembly'],
]);

export class Host {
  private readonly launching = new Launching((call, frame) => this.call(call, frame));

  constructor(
    private readonly sources: HostSources,
    private readonly budget: Budget,
  ) {}

  get steps(): Step[] {
    return this.launching.steps;
  }

  value(code: Code, frame: Frame): Value {
    return evaluateCode(code, frame, (call, at) => this.call(call, at));
  }

  launch(code: Code, frame: Frame): void {
    this.launching.launch(code, frame);
  }

  call(call: Extract<Expression, { kind: 'call' }>, frame: Frame): Value {
    const known = this.launching.runtime(call, frame);
    if (known) return known;
    const name = call.path.join('::');
    if (call.path.length === 1 && frame.find(name)) throw new Refusal(`calls ${shown(name)}, a variable`);
    const where = call.at ? ` (${this.sources.line(call.at)})` : '';
    const f = this.sources.hostFunction(call.path);
    if (f === undefined) throw new Refusal(`calls ${shown(name)}${where}`);
    const args = call.args.map((a) => this.value(a, frame));
    const explicit = (call.template ?? []).map((a, i) =>
      this.launching.templateArgument(a, f.templateParameters[i]?.kind, frame),
    );
    return this.budget.nested(() => this.run(f, explicit, args));
  }

  private run(f: HostFunction, explicit: Parameters<Frame['bind']>[1], args: Value[]): Value {
    const frame = new Frame(this.sources, this.budget);
    const evaluateDefault = (text: string, own: Frame): Value => this.value(this.sources.text(text), own);
    const { parameters } = frame.bind(f, explicit, args, evaluateDefault);
    if (args.length > parameters.length) throw new Refusal(`calls ${shown(f.name)} with ${args.length} arguments`);
    parameters.forEach((type, i) => {
      const { name, default: standard } = f.parameters[i] ?? {};
      const given = args[i] ?? (standard === undefined ? undefined : evaluateDefault(standard, frame));
      if (given === undefined) throw new Refusal(`calls ${shown(f.name)} with ${args.length} arguments`);
      // A stream that is no stream of the call's is refused here too.
      const value = frame.coerce(given, type);
      if (name) frame.declare(name, type, value);
    });
    const body = this.sources.body(f);
    const ending = frame.inBlock(() => this.block(body, frame));
    if (ending?.kind !== 'return' || ending.value === undefined) return integer(0);
    const returned = this.sources.text(f.returnType);
    const read = readType(returned.tokens, 0, returned.to, frame.around.isType, frame.around.builtin);
    // Specifiers stand before the type in what the reader gives.
    return read?.next === returned.to && read.type.base !== 'void'
      ? frame.coerce(ending.value, read.type)
      : ending.value;
  }

  private block({ from, to, ...code }: Code, frame: Frame): Ending {
    for (let at = from; at < to;) {
      const next = statementEnd({ ...code, from: at, to });
      const ending = this.statement({ ...code, from: at, to: next }, frame);
      if (ending) return ending;
      at = next;
    }
    return undefined;
  }

  private statement(code: Code, frame: Frame): Ending {
    this.budget.step();
    const { tokens, from, to } = code;
    const text = (i: number): string => (i < to ? (tokens[i]?.text ?? '') : '');
    const first = text(from);
    if (first === ';') return undefined;
    const why = REFUSED.get(first);
    if (why !== undefined) throw new Refusal(`${why} (${this.sources.line(tokens[from])})`);
    if (first === '{') return frame.inBlock(() => this.block({ ...code, from: from + 1, to: to - 1 }, frame));
    if (first === 'if') return this.branch(code, frame);
    if (first === 'for' || first === 'while' || first === 'do')
      return frame.inBlock(() => this.loop(first, code, frame));
    const end = { ...code, to: to - 1 };
    if (text(to - 1) !== ';')
      throw new Refusal(`has a statement that is not read (${this.sources.line(tokens[from])})`);
    if (first === 'return') {
      const value = from + 1 < to - 1 ? this.value({ ...end, from: from + 1 }, frame) : undefined;
      return { kind: 'return', value };
    }
    if ((first === 'break' || first === 'continue') && from + 2 === to) return { kind: first };
    this.simple(end, frame);
    return undefined;
  }

  private condition(code: Code, frame: Frame): boolean {
    const value = this.value(code, frame);
    if (value.kind === 'pointer') return value.argument !== undefined;
    if (value.kind !== 'number') throw new Refusal(`depends on a ${value.kind}`);
    return isTrue(value);
  }

  private branch({ from, to, ...code }: Code, frame: Frame): Ending {
    const open = code.tokens[from + 1]?.text === 'constexpr' ? from + 2 : from + 1;
    const close = code.partners.get(open) ?? to;
    const then = close + 1;
    const otherwise = statementEnd({ ...code, from: then, to });
    const hasElse = otherwise < to && code.tokens[otherwise]?.text === 'else';
    const isTaken = this.condition({ ...code, from: open + 1, to: close }, frame);
    if (isTaken) return frame.inBlock(() => this.statement({ ...code, from: then, to: otherwise }, frame));
    return hasElse ? frame.inBlock(() => this.statement({ ...code, from: otherwise + 1, to }, frame)) : undefined;
  }

  private loop(kind: string, { from, to, ...code }: Code, frame: Frame): Ending {
    const part = (a: number, b: number): Code => ({ ...code, from: a, to: b });
    let [condition, step, body]: (Code | undefined)[] = [];
    let isFirst = kind === 'do';
    if (kind === 'do') {
      const end = statementEnd(part(from + 1, to));
      const close = code.partners.get(end + 1) ?? to;
      if (code.tokens[end]?.text !== 'while') throw new Refusal('has a loop that is not read');
      [condition, body] = [part(end + 2, close), part(from + 1, end)];
    } else {
      const close = code.partners.get(from + 1) ?? to;
      body = part(close + 1, to);
      if (kind === 'while') condition = part(from + 2, close);
      else {
        const ends = semicolons(part(from + 2, close));
        const [a = 0, b = 0] = ends;
        if (ends.length !== 2) throw new Refusal('has a loop that is not read');
        if (a > from + 2) this.simple(part(from + 2, a), frame);
        condition = b > a + 1 ? part(a + 1, b) : undefined;
        step = close > b + 1 ? part(b + 1, close) : undefined;
      }
    }
    while (isFirst || condition === undefined || this.condition(condition, frame)) {
      isFirst = false;
      this.budget.step();
      const ending = frame.inBlock(() => this.statement(body, frame));
      if (ending?.kind === 'return') return ending;
      if (ending?.kind === 'break') break;
      for (const s of step ? commas(step) : []) this.simple(s, frame);
    }
    return undefined;
  }

  /** A declaration, an assignment, a launch or a call, without its `;`. */
  private simple(code: Code, frame: Frame): void {
    const { tokens, from, to } = code;
    const texts = tokens.slice(from, to).map((t) => t.text);
    if (texts.includes('<<<')) return this.launch(code, frame);
    if (this.declaration(code, frame)) return;
    const [first, ...others] = commas(code);
    if (first && others.length > 0) return [first, ...others].forEach((part) => this.simple(part, frame));
    if (this.assignment(code, frame)) return;
    this.value(code, frame);
  }

  private declaration(code: Code, frame: Frame): boolean {
    const { tokens, partners, from, to } = code;
    if (frame.find(tokens[from]?.text ?? '')) return false;
    const read = readType(tokens, from, to, frame.around.isType, frame.around.builtin);
    if (!read || tokens[read.next]?.kind !== 'name' || read.next >= to) return false;
    for (const [i, { from: start, to: end }] of splitArguments(tokens, partners, read.next, to).entries()) {
      let at = start;
      let { type } = read;
      // `int *a, *b`: the star belongs to the name.
      if (i > 0) type = { ...type, pointers: 0 };
      for (; tokens[at]?.text === '*'; at++) type = { ...type, pointers: type.pointers + 1 };
      const name = tokens[at];
      if (name?.kind !== 'name') throw new Refusal(`declares something that is not read (${this.sources.line(name)})`);
      const value = this.initial({ ...code, from: at + 1, to: end }, type, frame);
      frame.declare(name.text, settled(type, value), value);
    }
    return true;
  }

  /** What stands behind the name of a variable. */
  private initial(code: Code, type: WrittenType, frame: Frame): Value | undefined {
    const { tokens, partners, from, to } = code;
    const opener = from < to ? tokens[from]?.text : undefined;
    if (type.base === 'cudaLaunchConfig_t' || type.base === 'cudaLaunchAttribute') {
      const rest = tokens
        .slice(from, to)
        .map((t) => t.text)
        .join('');
      if (!/^(\[1\])?(=?\{0?\})?$/.test(rest) || type.pointers > 0)
        throw new Refusal('fills a launch configuration in a way that is not read');
      return { kind: 'record', fields: new Map() };
    }
    if (opener === undefined) return type.base === 'dim3' ? { kind: 'dim3', axes: [1, 1, 1] } : undefined;
    const close = partners.get(from);
    if (opener === '=') return frame.coerce(this.value({ ...code, from: from + 1 }, frame), type);
    if ((opener !== '(' && opener !== '{') || close !== to - 1)
      throw new Refusal(`declares something that is not read (${this.sources.line(tokens[from])})`);
    const values = splitArguments(tokens, partners, from + 1, close).map((a) => this.value({ ...code, ...a }, frame));
    const [only] = values;
    return frame.coerce(values.length === 1 && only ? only : { kind: 'list', values }, type);
  }

  private assignment(code: Code, frame: Frame): boolean {
    const { tokens, from, to } = code;
    const text = (i: number): string => (i >= from && i < to ? (tokens[i]?.text ?? '') : '');
    const step = /^(\+\+|--)$/;
    if (step.test(text(from)) || step.test(text(to - 1))) {
      const isPrefix = step.test(text(from));
      const target = { ...code, from: isPrefix ? from + 1 : from, to: isPrefix ? to : to - 1 };
      this.assign(target, (isPrefix ? text(from) : text(to - 1))[0] ?? '+', integer(1), frame);
      return true;
    }
    for (let i = from; i < to; i++) {
      const partner = code.partners.get(i);
      if (partner !== undefined && partner > i) i = partner;
      else if (/^([-+*/%&|^]|<<)?=$/.test(text(i)) || (text(i) === '>' && text(i + 1) === '>=')) {
        const isShift = text(i) === '>';
        const value = this.value({ ...code, from: isShift ? i + 2 : i + 1 }, frame);
        this.assign({ ...code, to: i }, isShift ? '>>' : text(i).slice(0, -1), value, frame);
        return true;
      }
    }
    return false;
  }

  /** @param operator empty for a plain assignment */
  private assign(target: Code, operator: string, given: Value, frame: Frame): void {
    const { tokens, from, to } = target;
    const [name, ...path] = tokens.slice(from, to).map((t) => t.text);
    const variable = name === undefined ? undefined : frame.find(name);
    const where = this.sources.line(tokens[from]);
    if (!variable || (variable.type.isConst && variable.type.pointers === 0))
      throw new Refusal(
        `writes to ${shown(
          tokens
            .slice(from, to)
            .map((t) => t.text)
            .join(''),
        )} (${where})`,
      );
    if (path.length === 0) {
      const value = operator === '' ? given : this.combined(operator, variable.value, given, frame, where);
      if (value.kind === 'record') throw new Refusal(`copies a launch configuration (${where})`);
      variable.value = frame.coerce(value, variable.type);
      return;
    }
    const keys = path.filter((t) => !/^[.[\]]$/.test(t));
    const { value } = variable;
    if (value?.kind === 'dim3' && keys.length === 1 && /^[xyz]$/.test(keys[0] ?? '')) {
      const axis = 'xyz'.indexOf(keys[0] ?? '');
      const old = integer(value.axes[axis] ?? 1, SCALARS.get('unsigned int'));
      const next = operator === '' ? given : this.combined(operator, old, given, frame, where);
      const axes: [number, number, number] = [...value.axes];
      axes[axis] = toAxes(next)[0];
      variable.value = { kind: 'dim3', axes };
      return;
    }
    if (value?.kind !== 'record' || operator !== '')
      throw new Refusal(`writes through a pointer or into an array (${where})`);
    setField(value, keys, given);
  }

  private combined(operator: string, old: Value | undefined, given: Value, frame: Frame, where: string): Value {
    if (old?.kind === 'number' && given.kind === 'number') return binary(operator, old, given);
    if (old?.kind === 'pointer' && given.kind === 'number' && (operator === '+' || operator === '-')) {
      const inner = new Frame(frame.sources, this.budget);
      inner.declare('p', { base: old.to, pointers: 1, isReference: false, isConst: false }, old);
      inner.declare(
        'n',
        { base: 'long', pointers: 0, isReference: false, isConst: false },
        convert(given.value, SCALARS.get('long') ?? given.type),
      );
      return this.value(this.sources.text(`p ${operator} n`), inner);
    }
    throw new Refusal(`changes something that is no number (${where})`);
  }
}

/** What `auto` stands for. */
function settled(type: WrittenType, value: Value | undefined): WrittenType {
  if (type.base !== 'auto' || type.pointers > 0 || value === undefined) return type;
  if (value.kind === 'number') return { ...type, base: value.type.name };
  if (value.kind === 'pointer') return { ...type, base: value.to, pointers: 1 };
  if (value.kind === 'dim3') return { ...type, base: 'dim3' };
  if (value.kind === 'stream') return { ...type, base: 'cudaStream_t' };
  throw new Refusal('has a variable of a type that is not read');
}

/** Sets `a.b.c`; what is on the way is made. */
function setField(record: Extract<Value, { kind: 'record' }>, keys: readonly string[], value: Value): void {
  const [key = '', ...rest] = keys;
  if (rest.length === 0) {
    record.fields.set(key, value);
    return;
  }
  const inner = record.fields.get(key);
  const next: Value = inner?.kind === 'record' ? inner : { kind: 'record', fields: new Map() };
  record.fields.set(key, next);
  if (next.kind === 'record') setField(next, rest, value);
}

function semicolons({ tokens, partners, from, to }: Code): number[] {
  const found: number[] = [];
  for (let i = from; i < to; i++) {
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) i = partner;
    else if (tokens[i]?.text === ';') found.push(i);
  }
  return found;
}

const commas = (code: Code): Code[] =>
  splitArguments(code.tokens, code.partners, code.from, code.to).map((a) => ({ ...code, ...a }));

/** One past the statement at the start of `code`; an `else` belongs to the nearest `if`. */
function statementEnd(code: Code): number {
  const { tokens, partners, from, to } = code;
  const text = (i: number): string => (i < to ? (tokens[i]?.text ?? '') : '');
  const behind = (at: number): number => (partners.get(at) ?? to) + 1;
  if (from >= to) return to;
  if (text(from) === '{') return Math.min(behind(from), to);
  if (/^(if|for|while|switch)$/.test(text(from))) {
    const open = text(from + 1) === 'constexpr' ? from + 2 : from + 1;
    if (text(open) !== '(') throw new Refusal('has a statement that is not read');
    const end = statementEnd({ ...code, from: behind(open) });
    return text(from) === 'if' && text(end) === 'else' ? statementEnd({ ...code, from: end + 1 }) : end;
  }
  if (text(from) === 'do') {
    const end = statementEnd({ ...code, from: from + 1 });
    return Math.min(behind(end + 1) + 1, to);
  }
  return Math.min((semicolons(code)[0] ?? to) + 1, to);
}
