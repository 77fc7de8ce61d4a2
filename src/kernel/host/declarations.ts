// What a file declares outside of functions and classes, by tokens: functions, constants, and whatever else takes a name.
import type { Token } from '../tokens.js';

interface Common {
  name: string;
  /** Namespaces around it. */
  scope: readonly string[];
  /** Offset of the name, of the first word of the declaration, and where it ends. */
  start: number;
  from: number;
  end: number;
}

export type Declaration = Common &
  (
    | { kind: 'function'; /** Offset of its body. */ headerEnd: number }
    /** Indices of tokens: of the declared type with its specifiers, and of the initial value. */
    | { kind: 'constant'; typeFrom: number; typeTo: number; valueFrom: number; valueTo: number }
    | { kind: 'other' }
  );

type Partners = ReadonlyMap<number, number>;

interface Statement {
  from: number;
  to: number;
  scope: readonly string[];
  /** Index of the brace that opens a function's body. */
  body?: number;
}

/** All of a file, in order. A name that is declared twice is there twice. */
export function scanDeclarations(tokens: readonly Token[], partners: Partners): Declaration[] {
  return statements(tokens, partners).flatMap((s) => declarationsOf(tokens, partners, s));
}

/** Every word outside of brackets, functions and classes; `isValue` where it stands in an initial value. */
export function outsideFunctions(tokens: readonly Token[], partners: Partners): { token: Token; isValue: boolean }[] {
  return statements(tokens, partners).flatMap(({ from, to, body = to }) => {
    const all: { token: Token; isValue: boolean }[] = [];
    let isValue = false;
    for (let i = from; i < body; i++) {
      const token = tokens[i];
      const partner = partners.get(i);
      if (token?.text === '=') isValue = true;
      if (token?.text === ',') isValue = false;
      if (token?.kind === 'name') all.push({ token, isValue });
      if (partner !== undefined && partner > i) i = partner;
    }
    return all;
  });
}

/** Splits a file into its declarations; namespaces and linkage blocks are looked into. */
function statements(tokens: readonly Token[], partners: Partners): Statement[] {
  const text = (i: number): string => tokens[i]?.text ?? '';
  const found: Statement[] = [];
  const open: { close: number; scope: readonly string[] }[] = [];
  let i = 0;
  while (i < tokens.length) {
    while (open.length > 0 && i >= (open.at(-1)?.close ?? 0)) i = Math.max(i, (open.pop()?.close ?? i) + 1);
    if (i >= tokens.length) break;
    const scope = open.at(-1)?.scope ?? [];
    const brace = blockStart(tokens, i);
    const close = brace === undefined ? undefined : partners.get(brace.at);
    if (brace && close !== undefined) {
      open.push({ close, scope: [...scope, ...brace.names] });
      i = brace.at + 1;
      continue;
    }
    const statement = { from: i, scope, ...endOf(tokens, partners, i, open.at(-1)?.close ?? tokens.length) };
    if (text(i) !== ';') found.push(statement);
    i = statement.to;
  }
  return found;
}

/** `namespace a::b {` and `extern "C" {`. */
function blockStart(tokens: readonly Token[], at: number): { at: number; names: string[] } | undefined {
  let i = at;
  if (tokens[i]?.text === 'inline') i++;
  if (tokens[i]?.text === 'namespace') {
    const names: string[] = [];
    for (i++; tokens[i]?.kind === 'name' || tokens[i]?.text === '::'; i++)
      if (tokens[i]?.kind === 'name') names.push(tokens[i]?.text ?? '');
    return tokens[i]?.text === '{' ? { at: i, names } : undefined;
  }
  if (tokens[i]?.text !== 'extern' || tokens[i + 1]?.kind !== 'string') return undefined;
  return tokens[i + 2]?.text === '{' ? { at: i + 2, names: [] } : undefined;
}

/** One past the end of the declaration at an index: behind its `;`, or behind the body of a function. */
function endOf(tokens: readonly Token[], partners: Partners, at: number, limit: number): { to: number; body?: number } {
  let hasParameters = false;
  let hasValue = false;
  for (let i = at; i < limit; i++) {
    const text = tokens[i]?.text;
    const partner = partners.get(i);
    if (text === ';') return { to: i + 1 };
    if (text === '=') hasValue = true;
    if (text === '(' && !isAttribute(tokens[i - 1])) hasParameters = true;
    if (partner === undefined || partner < i) continue;
    if (text === '{' && hasParameters && !hasValue) return { to: partner + 1, body: i };
    i = partner;
  }
  return { to: limit };
}

const isAttribute = (before: Token | undefined): boolean =>
  /^(__launch_bounds__|__attribute__|__declspec|alignas|__align__|__cluster_dims__|__block_size__|__maxnreg__|decltype|noexcept)$/.test(
    before?.text ?? '',
  );

const TYPE_KEY = /^(struct|class|union|enum)$/;

