// What the body of a function does with names: how they are defined, what conditions bound them where, and how memory behind
// pointers is read and written. Approximate by nature, and said so by whoever uses it: it serves proposals, never verdicts.
import { parseTerm, type Term } from './arithmetic.js';
import { preprocess, type Macro } from './preprocess.js';
import { SourceText } from './text.js';
import { matchBrackets, splitArguments, tokenize, type Token } from './tokens.js';
import type { Range } from './types.js';

/** The tokens of a file, for looking into bodies. */
export interface Code {
  tokens: readonly Token[];
  partners: ReadonlyMap<number, number>;
  macros: readonly Macro[];
}

export function readCode(text: string): Code {
  const { live, macros } = preprocess(new SourceText(text), tokenize(text));
  return { tokens: live, partners: matchBrackets(live), macros };
}

export interface Definition {
  /** One term, or one per axis of a dim3. */
  terms: (Term | undefined)[];
  at: number;
}

export interface Access {
  pointer: string;
  /** `update` reads and writes; `passed` hands the pointer to a function. */
  kind: 'read' | 'write' | 'update' | 'atomic' | 'passed';
  /** Of `passed`: the function and which argument. */
  into?: { name: string; argument: number };
  /** The last element touched, in scalars also behind vector types; undefined where it is not plain arithmetic. */
  index?: Term;
  /** Token where it stands, and where it takes effect: an assignment writes after its right side is read. */
  at: number;
  effect: number;
}

export interface Condition {
  term: Term;
  /** `term < limit` holds between the two tokens. */
  limit: Term;
  from: number;
  to: number;
}

export interface Body {
  definitions: Map<string, Definition[]>;
  /** Names that loops step, and in which direction. */
  steps: Map<string, 'up' | 'down'>;
  conditions: Condition[];
  accesses: Access[];
  /** Arrays declared in the body, shared ones mostly: extent of the first axis. */
  arrays: Map<string, Term>;
  /** Calls of functions with their arguments as token ranges. */
  calls: { name: string; arguments: { from: number; to: number }[]; at: number }[];
}

/** Reads the body inside a function's range. @param pointers names of its pointer parameters and what they point to */
export function readBody(code: Code, range: Range, pointers: ReadonlyMap<string, string>): Body {
  const after = code.tokens.findIndex((t) => t.start >= range.endIndex);
  const to = after === -1 ? code.tokens.length : after;
  // The header is no part of it: its names are declared there, not used.
  const from = code.tokens[to - 1]?.text === '}' ? (code.partners.get(to - 1) ?? to) : to;
  return new BodyReader(code, from, to, new Map([...pointers].map(([name, type]) => [name, lanesOf(type)]))).read();
}

interface Alias {
  pointer: string;
  offset?: Term;
  isKnown: boolean;
  lanes: number;
}

const ASSIGN = /^[-+*/%&|^]=$|^<<=$/;
const one: Term = { kind: 'number', value: 1 };
const plus = (left: Term, right: Term): Term => ({ kind: 'binary', operator: '+', left, right });

/** Scalars in one element of a type: 4 in `float4`. */
export function lanesOf(type: string): number {
  return Number(
    /^(?:u?(?:char|short|int|long|longlong)|float|double)([234])$/.exec(type)?.[1] ?? (/2$/.test(type) ? 2 : 1),
  );
}

class BodyReader {
  private readonly body: Body = {
    definitions: new Map(),
    steps: new Map(),
    conditions: [],
    accesses: [],
    arrays: new Map(),
    calls: [],
  };
  private readonly aliases = new Map<string, Alias>();
  private readonly stepped = new Set<string>();

  constructor(
    private readonly code: Code,
    private readonly from: number,
    private readonly to: number,
    /** Name → lanes of its element. */
    private readonly pointers: ReadonlyMap<string, number>,
  ) {}

  private text(at: number): string {
    return this.code.tokens[at]?.text ?? '';
  }

  private term(from: number, to: number): Term | undefined {
    return parseTerm(this.code.tokens, this.code.partners, from, to);
  }

