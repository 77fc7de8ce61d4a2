// The value of an expression in host code.
import { parseExpression, type Expression } from './expressions.js';
import { Frame, isNull } from './frame.js';
import { Refusal, shown } from './refusal.js';
import type { Code } from './sources.js';
import { readType, sizeOf } from './types.js';
import {
  binary,
  BOOL,
  common,
  convert,
  DOUBLE,
  integer,
  isTrue,
  SCALARS,
  SIZE,
  truth,
  unary,
  type Numeric,
  type Pointer,
  type Value,
} from './values.js';

/** Calls a function that is none of those known here. */
export type Calls = (call: Extract<Expression, { kind: 'call' }>, frame: Frame) => Value;

/** Names of the runtime that have a value. */
const NAMED: Readonly<Record<string, number>> = {
  cudaSuccess: 0,
  NULL: 0,
  cudaLaunchAttributeClusterDimension: 4,
  cudaSharedmemCarveoutDefault: -1,
  cudaSharedmemCarveoutMaxL1: 0,
  cudaSharedmemCarveoutMaxShared: 100,
  INT_MAX: 2 ** 31 - 1,
};

const ROUNDED: Readonly<Record<string, (x: number) => number>> = {
  ceil: Math.ceil,
  floor: Math.floor,
  trunc: Math.trunc,
  fabs: Math.abs,
  // Correctly rounded by IEEE 754, through a double too.
  sqrt: Math.sqrt,
};

/** @throws Refusal */
export function evaluateCode(code: Code, frame: Frame, calls: Calls): Value {
  frame.budget.step();
  return new Evaluator(frame, calls).value(parseExpression(code, frame.around));
}

class Evaluator {
  constructor(
    private readonly frame: Frame,
    private readonly calls: Calls,
  ) {}

  private number(e: Expression): Numeric {
    const value = this.value(e);
    if (value.kind === 'number') return value;
    throw new Refusal(`computes with a ${value.kind}`);
  }

  private isTrue(e: Expression): boolean {
    const value = this.value(e);
    if (value.kind === 'pointer') return !isNull(value);
    if (value.kind === 'number') return isTrue(value);
    throw new Refusal(`depends on a ${value.kind}`);
  }

  value(e: Expression): Value {
    switch (e.kind) {
      case 'number':
        return e.value;
      case 'name':
        return this.name(e.path);
      case 'call':
        return this.call(e);
      case 'cast':
        return this.frame.cast(this.value(e.operand), e.type);
      case 'construct':
        return this.frame.coerce(this.constructed(e.args), e.type);
      case 'list':
        return { kind: 'list', values: e.items.map((i) => this.value(i)) };
      case 'sizeof':
        return integer(sizeOf({ ...e.type, base: this.frame.resolve(e.type.base) }), SIZE);
      case 'unary':
        return this.unary(e);
      case 'binary':
        return this.binary(e);
      case 'choice':
        return this.choice(e);
      case 'member':
        return this.member(this.value(e.of), e.name);
      case 'element':
        return this.element(this.value(e.of), this.number(e.index));
    }
  }

  /** `dim3(a, b)`, `int(a)`. */
  private constructed(args: readonly Expression[]): Value {
    const [only, ...others] = args;
    if (only && others.length === 0) return this.value(only);
    return { kind: 'list', values: args.map((a) => this.value(a)) };
  }

  private name(path: readonly string[]): Value {
    const [first = ''] = path;
    const name = path.join('::');
    const variable = path.length === 1 ? this.frame.find(first) : undefined;
    if (variable) {
      if (variable.value === undefined) throw new Refusal(`uses ${shown(name)} before it has a value`);
      return variable.value;
    }
    if (name === 'nullptr') return { kind: 'pointer', argument: undefined, offset: 0n, to: 'void' };
    const known = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
    if (known !== undefined) {
      this.frame.sources.builtin(name);
      return integer(known);
    }
    const constant = this.frame.sources.constant(path);
    if (constant === undefined) throw new Refusal(`uses ${shown(name)}, which is not known here`);
    return this.frame.budget.nested(() => this.constant(constant));
  }

  /** Of a constant outside of functions: it sees nothing of the function that uses it. */
  private constant({ type, value }: { type: Code; value: Code }): Value {
    const frame = new Frame(this.frame.sources, this.frame.budget);
    const tokens = type.tokens.filter((t) => !/^(static|inline|__device__|__host__)$/.test(t.text));
    const read = readType(tokens, 0, tokens.length, () => false, frame.around.builtin);
    if (read?.next !== tokens.length) throw new Refusal('uses a constant whose type is not read');
    return frame.coerce(evaluateCode(value, frame, this.calls), read.type);
  }

  private unary({ operator, operand }: Extract<Expression, { kind: 'unary' }>): Value {
    if (operator === '!') return truth(!this.isTrue(operand));
    if (operator !== '&') return unary(operator, this.number(operand));
    if (operand.kind === 'element') {
      const [of, index] = [this.value(operand.of), this.number(operand.index)];
      if (of.kind === 'pointer') return moved(of, index, 1n);
    }
    const value = this.value(operand);
    if (value.kind !== 'record') throw new Refusal('takes an address');
    return value;
  }

