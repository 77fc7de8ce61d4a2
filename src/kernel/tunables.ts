// Tunables: integer constants that reach how a kernel is launched, stored or unrolled, by place and not by name. Constants that
// are derived from others follow by themselves and are not offered.
import { applyEdits } from './edits.js';
import { preprocess } from './preprocess.js';
import { SourceText } from './text.js';
import { matchBrackets, splitArguments, tokenize, type Token } from './tokens.js';
import type { IntegerConstant, KernelFile } from './types.js';

export interface Tunable {
  /** The constant's name, with its function in front where several functions have one of that name. */
  name: string;
  constant: IntegerConstant;
  /** Values worth trying, ascending, the constant's own among them. */
  values: number[];
}

/** A block holds no more threads than this. */
const MAX_THREADS = 1024;
/** Larger literals are problem sizes, not choices. */
const MAX_LITERAL = 2 ** 16;

/** The tunables of a file that was read from `text`. */
export function discoverTunables(file: KernelFile, text: string): Tunable[] {
  const { threads, others } = new Reach(file, text).reached();
  const unambiguous = uniqueNames(file);
  return file.constants.flatMap((constant) => {
    const { name, value } = constant;
    const isThreads = threads.has(name);
    if ((!isThreads && !others.has(name)) || value < 1 || value > MAX_LITERAL) return [];
    const unique = unambiguous.get(constant);
    return unique === undefined ? [] : [{ name: unique, constant, values: domain(value, isThreads) }];
  });
}

/** Powers of two around the literal, and the literal. Thread counts stay within a block. */
function domain(value: number, isThreads: boolean): number[] {
  const low = value / 4;
  const high = isThreads ? Math.min(MAX_THREADS, value * 8) : value * 4;
  const values = new Set([value]);
  for (let power = 1; power <= high; power *= 2) if (power >= low) values.add(power);
  return [...values].sort((a, b) => a - b);
}

/** Constant → its name in the file; constants that share name and function have none. */
function uniqueNames(file: KernelFile): Map<IntegerConstant, string> {
  const byName = new Map<string, IntegerConstant[]>();
  for (const c of file.constants) byName.set(c.name, [...(byName.get(c.name) ?? []), c]);
  const unique = new Map<IntegerConstant, string>();
  for (const [name, same] of byName) {
    const [only, ...others] = same;
    if (only && others.length === 0) {
      unique.set(only, name);
      continue;
    }
    const owners = same.map((c) => enclosing(c, file));
    // Two #defines of one name exclude each other: which is compiled is not known here.
    same.forEach((c, i) => {
      const owner = owners[i];
      if (owner !== undefined && owners.filter((o) => o === owner).length === 1) unique.set(c, `${owner}.${name}`);
    });
  }
  return unique;
}

function enclosing({ literal }: IntegerConstant, file: KernelFile): string | undefined {
  const at = literal.range.startIndex;
  const inside = [...file.hostFunctions, ...file.kernels].filter(
    (f) => f.range.startIndex <= at && at < f.range.endIndex,
  );
  return inside.at(-1)?.name;
}

/**
 * Edits exactly the literals of the named tunables. Suffixes stay; a value equal to the literal's changes nothing.
 * @throws RangeError on a name that is none of the tunables, or a value that is no whole number
 */
