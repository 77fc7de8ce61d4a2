// `extern __shared__ T name[];` → one more name of the runtime's dynamic shared memory. Outside templates that is an extern
// declaration with an assembler label, which needs no capture in lambdas; in templates compilers lose the label, so there it
// is a reference to an array of unknown bound.
import type { Token } from '../../../src/kernel/tokens.js';
import type { Edit } from './edits.js';
import { scopesAround, statementStart, type DeviceBody } from './scopes.js';

export function rewriteSharedDeclarations(
  text: string,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  bodies: readonly DeviceBody[],
  /** Inside a macro nothing tells where it will be used: the form that works in any block. */
  inMacro: boolean,
): Edit[] {
  const edits: Edit[] = [];
  let done = -1;
  tokens.forEach((token, at) => {
    if (token.text !== '__shared__' || at <= done) return;
    const first = statementStart(tokens, partners, at);
    const end = statementEnd(tokens, partners, at);
    const statement = { from: first, to: end };
    const externs = indices(tokens, statement, (t) => t.text === 'extern');
    if (externs.length === 0) {
      edits.push(...moveAlignments(text, tokens, partners, statement));
      return;
    }
    done = end;
    const words = [...externs, ...indices(tokens, statement, (t) => t.text === '__shared__')];
    const declarators = readDeclarators(tokens, partners, statement);
    if (declarators === undefined) return;
    for (const word of words) edits.push({ start: tokens[word]!.start, end: tokens[word]!.end, text: '' });
    const scopes = scopesAround(tokens, partners, first);
    // Two names of one function are one object: a compiler takes different variables for different memory.
    const body = bodies.find((b) => first > b.open && first < b.close);
    const isShared = body !== undefined && externsWithin(tokens, body) > 1;
    const isTemplate =
      inMacro || isShared || scopes.some((s) => s.head.includes('template') || s.head.includes('auto'));
    if (!isTemplate) {
      const start = tokens[first]!.start;
      edits.unshift({ start, end: start, text: 'KS_EXTERN_SHARED ' });
      for (const a of innerAlignments(tokens, partners, statement))
        edits.push({ start: a.start, end: a.end, text: '' });
      for (const d of declarators) edits.push({ start: d.end, end: d.end, text: ' KS_SHARED_LABEL' });
      return;
    }
    // An alignment of a reference means nothing; the memory is aligned to 1,024 bytes.
    const nameAt = declarators[0]!.name;
    const kept: string[] = [];
    for (let i = first; i < nameAt; i++) {
      const t = tokens[i]!;
      if (words.includes(i)) continue;
      // What is called here is an attribute, perhaps by a macro of the file.
      if (t.kind === 'name' && t.text !== 'decltype' && tokens[i + 1]?.text === '(') {
        const close = partners.get(i + 1) ?? i + 1;
        edits.push({ start: t.start, end: tokens[close]!.end, text: '' });
        i = close;
      } else kept.push(t.text);
    }
    const type = kept.join(' ');
    for (const d of declarators) {
      const name = tokens[d.name]!;
      const bounds = text.slice(name.end, d.end);
      edits.push(
        { start: name.start, end: name.end, text: `(&${name.text})` },
        { start: d.end, end: d.end, text: ` = *reinterpret_cast<${type} (*)${bounds}>(::ks_dynamic_shared)` },
      );
    }
  });
  return edits;
}

/**
 * `__shared__ alignas(16) T t`: after a storage class C++ allows no alignas, so it moves to the front. Dynamic shared memory
 * is aligned enough for all.
 */
function moveAlignments(
  text: string,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  statement: { from: number; to: number },
): Edit[] {
  const found = innerAlignments(tokens, partners, statement);
  if (found.length === 0) return [];
  const { start } = tokens[statement.from]!;
  const moved = found.map((a) => `${text.slice(a.start, a.end)} `).join('');
  return [{ start, end: start, text: moved }, ...found.map((a) => ({ start: a.start, end: a.end, text: '' }))];
}

/** Each `alignas(…)` behind a word that says how the variable is stored. */
function innerAlignments(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  statement: { from: number; to: number },
): { start: number; end: number }[] {
  return indices(tokens, statement, (t) => t.text === 'alignas').flatMap((at) => {
    const close = partners.get(at + 1);
    if (close === undefined || !/^(?:__shared__|static|extern|volatile|const)$/.test(tokens[at - 1]?.text ?? ''))
      return [];
    return [{ start: tokens[at]!.start, end: tokens[close]!.end }];
  });
}

function externsWithin(tokens: readonly Token[], { open, close }: DeviceBody): number {
  return tokens.slice(open, close).filter((t) => t.text === 'extern').length;
}

interface Declarator {
  /** Index of the name's token. */
  name: number;
  /** Offset after its last `]`. */
  end: number;
}

function indices(
  tokens: readonly Token[],
  range: { from: number; to: number },
  test: (token: Token) => boolean,
): number[] {
  const found: number[] = [];
  for (let i = range.from; i < range.to; i++) if (test(tokens[i]!)) found.push(i);
  return found;
}

function statementEnd(tokens: readonly Token[], partners: ReadonlyMap<number, number>, at: number): number {
  for (let i = at; i < tokens.length; i++) {
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) i = partner;
    else if (tokens[i]?.text === ';' || tokens[i]?.text === '}') return i;
  }
  return tokens.length;
}

/** Names directly before brackets: `a[]`, `b[][32]`; else the name before the end; undefined if there is none. */
function readDeclarators(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  { from, to }: { from: number; to: number },
): Declarator[] | undefined {
  const found: Declarator[] = [];
  for (let i = from; i < to; i++) {
    const token = tokens[i]!;
    if (token.text === '(') i = partners.get(i) ?? i;
    if (token.kind !== 'name' || tokens[i + 1]?.text !== '[') continue;
    const name = i;
    let close = i;
    while (tokens[close + 1]?.text === '[') close = partners.get(close + 1) ?? to;
    if (close >= to) return undefined;
    found.push({ name, end: tokens[close]!.end });
    i = close;
  }
  if (found.length > 0) return found;
  const last = tokens[to - 1];
  return last?.kind === 'name' && !/^(?:extern|__shared__)$/.test(last.text)
    ? [{ name: to - 1, end: last.end }]
    : undefined;
}
