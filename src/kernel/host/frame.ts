// What names mean while one function is read: its variables by block, and what its template parameters stand for.
import { tokenize } from '../tokens.js';
import type { Parameter, TemplateParameter } from '../types.js';
import type { Budget } from './budget.js';
import type { Surroundings } from './expressions.js';
import { Refusal, shown } from './refusal.js';
import type { HostSources } from './sources.js';
import { readType, type WrittenType } from './types.js';
import { convert, integer, SCALARS, type Value } from './values.js';

export interface Variable {
  type: WrittenType;
  /** Undefined until it is given one. */
  value: Value | undefined;
}

/** The axes of a grid or block, from what C++ makes a dim3 of. @throws Refusal */
export function toAxes(value: Value): [number, number, number] {
  if (value.kind === 'dim3') return [...value.axes];
  const given = value.kind === 'list' ? value.values : [value];
  if (given.length > 3) throw new Refusal('has a dim3 of more than three axes');
  const axis = (i: number): number => {
    const of = given[i];
    if (of === undefined) return 1;
    if (of.kind !== 'number') throw new Refusal('has a dim3 of something that is no number');
    return Number(convert(of.value, SCALARS.get('unsigned int') ?? of.type).value);
  };
  return [axis(0), axis(1), axis(2)];
}

export const isNull = (value: Value): boolean =>
  (value.kind === 'pointer' && value.argument === undefined) ||
  (value.kind === 'number' && value.type.kind === 'int' && value.value === 0n);

export class Frame {
  private readonly blocks: Map<string, Variable>[] = [new Map()];
  readonly types = new Map<string, string>();
  readonly around: Surroundings;

  constructor(
    readonly sources: HostSources,
    readonly budget: Budget,
  ) {
    this.around = {
      isType: (name) => this.types.has(name),
      isVariable: (name) => this.find(name) !== undefined,
      builtin: (name) => sources.builtin(name),
    };
  }

  find(name: string): Variable | undefined {
    for (let i = this.blocks.length - 1; i >= 0; i--) {
      const found = this.blocks[i]?.get(name);
      if (found) return found;
    }
    return undefined;
  }

  declare(name: string, type: WrittenType, value: Value | undefined): void {
    const block = this.blocks.at(-1);
    if (block?.has(name) || this.types.has(name)) throw new Refusal(`declares ${shown(name)} twice`);
    block?.set(name, { type, value });
  }

  inBlock<T>(work: () => T): T {
    this.blocks.push(new Map());
    try {
      return work();
    } finally {
      this.blocks.pop();
    }
  }

  /** The type that a name stands for here. */
  resolve(base: string): string {
    return this.types.get(base) ?? base;
  }

  /** A value as a variable of that type holds it, by C++'s implicit conversions. @throws Refusal */
  coerce(value: Value, type: WrittenType): Value {
    if (type.isReference && !type.isConst) throw new Refusal('passes a reference that may be written to');
    const base = this.resolve(type.base);
    if (base === 'auto' && type.pointers === 0) {
      if (value.kind === 'list') throw new Refusal('has a list of unknown type');
      return value;
    }
    if (type.pointers > 0) {
      const to = base + '*'.repeat(type.pointers - 1);
      if (isNull(value)) return { kind: 'pointer', argument: undefined, offset: 0n, to };
      if (value.kind !== 'pointer') throw new Refusal('makes a pointer of something else');
      return { ...value, to: base === 'auto' ? value.to : to };
    }
    if (base === 'dim3') return { kind: 'dim3', axes: toAxes(value) };
    if (base === 'cudaStream_t') {
      if (value.kind === 'stream' || isNull(value)) return { kind: 'stream' };
      throw new Refusal('uses a stream of its own');
    }
    if (value.kind === 'list') {
      const [only, more] = value.values;
      if (more === undefined) return this.coerce(only ?? integer(0), type);
    }
    const scalar = base === 'cudaError_t' ? SCALARS.get('int') : SCALARS.get(base);
    if (scalar === undefined || value.kind !== 'number')
      throw new Refusal(`makes a ${shown(base)} of something that is not read`);
    return convert(value.value, scalar);
  }

