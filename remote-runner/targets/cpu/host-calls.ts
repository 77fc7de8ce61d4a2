// Device code that uses what only the host has, in nvcc's words.
import { preprocess } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';
import type { Diagnostic } from '../../protocol.js';
import type { HostNames } from './host-names.js';
import type { JobNames } from './job-names.js';
import { deviceBodies, statementStart, type DeviceBody } from './scopes.js';

/**
 * @param inactive stretches that are not compiled
 */
export function findHostCalls(
  file: string,
  text: string,
  names: JobNames,
  host: HostNames,
  inactive: readonly { start: number; end: number }[],
): Diagnostic[] {
  const source = new SourceText(text);
  const { live } = preprocess(source, tokenize(text));
  const partners = matchBrackets(live);
  const found: Diagnostic[] = [];
  for (const body of deviceBodies(live, partners, names)) {
    // In a function for both sides nvcc only warns: it may never be called on the device.
    if (body.isHostToo) continue;
    const first = statementStart(live, partners, body.open);
    const own = declaredWithin(live, first, body.close);
    for (let i = body.open + 1; i < body.close; i++) {
      const token = live[i]!;
      if (token.kind !== 'name' || own.has(token.text) || isMember(live, i)) continue;
      if (inactive.some((r) => token.start >= r.start && token.start < r.end)) continue;
      const message = complaint(live, i, host, live.slice(first, body.open), body);
      if (message === undefined) continue;
      const { line, column } = source.positionAt(token.start);
      found.push({ file, line: line + 1, column: column + 1, severity: 'error', message });
    }
  }
  return found;
}

function complaint(
  tokens: readonly Token[],
  at: number,
  host: HostNames,
  head: readonly Token[],
  { open }: DeviceBody,
): string | undefined {
  const name = tokens[at]!.text;
  if (tokens[at + 1]?.text === '(') {
    if (!host.functions.has(name)) return undefined;
    const kind = head.some((t) => t.text === '__global__') ? '__global__' : '__device__';
    const caller = callerName(tokens, head, open);
    return `calling a __host__ function("${name}") from a ${kind} function("${caller}") is not allowed`;
  }
  if (!host.variables.has(name) || tokens[at + 1]?.text === '::') return undefined;
  return `identifier "${name}" is undefined in device code`;
}

function callerName(tokens: readonly Token[], head: readonly Token[], open: number): string {
  for (let i = 0; i + 1 < head.length; i++) {
    const isAttribute = /^(?:__launch_bounds__|__attribute__|alignas|decltype)$/.test(head[i]!.text);
    if (head[i]!.kind === 'name' && head[i + 1]!.text === '(' && !isAttribute) return head[i]!.text;
  }
  return tokens[open - 1]?.kind === 'name' ? tokens[open - 1]!.text : 'operator()';
}

function isMember(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text;
  if (before === '.' || before === '->') return true;
  // `std::f` and `Class::f` are not the functions that were read; `::f` is.
  return before === '::' && tokens[at - 2]?.kind === 'name';
}

/** Names that a function declares itself, parameters included: whatever stands behind a type, or behind a comma or bracket. */
function declaredWithin(tokens: readonly Token[], from: number, to: number): Set<string> {
  const names = new Set<string>();
  for (let i = from; i < to; i++) {
    const token = tokens[i]!;
    const before = tokens[i - 1];
    if (token.kind !== 'name' || before === undefined) continue;
    const isBehindType =
      before.kind === 'name' ? !/^(?:return|else|case|goto|throw|do)$/.test(before.text) : /^[*&>[]$/.test(before.text);
    const isDeclarator = /^[=;,)[({:\]]$/.test(tokens[i + 1]?.text ?? '');
    // `a * f(x)` is no declaration: a pointer's name is not called.
    if (isBehindType && isDeclarator && !(before.kind !== 'name' && /^[([]$/.test(tokens[i + 1]?.text ?? '')))
      names.add(token.text);
    if (before.text === ',' && /^[=;,[]$/.test(tokens[i + 1]?.text ?? '')) names.add(token.text);
  }
  return names;
}