export function applyConfiguration(
  text: string,
  tunables: readonly Tunable[],
  values: Readonly<Record<string, number>>,
): string {
  const edits = Object.entries(values).flatMap(([name, value]) => {
    const constant = tunables.find((t) => t.name === name)?.constant;
    if (constant === undefined) throw new RangeError(`there is no tunable ${name}`);
    if (!Number.isSafeInteger(value)) throw new RangeError(`${name} = ${value} is not a whole number`);
    if (value === constant.value) return [];
    const { startIndex, endIndex } = constant.literal.range;
    const isDecimal = /^-?(0|[1-9][\d']*)[uUlLzZ]*$/.test(constant.literal.text);
    const suffix = isDecimal ? (/[uUlLzZ]*$/.exec(constant.literal.text)?.[0] ?? '') : '';
    return [{ startIndex, endIndex, text: `${value}${suffix}` }];
  });
  return applyEdits(text, edits);
}

/** Names that reach the places where a tunable acts, through names that are defined by them. */
class Reach {
  private readonly tokens: readonly Token[];
  private readonly partners: ReadonlyMap<number, number>;
  private readonly directives: readonly Token[];
  /** Name → the token lists that define it. */
  private readonly definitions = new Map<string, Token[][]>();

  constructor(
    private readonly file: KernelFile,
    text: string,
  ) {
    const code = preprocess(new SourceText(text), tokenize(text));
    const main = file.hostFunctions.find((f) => f.name === 'main')?.range;
    const isMain = (t: Token) => main !== undefined && t.start >= main.startIndex && t.end <= main.endIndex;
    // What main does with its sizes is no part of the kernel: an entry is called without it.
    this.tokens = code.live.filter((t) => !isMain(t));
    this.partners = matchBrackets(this.tokens);
    this.directives = code.directives;
    for (const macro of code.macros) this.define(macro.name, macro.body);
    for (let i = 0; i < this.tokens.length; i++) {
      if (this.tokens[i]?.text === 'template') i = this.skipTemplate(i + 1);
      this.readDefinition(i);
    }
    for (const parameter of [...file.kernels, ...file.hostFunctions].flatMap((f) => f.templateParameters)) {
      if (parameter.default !== undefined) this.define(parameter.name, tokenize(parameter.default));
    }
  }

  reached(): { threads: Set<string>; others: Set<string> } {
    const { launches, kernels } = this.file;
    const words = (text: string | undefined) => (text === undefined ? [] : names(tokenize(text)));
    const live = launches.filter((l) => l.inFunction !== 'main');
    const threads = [...live.flatMap((l) => words(l.block.text)), ...kernels.flatMap((k) => words(k.bounds[0]))];
    const others = [
      ...live.flatMap((l) => [...words(l.shared?.text), ...words(l.templateArguments), ...this.gridNames(l.grid.text)]),
      ...this.directives.flatMap((d) => unrollNames(d.text)),
      ...this.tokens.flatMap((_, i) => [...this.extentNames(i), ...this.loopNames(i)]),
    ];
    return { threads: this.closure(threads), others: this.closure(others) };
  }

  private define(name: string, body: readonly Token[]): void {
    const known = this.definitions.get(name) ?? [];
    this.definitions.set(name, [...known, [...body]]);
  }

  /** Behind `<…>` of a template: its defaults are known already, and their `=` is no assignment. */
  private skipTemplate(open: number): number {
    let depth = 0;
    for (let i = open; i < this.tokens.length; i++) {
      const text = this.tokens[i]?.text;
      i = Math.max(i, this.partners.get(i) ?? i);
      if (text === '<') depth++;
      else if (text === '>') depth--;
      if (depth <= 0 || text === ';') return i + 1;
    }
    return open;
  }

  /** `NAME = …;`, `NAME(…)` and `NAME{…}` after a type: what NAME follows from. */
  private readDefinition(at: number): void {
    const name = this.tokens[at];
    const opener = this.tokens[at + 1];
    if (name?.kind !== 'name' || opener === undefined) return;
    if (opener.text === '=') {
      let end = at + 2;
      while (end < this.tokens.length && ![';', ',', ')', '}'].includes(this.tokens[end]?.text ?? ';')) {
        end = Math.max(end, this.partners.get(end) ?? 0) + 1;
      }
      this.define(name.text, this.tokens.slice(at + 2, end));
    } else if ((opener.text === '(' || opener.text === '{') && this.tokens[at - 1]?.text === 'dim3') {
      this.define(name.text, this.tokens.slice(at + 2, this.partners.get(at + 1) ?? at + 2));
    }
  }

  private closure(start: readonly string[]): Set<string> {
    const reached = new Set<string>();
    const waiting = [...start];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (reached.has(name)) continue;
      reached.add(name);
      waiting.push(...(this.definitions.get(name) ?? []).flatMap(names));
    }
    return reached;
  }

  /** Of a grid only divisors and bare names are choices: in `(N + 255) / 256` the size N is none. */
  private gridNames(text: string, depth = 0): string[] {
    const tokens = tokenize(text);
    const partners = matchBrackets(tokens);
    const found: string[] = [];
    const [only] = tokens;
    if (tokens.length === 1 && only?.kind === 'name') {
      if (this.file.constants.some((c) => c.name === only.text)) return [only.text];
      const definitions = depth < 4 ? (this.definitions.get(only.text) ?? []) : [];
      const texts = definitions.map((d) => d.map((t) => t.text).join(' '));
      return texts.flatMap((t) => this.gridNames(t, depth + 1));
    }
    tokens.forEach((token, i) => {
      const next = tokens[i + 1];
      if (token.text === '/' && next?.kind === 'name') found.push(next.text);
      if (token.text === '/' && next?.text === '(') found.push(...names(tokens.slice(i + 2, partners.get(i + 1))));
      // `dim3(…, …)` holds one grid expression per axis, any other call a divisor in second place.
      if (token.kind === 'name' && next?.text === '(') {
        const args = splitArguments(tokens, partners, i + 2, partners.get(i + 1) ?? i + 2);
        const pieces = args.map((a) => tokens.slice(a.from, a.to));
        const isAxes = token.text === 'dim3';
        if (isAxes) found.push(...pieces.flatMap((p) => this.gridNames(p.map((t) => t.text).join(' '), depth + 1)));
        else found.push(...pieces.slice(1).flatMap(names));
      }
    });
    return tokens.some((t) => t.text === ',') && depth < 4
      ? [...found, ...this.axisNames(tokens, partners, depth)]
      : found;
  }

  /** The expressions of `dim3 grid(a, b)`, whose definition is a list. */
  private axisNames(tokens: readonly Token[], partners: ReadonlyMap<number, number>, depth: number): string[] {
    const axes = splitArguments(tokens, partners, 0, tokens.length);
    if (axes.length < 2) return [];
    return axes.flatMap((a) =>
      this.gridNames(
        tokens
          .slice(a.from, a.to)
          .map((t) => t.text)
          .join(' '),
        depth + 1,
      ),
    );
  }

  /** `float tile[TILE][TILE + 1]`: extents of arrays declared in device code. */
  private extentNames(at: number): string[] {
    const [type, name, open] = [this.tokens[at - 1], this.tokens[at], this.tokens[at + 1]];
    if (name?.kind !== 'name' || open?.text !== '[' || !this.isDevice(name)) return [];
    const isDeclared = (type?.kind === 'name' && type.text !== 'return') || type?.text === '>' || type?.text === ',';
    if (!isDeclared) return [];
    const found: string[] = [];
    for (let i = at + 1; this.tokens[i]?.text === '[';) {
      const close = this.partners.get(i);
      if (close === undefined) break;
      found.push(...names(this.tokens.slice(i + 1, close)));
      i = close + 1;
    }
    return found;
  }

  /** Condition and step of `for (…; …; …)` in device code. */
  private loopNames(at: number): string[] {
    const [word, open] = [this.tokens[at], this.tokens[at + 1]];
    const close = this.partners.get(at + 1);
    if (word?.text !== 'for' || open?.text !== '(' || close === undefined || !this.isDevice(word)) return [];
    const head = this.tokens.slice(at + 2, close);
    const first = head.findIndex((t) => t.text === ';');
    return first === -1 ? [] : names(head.slice(first + 1));
  }

  private isDevice(token: Token): boolean {
    return !this.file.hostFunctions.some(
      (f) => f.range.startIndex <= token.start && token.end <= f.range.endIndex && f.launches.length > 0,
    );
  }
}

function names(tokens: readonly Token[]): string[] {
  return tokens.filter((t) => t.kind === 'name').map((t) => t.text);
}

function unrollNames(directive: string): string[] {
  const match = /^#\s*pragma\s+unroll\b(.*)/s.exec(directive);
  return match ? names(tokenize(match[1] ?? '')) : [];
}
