// What conditions in a body bound from above, and between which tokens: `if`, loops, `? :`, and early returns.
import type { BodyCode } from './code.js';
import { plus, type Term } from './term.js';

export interface Condition {
  term: Term;
  /** `term < limit` holds between the two tokens. */
  limit: Term;
  from: number;
  to: number;
  /** Of a `for` loop that counts up: by how much each time. */
  step?: Term;
}

const ONE: Term = { kind: 'number', value: 1 };

/** Every bound that a condition in the body puts on a term. */
export function readConditions(code: BodyCode): Condition[] {
  return new ConditionReader(code).read();
}

class ConditionReader {
  private readonly conditions: Condition[] = [];

  constructor(private readonly code: BodyCode) {}

  read(): Condition[] {
    for (let i = this.code.from; i < this.code.to; i++) {
      const text = this.code.text(i);
      if (text === '?') this.readChoice(i);
      if (/^(if|while|for)$/.test(text) && this.code.text(i + 1) === '(') this.readCondition(i);
    }
    return this.conditions;
  }

  private readCondition(at: number): void {
    const close = this.code.partner(at + 1);
    if (close === undefined) return;
    let [from, to] = [at + 2, close];
    let step: Term | undefined;
    if (this.code.text(at) === 'for') {
      const first = this.code.find(';', from, to);
      const second = first === undefined ? undefined : this.code.find(';', first + 1, to);
      if (first === undefined || second === undefined) return;
      [from, to] = [first + 1, second];
      step = this.step(second + 1);
    }
    const end = this.bodyEnd(close + 1);
    const known = this.conditions.length;
    const leaves = /^(return|continue|break)$/.test(
      this.code.text(this.code.text(close + 1) === '{' ? close + 2 : close + 1),
    );
    if (this.code.text(at) === 'if' && leaves) this.addConditions(from, to, true, end, this.blockEnd(end));
    else this.addConditions(from, to, false, close, end);
    if (step) for (const condition of this.conditions.slice(known)) condition.step = step;
  }

  /** `i++`, `++i` or `i += s` in the head of a loop. */
  private step(at: number): Term | undefined {
    const [first, second] = [this.code.text(at), this.code.text(at + 1)];
    if (first === '++' || second === '++') return ONE;
    return second === '+=' ? this.code.term(at + 2, this.code.statementEnd(at + 2)) : undefined;
  }

  private readChoice(at: number): void {
    let from = at;
    while (from > this.code.from) {
      const text = this.code.text(from - 1);
      const partner = this.code.partner(from - 1);
      if (partner !== undefined && partner < from - 1) from = partner;
      else if (/^([=,;{}?:([]|return|[-+*/]=)$/.test(text)) break;
      else from--;
    }
    const colon = this.code.find(':', at + 1, this.code.to);
    if (colon === undefined) return;
    const isWrapped = this.code.text(from) === '(' && this.code.partner(from) === at - 1;
    this.addConditions(isWrapped ? from + 1 : from, isWrapped ? at - 1 : at, false, at, colon);
  }

  private bodyEnd(at: number): number {
    if (this.code.text(at) === '{') return this.code.partner(at) ?? this.code.to;
    let i = at;
    while (i < this.code.to && this.code.text(i) !== ';') {
      const partner = this.code.partner(i);
      if (this.code.text(i) === '{' && partner !== undefined) return partner;
      i = Math.max(i, partner ?? i) + 1;
    }
    return i;
  }

  private blockEnd(at: number): number {
    for (let i = at + 1; i < this.code.to; i++) {
      if (this.code.text(i) === '}') return i;
      i = Math.max(i, this.code.partner(i) ?? i);
    }
    return this.code.to;
  }

  /** Splits at && (or, where a condition leaves, at ||) and keeps what bounds a term from above. */
  private addConditions(from: number, to: number, isNegated: boolean, start: number, end: number): void {
    const joint = isNegated ? '||' : '&&';
    const other = isNegated ? '&&' : '||';
    if (this.code.find(other, from, to) !== undefined) return;
    let begin = from;
    for (let i = from; i <= to; i++) {
      if (i < to && this.code.text(i) !== joint) {
        i = Math.max(i, this.code.partner(i) ?? i);
        continue;
      }
      const isWrapped = this.code.text(begin) === '(' && this.code.partner(begin) === i - 1;
      const term = isWrapped ? this.code.term(begin + 1, i - 1) : this.code.term(begin, i);
      if (term?.kind === 'binary') this.addCondition(term, isNegated, start, end);
      begin = i + 1;
    }
  }

  private addCondition(term: Extract<Term, { kind: 'binary' }>, isNegated: boolean, from: number, to: number): void {
    const negation: Record<string, string> = { '>=': '<', '>': '<=', '<=': '>', '<': '>=' };
    const operator = isNegated ? negation[term.operator] : term.operator;
    const { left, right } = term;
    if (operator === '<') this.addLimit(left, right, from, to);
    if (operator === '<=') this.addLimit(left, plus(right, ONE), from, to);
    if (operator === '>') this.addLimit(right, left, from, to);
    if (operator === '>=') this.addLimit(right, plus(left, ONE), from, to);
  }

  /** `i + 4 < limit` says too that `i < limit - 4`. */
  private addLimit(term: Term, limit: Term, from: number, to: number): void {
    this.conditions.push({ term, limit, from, to });
    if (term.kind === 'binary' && term.operator === '+') {
      const rest: Term = { kind: 'binary', operator: '-', left: limit, right: term.right };
      this.conditions.push({ term: term.left, limit: rest, from, to });
    }
  }
}
