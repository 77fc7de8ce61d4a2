// Numbers for the names of host and kernel code, given numbers for the sizes: what index and launch expressions come to.
import type { Access } from '../../kernel/accesses.js';
import { bound, type Interval, type Surroundings } from '../../kernel/bound.js';
import type { Body } from '../../kernel/body.js';
import type { Code } from '../../kernel/code.js';
import type { Condition } from '../../kernel/conditions.js';
import { expandMacro } from '../../kernel/preprocess.js';
import { parseTerm, spell, type Term } from '../../kernel/term.js';
import { matchBrackets, splitArguments, tokenize } from '../../kernel/tokens.js';
import type { Kernel, KernelFile, Launch } from '../../kernel/types.js';
import { resolveDtype, sizeOf } from '../dtype.js';

const MAX_DEPTH = 24;

/** A text as one term. */
export function termOf(text: string): Term | undefined {
  const tokens = tokenize(text);
  return parseTerm(tokens, matchBrackets(tokens), 0, tokens.length);
}

/** The axes of a launch expression: `dim3(a, b)`, `{a, b}`, a dim3 variable, or one number. */
export function axisTerms(text: string, body: Body): (Term | undefined)[] {
  const tokens = tokenize(text);
  const partners = matchBrackets(tokens);
  const [first] = tokens;
  const open = first?.text === 'dim3' ? 1 : 0;
  const isList = tokens[open]?.text === '{' || (open === 1 && tokens[open]?.text === '(');
  if (isList && partners.get(open) === tokens.length - 1) {
    return splitArguments(tokens, partners, open + 1, tokens.length - 1).map((a) =>
      parseTerm(tokens, partners, a.from, a.to),
    );
  }
  const definition = tokens.length === 1 && first ? body.definitions.get(first.text)?.at(-1) : undefined;
  if (definition && definition.terms.length > 1) return definition.terms;
  return [parseTerm(tokens, partners, 0, tokens.length)];
}

/** Names of host code: given sizes first, then local definitions, constants and macros. */
export class HostScope {
  private depth = 0;

  constructor(
    readonly code: Code,
    readonly file: KernelFile,
    readonly body: Body,
    private readonly given: ReadonlyMap<string, Interval>,
  ) {}

  readonly surroundings: Surroundings = {
    interval: (name) => this.interval(name),
    sizeOf: (type) => sizeOfType(type),
    macro: (name, operands) => expandCall(this.code, name, operands),
  };

  bound(term: Term | undefined): Interval | undefined {
    if (term === undefined || this.depth > MAX_DEPTH) return undefined;
    this.depth++;
    const found = bound(term, this.surroundings);
    this.depth--;
    return found;
  }

  axes(text: string): (Interval | undefined)[] {
    return axisTerms(text, this.body).map((t) => this.bound(t));
  }

  private interval(name: string): Interval | undefined {
    const given = this.given.get(name);
    if (given) return given;
    const member = /^(\w+)\.([xyz])$/.exec(name);
    if (member) {
      const terms = this.body.definitions.get(member[1] ?? '')?.at(-1)?.terms;
      const axis = 'xyz'.indexOf(member[2] ?? 'x');
      return terms && axis >= terms.length ? { low: 1, high: 1 } : this.bound(terms?.[axis]);
    }
    const local = this.body.definitions.get(name)?.at(-1);
    if (local?.terms.length === 1) return this.bound(local.terms[0]);
    return this.bound(fixedTerm(this.code, this.file, name));
  }
}

/** A constant or object-like macro of the file. */
function fixedTerm(code: Code, file: KernelFile, name: string): Term | undefined {
  const constant = file.constants.find((c) => c.name === name);
  if (constant) return { kind: 'number', value: constant.value };
  const macro = code.macros.find((m) => m.name === name && m.parameters === undefined);
  if (macro) return termOf(expandMacro(macro, []));
  return derivedConstant(code, name);
}

/** `constexpr int tile = block * ITEMS;` outside functions. */
function derivedConstant(code: Code, name: string): Term | undefined {
  const at = code.tokens.findIndex((t, i) => t.text === name && code.tokens[i + 1]?.text === '=');
  const words = code.tokens.slice(Math.max(0, at - 5), Math.max(0, at)).map((t) => t.text);
  if (at === -1 || !words.slice(words.lastIndexOf(';') + 1).some((w) => w === 'constexpr' || w === 'const'))
    return undefined;
  const end = code.tokens.findIndex((t, i) => i > at && t.text === ';');
  return parseTerm(code.tokens, code.partners, at + 2, end);
}

function expandCall(code: Code, name: string, operands: readonly Term[]): Term | undefined {
  const macro = code.macros.find((m) => m.name === name && m.parameters !== undefined);
  return macro && termOf(expandMacro(macro, operands.map(spell)));
}

function sizeOfType(type: string): number | undefined {
  const dtype = resolveDtype(type);
  if (dtype) return sizeOf(dtype);
  const vector = /^(float|int|uint|double)([234])$/.exec(type);
  const element = vector ? resolveDtype(vector[1] ?? '') : undefined;
  // A template parameter: float stands for it in a proposal.
  return element ? sizeOf(element) * Number(vector?.[2]) : /^[A-Z]\w{0,2}$/.test(type) ? 4 : undefined;
}