  /** Explicit conversions: those above, and between pointers. */
  cast(value: Value, type: WrittenType): Value {
    if (type.base === 'void' && type.pointers === 0) return value;
    return this.coerce(value, type);
  }

  /**
   * Gives template parameters and parameters their values for one call of a host function or kernel.
   * @param explicit what stands between the angle brackets
   * @returns the template arguments in front as C++ prints them, as far as they are explicit, and the types of the parameters
   */
  bind(
    callee: { name: string; templateParameters: readonly TemplateParameter[]; parameters: readonly Parameter[] },
    explicit: readonly ({ type: string } | { value: Value })[],
    args: readonly Value[],
    evaluateDefault: (text: string, frame: Frame) => Value,
  ): { template: string[]; parameters: WrittenType[] } {
    const { templateParameters, name } = callee;
    if (
      explicit.length > templateParameters.length ||
      templateParameters.some((t) => t.kind === 'template' || t.text.includes('...'))
    )
      throw new Refusal(`has template arguments of ${shown(name)} that are not read`);
    const open = new Set(templateParameters.filter((t) => t.kind === 'type').map((t) => t.name));
    const template = explicit.map((given, i) => this.bindTemplate(templateParameters[i], given));
    for (const t of templateParameters.slice(0, explicit.length)) open.delete(t.name);
    const written = callee.parameters.map(({ type }) => {
      const tokens = tokenize(type);
      const read = readType(
        tokens,
        0,
        tokens.length,
        (n) => this.types.has(n) || open.has(n),
        (n) => this.sources.builtin(n),
      );
      if (read?.next !== tokens.length) throw new Refusal(`passes a ${shown(type)} to ${shown(name)}`);
      return read.type;
    });
    written.forEach((type, i) => {
      const given = args[i];
      if (open.has(type.base) && given) this.deduce(type, given, callee);
    });
    for (const t of templateParameters.slice(explicit.length)) {
      if (t.name === '' || this.types.has(t.name) || this.find(t.name)) continue;
      if (t.default === undefined || t.kind !== 'value') continue; // What needs it finds nothing, and says so.
      this.bindTemplate(t, { value: evaluateDefault(t.default, this) });
    }
    return { template, parameters: written };
  }

  private bindTemplate(parameter: TemplateParameter | undefined, given: { type: string } | { value: Value }): string {
    if (parameter === undefined) throw new Refusal('has more template arguments than parameters');
    if ('type' in given) {
      if (parameter.kind !== 'type') throw new Refusal('has a type where a template takes a value');
      if (parameter.name !== '') this.types.set(parameter.name, given.type);
      return given.type;
    }
    if (parameter.kind !== 'value') throw new Refusal('has a value where a template takes a type');
    const tokens = tokenize(parameter.type ?? '');
    const read = readType(
      tokens,
      0,
      tokens.length,
      (n) => this.types.has(n),
      (n) => this.sources.builtin(n),
    );
    if (read?.next !== tokens.length)
      throw new Refusal(`has a template parameter of type ${shown(parameter.type ?? '')}`);
    const value = this.coerce(given.value, read.type);
    if (value.kind !== 'number' || value.type.kind !== 'int')
      throw new Refusal('has a template argument that is no integer');
    if (parameter.name !== '') this.declare(parameter.name, { ...read.type, isConst: true }, value);
    return value.type.name === 'bool' ? String(value.value === 1n) : String(value.value);
  }

  private deduce(type: WrittenType, given: Value, { name }: { name: string }): void {
    const found =
      given.kind === 'pointer' && type.pointers === 1
        ? given.to
        : given.kind === 'number' && type.pointers === 0
          ? given.type.name
          : undefined;
    const known = this.types.get(type.base);
    if (found === undefined || found.includes('*') || (known !== undefined && known !== found))
      throw new Refusal(`has template arguments of ${shown(name)} that do not follow`);
    this.types.set(type.base, found);
  }
}
