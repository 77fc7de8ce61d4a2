// Preprocessor lines: which code is live, and the macros of the file. Nothing is expanded, conditions are not evaluated except
// for the literals 0 and 1: a reader cannot know the others, so it reads every branch it can.
import type { SourceText } from './text.js';
import { tokenize, type Token } from './tokens.js';
import type { Unread } from './types.js';

export interface Macro {
  name: string;
  /** Absent for object-like macros. */
  parameters?: string[];
  body: Token[];
  /** The directive. */
  start: number;
  end: number;
}

export interface Preprocessed {
  /** Tokens that are compiled in some configuration, without preprocessor lines. */
  live: Token[];
  /** Live preprocessor lines. */
  directives: Token[];
  macros: Macro[];
  /** Stretches of text that are never compiled, or that contradict the branch that is read. */
  dead: { start: number; end: number }[];
  unread: Unread[];
}

interface Branch {
  condition: string;
  from: number;
  to: number;
}

/** Sorts the tokens of a file into live and dead ones and collects its macros. */
export function preprocess(source: SourceText, tokens: readonly Token[]): Preprocessed {
  const dead: { start: number; end: number }[] = [];
  const unread: Unread[] = [];
  for (const branches of conditionals(tokens)) {
    for (const branch of deadBranches(tokens, branches)) {
      const first = tokens[branch.from];
      const last = tokens[branch.to - 1];
      if (!first || !last) continue;
      dead.push({ start: first.start, end: last.end });
      const isHidden = branch.reason === 'unbalanced' && hidesKernels(tokens.slice(branch.from, branch.to));
      if (isHidden) {
        const reason = 'kernels or launches in an #else whose brackets do not fit the branch before it';
        unread.push({ range: source.range(first.start, last.end), reason });
      }
    }
  }
  dead.sort((a, b) => a.start - b.start);
  const isLive = liveness(dead);
  const alive = tokens.filter((t) => isLive(t.start));
  const directives = alive.filter((t) => t.kind === 'directive');
  return {
    live: alive.filter((t) => t.kind !== 'directive'),
    directives,
    macros: directives.flatMap(readMacro),
    dead,
    unread,
  };
}

/** Answers for growing offsets whether they lie outside all dead stretches. */
function liveness(dead: readonly { start: number; end: number }[]): (offset: number) => boolean {
  let at = 0;
  let reach = -1;
  return (offset) => {
    for (let next = dead[at]; next && next.start <= offset; next = dead[++at]) reach = Math.max(reach, next.end);
    return offset >= reach;
  };
}

function hidesKernels(tokens: readonly Token[]): boolean {
  return tokens.some((t) =>
    t.kind === 'directive' ? /__global__|<<</.test(t.text) : t.text === '__global__' || t.text === '<<<',
  );
}

const CONDITIONAL = /^#\s*(ifdef|ifndef|if|elif|elifdef|elifndef|else|endif)\b\s*(.*)/s;

/** Every #if … #endif as its branches, in token indices; inner ones come first. */
function conditionals(tokens: readonly Token[]): Branch[][] {
  const groups: Branch[][] = [];
  const open: Branch[][] = [];
  tokens.forEach((token, index) => {
    const match = token.kind === 'directive' ? CONDITIONAL.exec(token.text) : null;
    if (!match) return;
    const [, word = '', condition = ''] = match;
    const current = open.at(-1);
    const last = current?.at(-1);
    if (word.startsWith('if')) {
      open.push([{ condition: word === 'if' ? condition : '?', from: index + 1, to: tokens.length }]);
    } else if (current && last) {
      last.to = index;
      if (word === 'endif') groups.push(...open.splice(-1));
      else current.push({ condition: word === 'elif' ? condition : '?', from: index + 1, to: tokens.length });
    }
  });
  return [...groups, ...open];
}

function deadBranches(
  tokens: readonly Token[],
  branches: readonly Branch[],
): (Branch & { reason: 'condition' | 'unbalanced' })[] {
  const dead: (Branch & { reason: 'condition' | 'unbalanced' })[] = [];
  let isDecided = false;
  const possible = branches.filter((branch) => {
    const never = isDecided || literalOf(branch.condition) === false;
    if (literalOf(branch.condition) === true) isDecided = true;
    if (never) dead.push({ ...branch, reason: 'condition' });
    return !never;
  });
  // Branches that open and close the same brackets can be read one after the other; others exclude each other.
  const isBalancedAll = possible.every((b) => isBalanced(tokens.slice(b.from, b.to)));
  if (!isBalancedAll) dead.push(...possible.slice(1).map((b) => ({ ...b, reason: 'unbalanced' as const })));
  return dead;
}

function literalOf(condition: string): boolean | undefined {
  const plain = condition.replace(/\/\*.*?\*\//gs, ' ').trim();
  if (/^(0|false)$/.test(plain)) return false;
  return /^(1|true)$/.test(plain) ? true : undefined;
}

function isBalanced(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const { kind, text } of tokens) {
    if (kind !== 'mark') continue;
    if (text === '(' || text === '[' || text === '{') depth++;
    else if (text === ')' || text === ']' || text === '}') depth--;
    if (depth < 0) return false;
  }
  return depth === 0;
}

const DEFINE = /^#\s*define\s+([\p{L}_$][\p{L}\p{N}_$]*)(\(([^)]*)\))?/u;

function readMacro(directive: Token): Macro[] {
  const match = DEFINE.exec(directive.text);
  if (!match) return [];
  const [head, name = '', list, parameters = ''] = match;
  const offset = directive.start + head.length;
  // Continued lines are joined for the reader's eye only: offsets stay those of the file.
  const body = tokenize(directive.text.slice(head.length).replace(/\\(?=\r?\n)/g, ' '))
    .flatMap((t) => (t.kind === 'directive' ? [] : [t]))
    .map((t) => ({ ...t, start: t.start + offset, end: t.end + offset }));
  return [
    {
      name,
      ...(list === undefined ? {} : { parameters: parameters.split(',').map((p) => p.trim()) }),
      body,
      start: directive.start,
      end: directive.end,
    },
  ];
}

/** What a use of a macro stands for, as text: parameters replaced, # and ## applied, other macros left as they are. */
export function expandMacro(macro: Macro, args: readonly string[]): string {
  const parameters = macro.parameters ?? [];
  const valueOf = (name: string): string | undefined => {
    if (name === '__VA_ARGS__') return args.slice(parameters.length - 1).join(', ');
    const index = parameters.indexOf(name);
    return index === -1 ? undefined : (args[index] ?? '');
  };
  let text = '';
  for (let i = 0; i < macro.body.length; i++) {
    const token = macro.body[i];
    const next = macro.body[i + 1];
    const before = macro.body[i - 1];
    if (token === undefined || token.text === '##') continue;
    const stringified = token.text === '#' && next ? valueOf(next.text) : undefined;
    if (stringified !== undefined) i++;
    const replaced = stringified === undefined ? valueOf(token.text) : JSON.stringify(stringified);
    const isPasted = before?.text === '##';
    // `-x` with x = -1 must not become `--1`: a replaced word keeps its distance.
    const isApart = before !== undefined && (before.end < token.start || (replaced ?? '').startsWith(before.text));
    text += (isApart && !isPasted ? ' ' : '') + (replaced ?? token.text);
  }
  return text;
}
