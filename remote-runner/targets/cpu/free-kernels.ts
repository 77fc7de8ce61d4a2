// Kernels whose threads never wait for each other become loops over their threads, written into the kernel itself, so that the
// compiler can vectorise them: `{ BODY }` → `{ KS_FREE_KERNEL { BODY }; KS_FREE_RUN(…) }` (harness/cpu/include/ks/free.h). Which
// thread it is tell variables of the loop, which hide the runtime's.
import { matchBrackets, type Token } from '../../../src/kernel/tokens.js';
import { tiesOf, type BoundNames } from './bound-names.js';
import type { Edit } from './edits.js';
import { findGuards } from './free-guards.js';
import { standsFor, type JobNames } from './job-names.js';
import { mayChange } from './may-change.js';
import { statementStart, type DeviceBody } from './scopes.js';

const KERNEL = new Set(['__global__']);

export function rewriteFreeKernels(
  text: string,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  bodies: readonly DeviceBody[],
  names: JobNames,
  bound: BoundNames,
): Edit[] {
  const edits: Edit[] = [];
  for (const { open, close } of bodies) {
    const from = statementStart(tokens, partners, open);
    const head = tokens.slice(from, open).map((t) => t.text);
    if (!standsFor(head, KERNEL, names)) continue;
    const parameters = readParameters(tokens, partners, open);
    // A preprocessor line may bring in what is not seen here.
    const hasLines = /^[ \t]*#/m.test(text.slice(tokens[from]!.start, tokens[close]!.start));
    if (parameters === undefined || hasLines || !isFree(tokens.slice(from, close), bound)) continue;
    const body = tokens.slice(open + 1, close);
    const inside = matchBrackets(body);
    const guards = findGuards(body, inside, parameters, bound, names);
    const changed = parameters.filter((p) => mayChange(p, body, inside, bound));
    const outer = changed.map((p) => ` auto& ks_outer_${p} = ${p};`).join('');
    const inner = changed.map((p) => ` KS_OWN_PARAMETER(${p})`).join('');
    const { end } = tokens[open]!;
    const { start } = tokens[close]!;
    edits.push({ start: end, end, text: `${outer} KS_FREE_KERNEL {${inner}` }, ...guards.edits, {
      start,
      end: start,
      text: ` }; KS_FREE_RUN(${guards.kind}) `,
    });
  }
  return edits;
}

/** True if nothing in a kernel, with its head, ties its threads to each other, or hides the variables of the loop. */
function isFree(code: readonly Token[], bound: BoundNames): boolean {
  const { waits, calls } = tiesOf(code, bound.ties);
  if (waits || calls || bound.isAnyoneTied) return false;
  return !code.some(
    ({ text }, i) =>
      /^(?:struct|class|union)$/.test(text) || (text === '[' && code[i + 1]?.text === ']' && code[i + 2]?.text === '('),
  );
}

/** Words that are no parameter's name where one is missing. */
const TYPE = /^(?:int|unsigned|signed|char|short|long|float|double|bool|void|const|__restrict__|__restrict|half)$/;

/** The names of a kernel's parameters; undefined where the list is not a plain one. */
function readParameters(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  open: number,
): string[] | undefined {
  const end = open - 1;
  const start = tokens[end]?.text === ')' ? partners.get(end) : undefined;
  if (start === undefined) return undefined;
  const list = tokens.slice(start + 1, end);
  if (list.some((t) => /^(?:\(|\.\.\.|&|&&)$/.test(t.text))) return undefined;
  const found: string[] = [];
  let depth = 0;
  let parameter: Token[] = [];
  for (const token of [...list, undefined]) {
    if (token && /^[<[]$/.test(token.text)) depth++;
    if (token && /^[>\]]$/.test(token.text)) depth--;
    if (token && (depth > 0 || token.text !== ',')) {
      parameter.push(token);
      continue;
    }
    const stop = parameter.findIndex((t) => t.text === '[' || t.text === '=');
    const name = stop < 0 ? parameter.at(-1) : parameter[stop - 1];
    if (name?.kind === 'name' && parameter.length > 1 && !TYPE.test(name.text)) found.push(name.text);
    parameter = [];
  }
  return found;
}