  read(): Body {
    for (let i = this.from; i < this.to; i++) {
      const token = this.code.tokens[i];
      if (token?.text === '?') this.readChoice(i);
      if (token?.kind !== 'name') continue;
      if ((token.text === 'if' || token.text === 'while' || token.text === 'for') && this.text(i + 1) === '(') {
        this.readCondition(i);
      } else {
        this.readCall(i);
        this.readDefinition(i);
        if (this.pointers.has(token.text) || this.aliases.has(token.text)) this.readAccess(i);
        else this.readArray(i);
      }
    }
    for (const access of this.body.accesses) if (this.stepped.has(access.pointer)) access.index = undefined;
    this.body.accesses.sort((a, b) => a.effect - b.effect);
    return this.body;
  }

  private readCall(at: number): void {
    const close = this.code.partners.get(at + 1);
    if (this.text(at + 1) !== '(' || close === undefined) return;
    const args = splitArguments(this.code.tokens, this.code.partners, at + 2, close);
    this.body.calls.push({ name: this.text(at), arguments: args, at });
  }

  private define(name: string, terms: (Term | undefined)[], at: number): void {
    const known = this.body.definitions.get(name) ?? [];
    this.body.definitions.set(name, [...known, { terms, at }]);
  }

  private readDefinition(at: number): void {
    const name = this.text(at);
    const next = this.text(at + 1);
    const before = this.text(at - 1);
    if (before === '.' || before === '->' || before === '::') return;
    if (next === '++' || before === '++' || ASSIGN.test(next)) {
      const isDown = next === '-=' || next === '/=';
      if (!isDown) this.body.steps.set(name, 'up');
      else if (!this.body.steps.has(name)) this.body.steps.set(name, 'down');
      if (next === '+=' && this.pointers.has(name)) this.stepped.add(name);
    } else if (next === '--' || before === '--' || (next === '>' && this.text(at + 2) === '>=')) {
      if (!this.body.steps.has(name)) this.body.steps.set(name, 'down');
    } else if ((next === '(' || next === '{') && (before === 'dim3' || (before === ',' && this.declaresDim3(at)))) {
      this.define(name, this.axes(at + 1), at);
    } else if (next === '=') {
      const end = this.statementEnd(at + 2);
      const opener = this.text(at + 2) === 'dim3' ? at + 3 : at + 2;
      const isList = this.text(opener) === '{' || (this.text(at + 2) === 'dim3' && this.text(opener) === '(');
      if (isList) this.define(name, this.axes(opener), at);
      else if (!this.readAlias(name, at, end)) this.define(name, [this.term(at + 2, end)], at);
    }
  }

  /** `dim3 block(16, 16), grid(n / 16, m / 16);` declares both. */
  private declaresDim3(at: number): boolean {
    for (let i = at - 1; i > this.from; i--) {
      const open = this.code.partners.get(i);
      if (open !== undefined && open > i) return false;
      i = open ?? i;
      if (this.text(i) === 'dim3') return true;
      if (this.text(i) === ';') return false;
    }
    return false;
  }

  private axes(open: number): (Term | undefined)[] {
    const close = this.code.partners.get(open) ?? open;
    return splitArguments(this.code.tokens, this.code.partners, open + 1, close).map((a) => this.term(a.from, a.to));
  }

  /** `int bins[BINS];` declares, `bins[data[i]]` is an access like one through a pointer. */
  private readArray(at: number): void {
    const close = this.text(at + 1) === '[' ? this.code.partners.get(at + 1) : undefined;
    if (close === undefined) return;
    const name = this.text(at);
    if (this.code.tokens[at - 1]?.kind === 'name' && this.text(at - 1) !== 'return') {
      const extent = this.term(at + 2, close);
      if (extent) this.body.arrays.set(name, extent);
    } else if (this.body.arrays.has(name)) {
      const index = this.term(at + 2, close);
      this.body.accesses.push({ pointer: name, kind: 'read', index, at, effect: at });
    }
  }

  /** End of an initialiser: the `;` or `,` that ends it. */
  private statementEnd(from: number): number {
    let i = from;
    while (i < this.to && ![';', ',', ')', '}'].includes(this.text(i)))
      i = Math.max(i, this.code.partners.get(i) ?? i) + 1;
    return i;
  }

