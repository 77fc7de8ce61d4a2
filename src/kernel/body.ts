// What the body of a function does with names: how they are defined and stepped, which arrays it declares, what it calls; with
// the conditions that bound them and the accesses to memory beside it. Approximate by nature, and said so by whoever uses it: it
// serves proposals, never verdicts.
import { AccessReader, ASSIGN, type Access } from './accesses.js';
import { BodyCode, type Code } from './code.js';
import { readConditions, type Condition } from './conditions.js';
import type { Term } from './term.js';
import type { Range } from './types.js';

export interface Definition {
  /** One term, or one per axis of a dim3. */
  terms: (Term | undefined)[];
  at: number;
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
  return new BodyReader(new BodyCode(code, range), pointers).read();
}

class BodyReader {
  private readonly definitions = new Map<string, Definition[]>();
  private readonly steps = new Map<string, 'up' | 'down'>();
  private readonly arrays = new Map<string, Term>();
  private readonly calls: Body['calls'] = [];
  private readonly memory: AccessReader;
  /** Pointers that the body moves itself: what they point to is not followed. */
  private readonly stepped = new Set<string>();

  constructor(
    private readonly code: BodyCode,
    pointers: ReadonlyMap<string, string>,
  ) {
    this.memory = new AccessReader(code, pointers);
  }

  read(): Body {
    for (let i = this.code.from; i < this.code.to; i++) {
      if (this.code.kind(i) !== 'name') continue;
      const text = this.code.text(i);
      if (/^(if|while|for)$/.test(text) && this.code.text(i + 1) === '(') continue;
      this.readCall(i);
      this.readDefinition(i);
      if (this.memory.isFollowed(text)) this.memory.read(i);
      else this.readArray(i);
    }
    const accesses = this.memory.found;
    for (const access of accesses) if (this.stepped.has(access.pointer)) access.index = undefined;
    accesses.sort((a, b) => a.effect - b.effect);
    const { definitions, steps, arrays, calls } = this;
    return { definitions, steps, conditions: readConditions(this.code), accesses, arrays, calls };
  }

  private readCall(at: number): void {
    const open = this.code.afterTemplate(at + 1);
    const close = this.code.partner(open);
    if (this.code.text(open) !== '(' || close === undefined) return;
    this.calls.push({ name: this.code.text(at), arguments: this.code.arguments(open + 1, close), at });
  }

  private define(name: string, terms: (Term | undefined)[], at: number): void {
    const known = this.definitions.get(name) ?? [];
    this.definitions.set(name, [...known, { terms, at }]);
  }

  private readDefinition(at: number): void {
    const name = this.code.text(at);
    const next = this.code.text(at + 1);
    const before = this.code.text(at - 1);
    if (before === '.' || before === '->' || before === '::') return;
    if (next === '++' || before === '++' || ASSIGN.test(next)) {
      const isDown = next === '-=' || next === '/=';
      if (!isDown) this.steps.set(name, 'up');
      else if (!this.steps.has(name)) this.steps.set(name, 'down');
      if (next === '+=' && this.memory.isPointer(name)) this.stepped.add(name);
    } else if (next === '--' || before === '--' || (next === '>' && this.code.text(at + 2) === '>=')) {
      if (!this.steps.has(name)) this.steps.set(name, 'down');
    } else if ((next === '(' || next === '{') && (before === 'dim3' || (before === ',' && this.declaresDim3(at)))) {
      this.define(name, this.axes(at + 1), at);
    } else if (next === '=') {
      const end = this.code.statementEnd(at + 2);
      const opener = this.code.text(at + 2) === 'dim3' ? at + 3 : at + 2;
      const isList =
        this.code.text(opener) === '{' || (this.code.text(at + 2) === 'dim3' && this.code.text(opener) === '(');
      if (isList) this.define(name, this.axes(opener), at);
      else if (!this.memory.declare(name, at, end)) this.define(name, [this.code.term(at + 2, end)], at);
    }
  }

  /** `dim3 block(16, 16), grid(n / 16, m / 16);` declares both. */
  private declaresDim3(at: number): boolean {
    for (let i = at - 1; i > this.code.from; i--) {
      const open = this.code.partner(i);
      if (open !== undefined && open > i) return false;
      i = open ?? i;
      if (this.code.text(i) === 'dim3') return true;
      if (this.code.text(i) === ';') return false;
    }
    return false;
  }

  private axes(open: number): (Term | undefined)[] {
    const close = this.code.partner(open) ?? open;
    return this.code.arguments(open + 1, close).map((a) => this.code.term(a.from, a.to));
  }

  /** `int bins[BINS];` declares, `bins[data[i]]` is an access like one through a pointer. */
  private readArray(at: number): void {
    const close = this.code.text(at + 1) === '[' ? this.code.partner(at + 1) : undefined;
    if (close === undefined) return;
    const name = this.code.text(at);
    if (this.code.kind(at - 1) === 'name' && this.code.text(at - 1) !== 'return') {
      const extent = this.code.term(at + 2, close);
      if (extent) this.arrays.set(name, extent);
    } else if (this.arrays.has(name)) {
      const index = this.code.term(at + 2, close);
      this.memory.found.push({ pointer: name, kind: 'read', index, at, effect: at });
    }
  }
}
