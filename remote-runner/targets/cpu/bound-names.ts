// Which functions and macros of a job tie a thread to its block: they wait for other threads, or ask the runtime which thread it is.
// A kernel that uses none of them is free: its threads may run in any order and as any loop.
import { preprocess } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';
import type { JobNames } from './job-names.js';
import { deviceBodies, statementStart } from './scopes.js';

/** What a stretch of code does, itself or through what it names. */
export interface Ties {
  /** It may wait for other threads, or says in a message which thread it is. */
  waits: boolean;
  /** It looks at what other threads write: in a loop that is a wait. */
  asks: boolean;
  /** Its own words ask which thread it is. */
  placed: boolean;
  /** A function that it calls does. */
  calls: boolean;
  /** It may change a variable that it is given. */
  changes: boolean;
}

export interface BoundNames {
  ties: ReadonlyMap<string, Ties>;
  /** Something without a name of its own is tied: an operator, a lambda. */
  isAnyoneTied: boolean;
}

const WAITS =
  /^(?:__syncthreads\w*|__barrier_sync|\w+_sync|__syncwarp|sync|__shared__|cooperative_groups|cg|this_thread_block|this_grid|tiled_partition|coalesced_threads|__activemask|__(?:all|any|ballot|shfl\w*)|cub|cuda|atomic_ref|barrier|pipeline|__nanosleep|volatile|assert|__trap|asm|__asm__|thread_local)$/;
const ASKS = /^(?:atomic\w+|__ldcg|__ldcv|__ldvolatile)$/;
const THREAD = /^(?:threadIdx|blockIdx|blockDim|gridDim)$/;
const LOOPS = /^(?:while|do|goto)$/;
const NONE: Ties = { waits: false, asks: false, placed: false, calls: false, changes: false };

/** @param texts every file that is compiled */
export function boundNames(texts: Iterable<string>, names: JobNames): BoundNames {
  const functions = new Map<string, Token[][]>();
  const nameless: Token[][] = [];
  for (const text of texts) {
    const code = preprocess(new SourceText(text), tokenize(text));
    const dead = code.dead.map((d) => withoutDirectives(text.slice(d.start, d.end)));
    for (const tokens of [code.live, ...dead]) {
      const partners = matchBrackets([...tokens]);
      for (const { open, close } of deviceBodies(tokens, partners, names)) {
        const from = statementStart(tokens, partners, open);
        const head = tokens.slice(from, open);
        if (head.some((t) => t.text === '__global__')) continue;
        // With what other configurations of the preprocessor would read.
        const whole =
          tokens === code.live ? withoutDirectives(text.slice(tokens[from]!.start, tokens[close]!.end)) : [];
        const body = [...tokens.slice(from, close), ...whole];
        const name = head.find(
          (t, i) => t.kind === 'name' && head[i + 1]?.text === '(' && !ATTRIBUTE.test(t.text),
        )?.text;
        if (name === undefined || name === 'operator') nameless.push(body);
        else functions.set(name, [...(functions.get(name) ?? []), body]);
      }
    }
  }
  const ties = new Map<string, Ties>();
  // Until nothing is learnt any more: functions call each other in any order.
  for (let isNew = true; isNew;) {
    isNew = false;
    const learn = (name: string, found: Ties): void => {
      const before = ties.get(name) ?? NONE;
      const after = both(before, found);
      if (JSON.stringify(after) === JSON.stringify(before)) return;
      ties.set(name, after);
      isNew = true;
    };
    for (const [name, macros] of names.macros) for (const { body } of macros) learn(name, tiesOf(body, ties));
    for (const [name, codes] of functions)
      for (const code of codes) {
        const own = tiesOf(code, ties);
        learn(name, { ...own, placed: false, calls: own.placed || own.calls });
      }
  }
  const isAnyoneTied = nameless.some((code) => {
    const own = tiesOf(code, ties);
    return own.waits || own.asks || own.placed || own.calls;
  });
  return { ties, isAnyoneTied };
}

const ATTRIBUTE = /^(?:__attribute__|__launch_bounds__|alignas|__align__|noexcept|decltype|requires)$/;

const withoutDirectives = (text: string): Token[] => tokenize(text).filter((t) => t.kind !== 'directive');

const both = (a: Ties, b: Ties): Ties => ({
  waits: a.waits || b.waits,
  asks: a.asks || b.asks,
  placed: a.placed || b.placed,
  calls: a.calls || b.calls,
  changes: a.changes || b.changes,
});

/** What this code does, as far as is known of the names in it. */
export function tiesOf(code: readonly Token[], known: ReadonlyMap<string, Ties>): Ties {
  const all = { ...NONE };
  let loops = false;
  code.forEach(({ text, kind }, i) => {
    if (kind === 'name') {
      all.waits ||= WAITS.test(text);
      all.asks ||= ASKS.test(text);
      all.placed ||= THREAD.test(text);
      all.calls ||= THREAD.test(text) && code[i - 1]?.text === '::';
      loops ||= LOOPS.test(text);
      const other = known.get(text);
      if (other) Object.assign(all, both(all, other));
    }
    // `for (;;)`, `for (bool done = false; !done;)`
    loops ||= text === ';' && code[i + 1]?.text === ')';
    // `float& out` among the parameters, unless it is `const float& in`.
    all.changes ||= text === '&' && code[i + 1]?.kind === 'name' && code[i - 2]?.text !== 'const';
  });
  // A `for` that asks counts, as a rule; one that does not is a loop of atomic functions, which let others run by themselves.
  return { ...all, waits: all.waits || (loops && all.asks) };
}