  /** `const float* row = x + r * n;`: what is done through `row` is done to `x`. */
  private readAlias(name: string, at: number, end: number): boolean {
    const star = /^(__restrict__|__restrict)$/.test(this.text(at - 1)) ? at - 2 : at - 1;
    const isPointer = this.text(star) === '*';
    const isAuto = this.text(at - 1) === 'auto';
    if (!isPointer && !isAuto) return false;
    for (let i = at + 2; i < end; i++) {
      const word = this.text(i);
      const known = this.aliases.get(word);
      if (!known && !this.pointers.has(word)) continue;
      if (this.text(i + 1) === '[' && this.text(i - 1) !== '&') return false;
      const { index, isKnown, lanes, stop } = this.place(i);
      // `x + r * n`: the rest of the sum is the offset; anything else is not followed.
      let offset = index;
      let isSound = isKnown;
      if (stop < end && this.text(stop) === '+') {
        const rest = this.term(stop + 1, end);
        isSound &&= rest !== undefined;
        if (rest) offset = offset ? plus(offset, times(rest, lanes)) : times(rest, lanes);
      } else if (stop < end) isSound = false;
      this.aliases.set(name, {
        pointer: known?.pointer ?? word,
        offset,
        isKnown: isSound,
        lanes: isPointer ? lanesOf(this.text(star - 1)) : lanes,
      });
      return true;
    }
    return false;
  }

  /** Position behind a pointer name with its index, if it has one: `p[i]`, or `p` itself. */
  private place(at: number): { index?: Term; isKnown: boolean; lanes: number; stop: number } {
    const alias = this.aliases.get(this.text(at));
    const close = this.text(at + 1) === '[' ? this.code.partners.get(at + 1) : undefined;
    const lanes = alias?.lanes ?? this.pointers.get(this.text(at)) ?? 1;
    let isKnown = alias?.isKnown ?? true;
    let index = alias?.offset;
    if (close !== undefined) {
      const own = this.term(at + 2, close);
      if (own === undefined || this.text(close + 1) === '[') isKnown = false;
      else index = index ? plus(index, scaled(own, lanes)) : scaled(own, lanes);
    }
    return { index, isKnown, lanes, stop: close === undefined ? at + 1 : close + 1 };
  }

  private readAccess(at: number): void {
    const before = this.text(at - 1);
    if (before === '.' || before === '->' || before === '::') return;
    // Its own declaration, or the start of `p += …`.
    if (this.text(at + 1) === '=' || this.text(at + 1) === '+=') return;
    const pointer = this.aliases.get(this.text(at))?.pointer ?? this.text(at);
    const place = this.place(at);
    let { index, isKnown } = place;
    let [first, stop] = [at, place.stop];
    let isElement = this.text(at + 1) === '[';
    // Out through &, casts and parentheses, until something is done with it.
    for (;;) {
      const outer = this.text(first - 1);
      const close = this.code.partners.get(first - 1);
      if (outer === '&' && isElement && this.isPrefix(first - 1)) {
        isElement = false;
        first--;
      } else if (outer === ')' && close !== undefined && this.text(first - 2) === '*') {
        first = close;
      } else if (outer === '(' && close !== undefined && (close === stop || this.isSum(stop, close))) {
        if (close !== stop && !isElement) {
          const rest = this.term(stop + 1, close);
          if (rest && isKnown) index = index ? plus(index, times(rest, place.lanes)) : times(rest, place.lanes);
          else isKnown = false;
        }
        const word = this.code.tokens[first - 2];
        if (word?.kind === 'name' && !/^(return|sizeof)$/.test(word.text)) break;
        stop = close + 1;
        first--;
        if (this.text(first - 1) === '>') {
          const open = this.castStart(first - 1);
          if (open === undefined) break;
          const lanes = lanesOf(this.text(first - 3));
          if (!isElement && this.text(stop) === '[') {
            const bracket = this.code.partners.get(stop) ?? stop;
            const own = this.term(stop + 1, bracket);
            if (own) index = index ? plus(index, scaled(own, lanes)) : scaled(own, lanes);
            else isKnown = false;
            isElement = true;
            stop = bracket + 1;
          }
          first = open;
        } else if (!isElement && this.text(stop) === '[') {
          const bracket = this.code.partners.get(stop) ?? stop;
          const lanes = lanesOf(this.text(first + 2));
          const own = this.term(stop + 1, bracket);
          if (own) index = index ? plus(index, scaled(own, lanes)) : scaled(own, lanes);
          else isKnown = false;
          isElement = true;
          stop = bracket + 1;
        }
      } else if (outer === '*' && !isElement && this.isPrefix(first - 1)) {
        isElement = true;
        index ??= { kind: 'number', value: 0 };
        first--;
      } else break;
    }
    const into = isElement ? undefined : this.calleeOf(first);
    const kind = isElement ? this.elementKind(first, stop) : into && passedKind(into.name);
    if (kind === undefined) return;
    if (kind === 'atomic' && isKnown) index ??= { kind: 'number', value: 0 };
    const isWrite = kind === 'write';
    const effect = isWrite ? this.statementEnd(stop) + 0.5 : at;
    const handed = kind === 'passed' ? { into } : {};
    this.body.accesses.push({ pointer, kind, ...handed, index: isKnown ? index : undefined, at, effect });
  }

