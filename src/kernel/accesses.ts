// How a body reads and writes memory behind pointers: which element, through which alias or cast, and when it takes effect.
import type { BodyCode } from './code.js';
import { plus, type Term } from './term.js';

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

interface Alias {
  pointer: string;
  offset?: Term;
  isKnown: boolean;
  lanes: number;
}

/** Assignments that also read. */
export const ASSIGN = /^[-+*/%&|^]=$|^<<=$/;

/** Scalars in one element of a type: 4 in `float4`. */
function lanesOf(type: string): number {
  return Number(
    /^(?:u?(?:char|short|int|long|longlong)|float|double)([234])$/.exec(type)?.[1] ?? (/2$/.test(type) ? 2 : 1),
  );
}

/** Follows the pointer parameters of a function through its body, from its first token to its last. */
export class AccessReader {
  readonly found: Access[] = [];
  private readonly aliases = new Map<string, Alias>();
  /** Name → lanes of its element. */
  private readonly pointers: ReadonlyMap<string, number>;

  /** @param pointers names of the pointers and what they point to */
  constructor(
    private readonly code: BodyCode,
    pointers: ReadonlyMap<string, string>,
  ) {
    this.pointers = new Map([...pointers].map(([name, type]) => [name, lanesOf(type)]));
  }

  isPointer(name: string): boolean {
    return this.pointers.has(name);
  }

  isFollowed(name: string): boolean {
    return this.isPointer(name) || this.aliases.has(name);
  }

  /** `const float* row = x + r * n;`: what is done through `row` is done to `x`. */
  declare(name: string, at: number, end: number): boolean {
    const star = /^(__restrict__|__restrict)$/.test(this.code.text(at - 1)) ? at - 2 : at - 1;
    const isPointer = this.code.text(star) === '*';
    const isAuto = this.code.text(at - 1) === 'auto';
    if (!isPointer && !isAuto) return false;
    for (let i = at + 2; i < end; i++) {
      const word = this.code.text(i);
      const known = this.aliases.get(word);
      if (!known && !this.pointers.has(word)) continue;
      if (this.code.text(i + 1) === '[' && this.code.text(i - 1) !== '&') return false;
      const { index, isKnown, lanes, stop } = this.place(i);
      // `x + r * n`: the rest of the sum is the offset; anything else is not followed.
      let offset = index;
      let isSound = isKnown;
      if (stop < end && this.code.text(stop) === '+') {
        const rest = this.code.term(stop + 1, end);
        isSound &&= rest !== undefined;
        if (rest) offset = offset ? plus(offset, times(rest, lanes)) : times(rest, lanes);
      } else if (stop < end) isSound = false;
      this.aliases.set(name, {
        pointer: known?.pointer ?? word,
        offset,
        isKnown: isSound,
        lanes: isPointer ? lanesOf(this.code.text(star - 1)) : lanes,
      });
      return true;
    }
    return false;
  }

  /** Position behind a pointer name with its index, if it has one: `p[i]`, or `p` itself. */
  private place(at: number): { index?: Term; isKnown: boolean; lanes: number; stop: number } {
    const alias = this.aliases.get(this.code.text(at));
    const close = this.code.text(at + 1) === '[' ? this.code.partner(at + 1) : undefined;
    const lanes = alias?.lanes ?? this.pointers.get(this.code.text(at)) ?? 1;
    let isKnown = alias?.isKnown ?? true;
    let index = alias?.offset;
    if (close !== undefined) {
      const own = this.code.term(at + 2, close);
      if (own === undefined || this.code.text(close + 1) === '[') isKnown = false;
      else index = index ? plus(index, scaled(own, lanes)) : scaled(own, lanes);
    }
    return { index, isKnown, lanes, stop: close === undefined ? at + 1 : close + 1 };
  }