/** Names of a kernel in one of its launches. */
export class KernelScope {
  private depth = 0;
  private readonly dims = new Map<string, Interval>();
  /** Index buffers whose values some index depends on. */
  readonly elements = new Set<string>();

  /** @param values how large the values of index buffers are, by parameter name; exclusive */
  constructor(
    private readonly host: HostScope,
    private readonly launch: Launch,
    private readonly kernel: Kernel,
    private readonly body: Body,
    private readonly values: ReadonlyMap<string, number>,
  ) {
    const extents = { grid: host.axes(launch.grid.text), block: host.axes(launch.block.text) };
    ['x', 'y', 'z'].forEach((axis, i) => {
      const set = (words: string[], list: (Interval | undefined)[]) => {
        const extent = i < list.length ? list[i] : { low: 1, high: 1 };
        if (!extent) return;
        this.dims.set(`${words[0]}.${axis}`, { low: 0, high: Math.max(0, extent.high - 1) });
        this.dims.set(`${words[1]}.${axis}`, extent);
      };
      set(['blockIdx', 'gridDim'], extents.grid);
      set(['threadIdx', 'blockDim'], extents.block);
    });
  }

  /** Elements a pointer must have for one access; undefined or infinite where that does not follow. */
  extent(access: Access): number | undefined {
    if (!access.index) return undefined;
    const found = this.bound(access.index, access.at);
    return found && found.high + 1;
  }

  /** Fixed numbers by which parts of an index are multiplied, in what its names stand for too. */
  factors(access: Access): number[] {
    const seen = new Set<string>();
    const visit = (term: Term | undefined): number[] => {
      if (term?.kind === 'name' && !seen.has(term.name)) {
        seen.add(term.name);
        return (this.body.definitions.get(term.name) ?? []).flatMap((d) => visit(d.terms[0]));
      }
      if (term?.kind !== 'binary') return [];
      const own = term.operator === '*' ? [this.bound(term.left, access.at), this.bound(term.right, access.at)] : [];
      const fixed = own.flatMap((i) => (i && i.low === i.high ? [i.high] : []));
      return [...fixed, ...visit(term.left), ...visit(term.right)];
    };
    return visit(access.index);
  }

  /** Elements of an array that the kernel declares. */
  arrayExtent(name: string): number | undefined {
    return this.bound(this.body.arrays.get(name), -1)?.high;
  }

  /** How often a loop passes that counts up to a condition's limit; undefined where that does not follow. */
  passes({ limit, step, from }: Condition): number | undefined {
    const [most, least] = [this.bound(limit, from)?.high, this.bound(step, from)?.low];
    if (most === undefined || least === undefined || !Number.isFinite(most)) return undefined;
    return Math.max(1, Math.ceil(most / Math.max(1, least)));
  }

  private bound(term: Term | undefined, at: number): Interval | undefined {
    if (term === undefined || this.depth > MAX_DEPTH) return undefined;
    this.depth++;
    const found = bound(term, {
      interval: (name) => this.interval(name, at),
      sizeOf: (type) => sizeOfType(type),
      macro: (name, operands) => expandCall(this.host.code, name, operands),
      element: (base) => {
        this.elements.add(base);
        const values = this.values.get(base);
        return values === undefined || Number.isNaN(values) ? undefined : { low: 0, high: values - 1 };
      },
      below: (t) => this.below(t, at),
    });
    this.depth--;
    return found;
  }

  private below(term: Term, at: number): number | undefined {
    if (term.kind === 'number') return undefined;
    const spelled = spell(term);
    const limits = this.body.conditions
      .filter((c) => c.from <= at && at <= c.to && spell(c.term) === spelled)
      .flatMap((c) => this.bound(c.limit, at)?.high ?? []);
    return limits.length > 0 ? Math.min(...limits) : undefined;
  }

  private interval(name: string, at: number): Interval | undefined {
    const dim = this.dims.get(name);
    if (dim) return dim;
    if (name === 'warpSize') return { low: 32, high: 32 };
    const index = this.kernel.parameters.findIndex((p) => p.name === name);
    if (index !== -1) {
      const text = this.launch.arguments[index]?.text ?? this.kernel.parameters[index]?.default;
      return text === undefined ? undefined : this.host.bound(termOf(text));
    }
    const template = this.kernel.templateParameters.findIndex((t) => t.name === name);
    if (template !== -1) {
      const tokens = tokenize(this.launch.templateArguments ?? '');
      const list = splitArguments(tokens, matchBrackets(tokens), 0, tokens.length);
      const range = list[template];
      const text = range
        ? tokens
            .slice(range.from, range.to)
            .map((t) => t.text)
            .join(' ')
        : this.kernel.templateParameters[template]?.default;
      return text === undefined ? undefined : this.host.bound(termOf(text));
    }
    const definitions = this.body.definitions.get(name);
    if (!definitions) return this.host.bound({ kind: 'name', name });
    const step = this.body.steps.get(name);
    const bounds = definitions.map((d) => this.bound(d.terms[0], at));
    const known = bounds.filter((b) => b !== undefined);
    if (known.length < bounds.length && step === undefined) return undefined;
    if (known.length === 0) return undefined;
    const low = Math.min(...known.map((b) => b.low));
    const high = Math.max(...known.map((b) => b.high));
    return { low: step === 'down' ? Math.min(0, low) : low, high: step === 'up' ? Infinity : high };
  }
}