  private isPrefix(at: number): boolean {
    const before = this.code.tokens[at - 1];
    return before === undefined || (before.kind === 'mark' && !/^[)\]]$/.test(before.text)) || before.text === 'return';
  }

  private isSum(stop: number, close: number): boolean {
    return this.text(stop) === '+' && close > stop;
  }

  /** First token of `reinterpret_cast<…>` whose `>` stands at an index. */
  private castStart(close: number): number | undefined {
    for (let i = close; i > this.from && i > close - 12; i--) if (/_cast$/.test(this.text(i))) return i;
    return undefined;
  }

  private elementKind(first: number, stop: number): Access['kind'] {
    let next = this.text(stop);
    if (next === '.') next = this.text(stop + 2);
    if (next === '=') return 'write';
    if (ASSIGN.test(next) || next === '++' || next === '--') return 'update';
    return /^(\+\+|--)$/.test(this.text(first - 1)) ? 'update' : 'read';
  }

  /** The function that a pointer is handed to, and as which argument; undefined if it is not handed on. */
  private calleeOf(first: number): { name: string; argument: number } | undefined {
    let argument = 0;
    for (let i = first - 1; i > this.from; i--) {
      const partner = this.code.partners.get(i);
      if (partner !== undefined && partner < i) i = partner;
      else if (this.text(i) === ',') argument++;
      else if (this.text(i) === '(') {
        let before = i - 1;
        // Template arguments stand between.
        if (this.text(before) === '>') while (before > this.from && this.text(before) !== '<') before--;
        const name = this.text(this.text(before) === '<' ? before - 1 : before);
        return /^(if|while|for|switch|return|assert|sizeof)$/.test(name) ? undefined : { name, argument };
      } else if ([';', '{', '}', '='].includes(this.text(i))) return undefined;
    }
    return undefined;
  }

  private readCondition(at: number): void {
    const close = this.code.partners.get(at + 1);
    if (close === undefined) return;
    let [from, to] = [at + 2, close];
    if (this.text(at) === 'for') {
      const first = this.find(';', from, to);
      const second = first === undefined ? undefined : this.find(';', first + 1, to);
      if (first === undefined || second === undefined) return;
      [from, to] = [first + 1, second];
    }
    const end = this.bodyEnd(close + 1);
    const leaves = /^(return|continue|break)$/.test(this.text(this.text(close + 1) === '{' ? close + 2 : close + 1));
    if (this.text(at) === 'if' && leaves) this.addConditions(from, to, true, end, this.blockEnd(end));
    else this.addConditions(from, to, false, close, end);
  }

  private readChoice(at: number): void {
    let from = at;
    while (from > this.from) {
      const text = this.text(from - 1);
      const partner = this.code.partners.get(from - 1);
      if (partner !== undefined && partner < from - 1) from = partner;
      else if (/^([=,;{}?:([]|return|[-+*/]=)$/.test(text)) break;
      else from--;
    }
    const colon = this.find(':', at + 1, this.to);
    if (colon === undefined) return;
    const isWrapped = this.text(from) === '(' && this.code.partners.get(from) === at - 1;
    this.addConditions(isWrapped ? from + 1 : from, isWrapped ? at - 1 : at, false, at, colon);
  }

  private find(text: string, from: number, to: number): number | undefined {
    for (let i = from; i < to; i++) {
      if (this.text(i) === text) return i;
      i = Math.max(i, this.code.partners.get(i) ?? i);
    }
    return undefined;
  }

  private bodyEnd(at: number): number {
    if (this.text(at) === '{') return this.code.partners.get(at) ?? this.to;
    let i = at;
    while (i < this.to && this.text(i) !== ';') {
      const partner = this.code.partners.get(i);
      if (this.text(i) === '{' && partner !== undefined) return partner;
      i = Math.max(i, partner ?? i) + 1;
    }
    return i;
  }

  private blockEnd(at: number): number {
    for (let i = at + 1; i < this.to; i++) {
      if (this.text(i) === '}') return i;
      i = Math.max(i, this.code.partners.get(i) ?? i);
    }
    return this.to;
  }

  /** Splits at && (or, where a condition leaves, at ||) and keeps what bounds a term from above. */
  private addConditions(from: number, to: number, isNegated: boolean, start: number, end: number): void {
    const joint = isNegated ? '||' : '&&';
    const other = isNegated ? '&&' : '||';
    if (this.find(other, from, to) !== undefined) return;
    let begin = from;
    for (let i = from; i <= to; i++) {
      if (i < to && this.text(i) !== joint) {
        i = Math.max(i, this.code.partners.get(i) ?? i);
        continue;
      }
      const isWrapped = this.text(begin) === '(' && this.code.partners.get(begin) === i - 1;
      const term = isWrapped ? this.term(begin + 1, i - 1) : this.term(begin, i);
      if (term?.kind === 'binary') this.addCondition(term, isNegated, start, end);
      begin = i + 1;
    }
  }

  private addCondition(term: Extract<Term, { kind: 'binary' }>, isNegated: boolean, from: number, to: number): void {
    const negation: Record<string, string> = { '>=': '<', '>': '<=', '<=': '>', '<': '>=' };
    const operator = isNegated ? negation[term.operator] : term.operator;
    const { left, right } = term;
    if (operator === '<') this.addLimit(left, right, from, to);
    if (operator === '<=') this.addLimit(left, plus(right, one), from, to);
    if (operator === '>') this.addLimit(right, left, from, to);
    if (operator === '>=') this.addLimit(right, plus(left, one), from, to);
  }

  /** `i + 4 < limit` says too that `i < limit - 4`. */
  private addLimit(term: Term, limit: Term, from: number, to: number): void {
    this.body.conditions.push({ term, limit, from, to });
    if (term.kind === 'binary' && term.operator === '+') {
      const rest: Term = { kind: 'binary', operator: '-', left: limit, right: term.right };
      this.body.conditions.push({ term: term.left, limit: rest, from, to });
    }
  }
}

/** What functions do with the pointers that they are handed, by their names. */
function passedKind(name: string): Access['kind'] {
  // Helpers of courses that add or compare through compare-and-swap do as atomics do.
  if (/^atomic|atomic|cas$|_cas_|by_cas/i.test(name)) return 'atomic';
  if (/^__st(cs|cg|wb|wt)$/.test(name)) return 'write';
  return /^(__ldg|__ld(cs|ca|cg|cv|lu)|__pipeline_memcpy_async|memcpy_async)$/.test(name) ? 'read' : 'passed';
}

function times(term: Term, factor: number): Term {
  return factor === 1 ? term : { kind: 'binary', operator: '*', left: term, right: { kind: 'number', value: factor } };
}

/** The last element that `index` of a vector of lanes touches. */
function scaled(index: Term, lanes: number): Term {
  return lanes === 1 ? index : plus(times(index, lanes), { kind: 'number', value: lanes - 1 });
}