  private binary({ operator, left, right }: Extract<Expression, { kind: 'binary' }>): Value {
    if (operator === '&&' || operator === '||') {
      const first = this.isTrue(left);
      return truth(first === (operator === '||') ? first : this.isTrue(right));
    }
    const [a, b] = [this.value(left), this.value(right)];
    if (a.kind === 'pointer' || b.kind === 'pointer') return this.pointers(operator, a, b);
    if (a.kind !== 'number' || b.kind !== 'number') throw new Refusal(`computes with a ${a.kind} and a ${b.kind}`);
    return binary(operator, a, b);
  }

  private pointers(operator: string, a: Value, b: Value): Value {
    if ((operator === '==' || operator === '!=') && (isNull(a) || isNull(b)))
      return truth((isNull(a) && isNull(b)) === (operator === '=='));
    if (operator === '+' && a.kind === 'number' && b.kind === 'pointer') return moved(b, a, 1n);
    if (a.kind === 'pointer' && b.kind === 'number' && operator === '+') return moved(a, b, 1n);
    if (a.kind === 'pointer' && b.kind === 'number' && operator === '-') return moved(a, b, -1n);
    throw new Refusal(`depends on an address (${operator})`);
  }

  private choice({ condition, then, otherwise }: Extract<Expression, { kind: 'choice' }>): Value {
    const isFirst = this.isTrue(condition);
    const taken = this.value(isFirst ? then : otherwise);
    if (taken.kind !== 'number') return taken;
    // The other side is looked at for its type alone: what it would do is not done.
    const other = this.frame.budget.withoutEffects(() => this.typeOf(isFirst ? otherwise : then));
    if (other === undefined || other.name === taken.type.name) return taken;
    return convert(taken.value, common(taken, { kind: 'number', type: other, value: 0 }).type);
  }

  /** @throws Refusal where the type is known by computing the value only, and that cannot be done */
  private typeOf(e: Expression): Numeric['type'] | undefined {
    if (e.kind === 'binary' && /^(<|>|<=|>=|==|!=|&&|\|\|)$/.test(e.operator)) return BOOL;
    if (e.kind === 'binary' && !/^(<<|>>)$/.test(e.operator)) {
      const [a, b] = [this.typeOf(e.left), this.typeOf(e.right)];
      const zero = (type: Numeric['type']): Numeric => ({ kind: 'number', type, value: 0 });
      return a && b ? common(zero(a), zero(b)).type : undefined;
    }
    const value = this.value(e);
    return value.kind === 'number' ? value.type : undefined;
  }

  private member(of: Value, name: string): Value {
    if (of.kind === 'dim3' && /^[xyz]$/.test(name))
      return integer(of.axes['xyz'.indexOf(name)] ?? 1, SCALARS.get('unsigned int'));
    const field = of.kind === 'record' ? of.fields.get(name) : undefined;
    if (field === undefined) throw new Refusal(`uses the field ${shown(name)}, which is not known here`);
    return field;
  }

  private element(of: Value, index: Numeric): Value {
    const field = of.kind === 'record' ? of.fields.get(String(index.value)) : undefined;
    if (field === undefined) throw new Refusal('reads an array');
    return field;
  }

  private call(e: Extract<Expression, { kind: 'call' }>): Value {
    const path = e.path[0] === 'std' ? e.path.slice(1) : e.path;
    const [name = ''] = path;
    if (path.length > 1 || this.frame.find(name)) return this.calls(e, this.frame);
    const args = (): Numeric[] => e.args.map((a) => this.number(parseExpression(a, this.frame.around)));
    const rounded = /^(ceil|floor|trunc|fabs|sqrt)(f?)$/.exec(name);
    if (rounded || /^(min|max|abs)$/.test(name)) {
      this.frame.sources.builtin(name);
      if (e.template) throw new Refusal(`calls ${name} with template arguments`);
      const [a, b, ...more] = args();
      if (a && b && more.length === 0 && /^(min|max)$/.test(name)) return least(name, a, b);
      if (a && !b && rounded) return round(rounded[1] ?? '', a, rounded[2] === 'f');
      if (a && !b && name === 'abs' && isTrue(binary('<', a, integer(0)))) return unary('-', a);
      if (a && !b && name === 'abs') return unary('+', a);
      throw new Refusal(`calls ${name} in a way that is not read`);
    }
    return this.calls(e, this.frame);
  }
}

function least(name: string, a: Numeric, b: Numeric): Numeric {
  const { left, right } = common(a, b);
  if (left.type.kind !== 'int') throw new Refusal(`calls ${name} on reals`);
  return isTrue(binary(name === 'min' ? '<=' : '>=', left, right)) ? left : right;
}

function round(name: string, a: Numeric, isFloat: boolean): Numeric {
  const float = SCALARS.get('float') ?? DOUBLE;
  const type = isFloat ? float : a.type.kind === 'real' ? a.type : DOUBLE;
  const { value } = convert(a.value, type);
  return convert(ROUNDED[name]?.(Number(value)) ?? NaN, type);
}

function moved(pointer: Pointer, { value }: Numeric, sign: bigint): Pointer {
  if (typeof value !== 'bigint' || pointer.argument === undefined)
    throw new Refusal('moves a pointer in a way that is not read');
  const size = BigInt(sizeOf({ base: pointer.to.replace(/\*+$/, ''), pointers: pointer.to.endsWith('*') ? 1 : 0 }));
  return { ...pointer, offset: pointer.offset + sign * value * size };
}