  read(at: number): void {
    const before = this.code.text(at - 1);
    if (before === '.' || before === '->' || before === '::') return;
    // Its own declaration, or the start of `p += …`.
    if (this.code.text(at + 1) === '=' || this.code.text(at + 1) === '+=') return;
    const pointer = this.aliases.get(this.code.text(at))?.pointer ?? this.code.text(at);
    const place = this.place(at);
    let { index, isKnown } = place;
    let [first, stop] = [at, place.stop];
    let isElement = this.code.text(at + 1) === '[';
    // Out through &, casts and parentheses, until something is done with it.
    for (;;) {
      const outer = this.code.text(first - 1);
      const close = this.code.partner(first - 1);
      if (outer === '&' && isElement && this.isPrefix(first - 1)) {
        isElement = false;
        first--;
      } else if (outer === ')' && close !== undefined && this.code.text(first - 2) === '*') {
        first = close;
      } else if (outer === '(' && close !== undefined && (close === stop || this.isSum(stop, close))) {
        if (close !== stop && !isElement) {
          const rest = this.code.term(stop + 1, close);
          if (rest && isKnown) index = index ? plus(index, times(rest, place.lanes)) : times(rest, place.lanes);
          else isKnown = false;
        }
        if (this.code.kind(first - 2) === 'name' && !/^(return|sizeof)$/.test(this.code.text(first - 2))) break;
        stop = close + 1;
        first--;
        if (this.code.text(first - 1) === '>') {
          const open = this.castStart(first - 1);
          if (open === undefined) break;
          const lanes = lanesOf(this.code.text(first - 3));
          if (!isElement && this.code.text(stop) === '[') {
            const bracket = this.code.partner(stop) ?? stop;
            const own = this.code.term(stop + 1, bracket);
            if (own) index = index ? plus(index, scaled(own, lanes)) : scaled(own, lanes);
            else isKnown = false;
            isElement = true;
            stop = bracket + 1;
          }
          first = open;
        } else if (!isElement && this.code.text(stop) === '[') {
          const bracket = this.code.partner(stop) ?? stop;
          const lanes = lanesOf(this.code.text(first + 2));
          const own = this.code.term(stop + 1, bracket);
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
    const effect = isWrite ? this.code.statementEnd(stop) + 0.5 : at;
    const handed = kind === 'passed' ? { into } : {};
    this.found.push({ pointer, kind, ...handed, index: isKnown ? index : undefined, at, effect });
  }

  private isPrefix(at: number): boolean {
    const before = this.code.text(at - 1);
    return (this.code.kind(at - 1) ?? 'mark') === 'mark' ? !/^[)\]]$/.test(before) : before === 'return';
  }

  private isSum(stop: number, close: number): boolean {
    return this.code.text(stop) === '+' && close > stop;
  }

  /** First token of `reinterpret_cast<…>` whose `>` stands at an index. */
  private castStart(close: number): number | undefined {
    for (let i = close; i > this.code.from && i > close - 12; i--) if (/_cast$/.test(this.code.text(i))) return i;
    return undefined;
  }

  private elementKind(first: number, stop: number): Access['kind'] {
    let next = this.code.text(stop);
    if (next === '.') next = this.code.text(stop + 2);
    if (next === '=') return 'write';
    if (ASSIGN.test(next) || next === '++' || next === '--') return 'update';
    return /^(\+\+|--)$/.test(this.code.text(first - 1)) ? 'update' : 'read';
  }

  /** The function that a pointer is handed to, and as which argument; undefined if it is not handed on. */
  private calleeOf(first: number): { name: string; argument: number } | undefined {
    let argument = 0;
    for (let i = first - 1; i > this.code.from; i--) {
      const partner = this.code.partner(i);
      if (partner !== undefined && partner < i) i = partner;
      else if (this.code.text(i) === ',') argument++;
      else if (this.code.text(i) === '(') {
        let before = i - 1;
        // Template arguments stand between.
        if (this.code.text(before) === '>') while (before > this.code.from && this.code.text(before) !== '<') before--;
        const name = this.code.text(this.code.text(before) === '<' ? before - 1 : before);
        return /^(if|while|for|switch|return|assert|sizeof)$/.test(name) ? undefined : { name, argument };
      } else if ([';', '{', '}', '='].includes(this.code.text(i))) return undefined;
    }
    return undefined;
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