function declarationsOf(tokens: readonly Token[], partners: Partners, statement: Statement): Declaration[] {
  const { scope, to, body } = statement;
  const text = (i: number): string => tokens[i]?.text ?? '';
  const last = tokens[to - 1]?.end ?? 0;
  const first = tokens[statement.from]?.start ?? 0;
  const named = (i: number): Common => ({
    name: text(i),
    scope,
    start: tokens[i]?.start ?? 0,
    from: first,
    end: last,
  });
  let from = statement.from;
  while (text(from) === 'template') from = afterTemplate(tokens, partners, from + 1, to);
  if (text(from) === 'using' || text(from) === 'namespace' || text(from) === 'typedef')
    return text(from + 1) === 'namespace'
      ? []
      : others(tokens, partners, from + 1, to).map((i) => ({ ...named(i), kind: 'other' }));
  if (body !== undefined) {
    const name = functionName(tokens, partners, from, body);
    const header = tokens[body]?.start ?? 0;
    return name === undefined
      ? others(tokens, partners, from, body).map((i) => ({ ...named(i), kind: 'other' }))
      : [{ ...named(name), kind: 'function', headerEnd: header }];
  }
  for (let i = from; i < to && !['=', '(', '{'].includes(text(i)); i++)
    // The names in an enumeration are those of its surroundings, and so may be those in a union.
    if (TYPE_KEY.test(text(i)))
      return others(tokens, partners, from, to, /^(enum|union)$/.test(text(i))).map((at) => ({
        ...named(at),
        kind: 'other',
      }));
  return variables(tokens, partners, from, to).map((v) => {
    const common = named(v.name);
    const words = tokens.slice(from, v.typeTo).map((t) => t.text);
    const isConstant =
      words.includes('constexpr') ||
      (words.includes('const') && !words.some((w) => w.startsWith('__') && w.endsWith('__')));
    return isConstant && from === statement.from && v.valueTo > v.valueFrom
      ? { ...common, kind: 'constant', typeFrom: from, typeTo: v.typeTo, valueFrom: v.valueFrom, valueTo: v.valueTo }
      : { ...common, kind: 'other' };
  });
}

/** One past the template parameters that start at an index. */
function afterTemplate(tokens: readonly Token[], partners: Partners, at: number, limit: number): number {
  if (tokens[at]?.text !== '<') return at;
  let depth = 0;
  for (let i = at; i < limit; i++) {
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) i = partner;
    else if (tokens[i]?.text === '<') depth++;
    else if (tokens[i]?.text === '<<') depth += 2;
    else if (tokens[i]?.text === '>' && --depth === 0) return i + 1;
  }
  return limit;
}

/** The word in front of the parameters. */
function functionName(tokens: readonly Token[], partners: Partners, from: number, to: number): number | undefined {
  for (let i = from; i < to; i++) {
    const partner = partners.get(i);
    if (tokens[i]?.text === '(' && !isAttribute(tokens[i - 1])) {
      return tokens[i - 1]?.kind === 'name' ? i - 1 : undefined;
    }
    if (partner !== undefined && partner > i) i = partner;
  }
  return undefined;
}

/** Every word outside of brackets, and with `inside` also those in braces: what may be declared in a way that is not read. */
function others(tokens: readonly Token[], partners: Partners, from: number, to: number, inside = false): number[] {
  const found: number[] = [];
  for (let i = from; i < to; i++) {
    const partner = partners.get(i);
    if (partner !== undefined && partner > i && !(inside && tokens[i]?.text === '{')) i = partner;
    else if (tokens[i]?.kind === 'name' && !ORDINARY.has(tokens[i]?.text ?? '')) found.push(i);
  }
  return found;
}

/** Words of the language and of CUDA that name types or qualify: standing in a declaration they are not declared by it. */
const ORDINARY = new Set(
  (
    'static inline extern const constexpr volatile unsigned signed short long int char float double bool void auto struct class ' +
    'union enum typename template using typedef namespace public private protected virtual explicit operator friend mutable ' +
    'alignas __align__ __device__ __host__ __global__ __constant__ __shared__ __forceinline__ __restrict__ return if else for ' +
    'while do sizeof this true false nullptr'
  ).split(' '),
);

interface Variable {
  name: number;
  typeTo: number;
  valueFrom: number;
  valueTo: number;
}

/** `constexpr int a = 1, b{2};` and declarations of functions, whose parameters are then no value. */
function variables(tokens: readonly Token[], partners: Partners, from: number, to: number): Variable[] {
  const text = (i: number): string => tokens[i]?.text ?? '';
  const found: Variable[] = [];
  let typeTo: number | undefined;
  for (let i = from; i < to; i++) {
    const partner = partners.get(i);
    const next = text(i + 1);
    if (tokens[i]?.kind === 'name' && ['=', '{', '(', '[', ';', ','].includes(next) && !isAttribute(tokens[i])) {
      typeTo ??= i;
      const end = declaratorEnd(tokens, partners, i + 1, to);
      const close = partners.get(i + 1);
      const value = next === '=' ? [i + 2, end] : next === '{' && close !== undefined ? [i + 2, close] : [0, 0];
      found.push({ name: i, typeTo, valueFrom: value[0] ?? 0, valueTo: value[1] ?? 0 });
      i = end;
    } else if (partner !== undefined && partner > i) i = partner;
  }
  return found;
}

/** The `,` or `;` behind a declarator. */
function declaratorEnd(tokens: readonly Token[], partners: Partners, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const partner = partners.get(i);
    if (partner !== undefined && partner > i) i = partner;
    else if (tokens[i]?.text === ',' || tokens[i]?.text === ';') return i;
  }
  return to;
}
