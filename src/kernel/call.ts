// Whether a text is exactly one call expression: what a task's `call` must be before it is compiled as part of our own code.
import type { KernelParser } from './parser.js';
import { matchBrackets, tokenize } from './tokens.js';

/**
 * Checks `ns::attention<T>(q, k, o, {b, s, d}, stream)`.
 * @returns undefined if it is one call, else why not and what to write
 */
export function checkCall(parser: KernelParser, text: string): string | undefined {
  // Anything that could end the expression, hide a part of it, or start another line is refused before the grammar sees it.
  if (/[\p{Cc}\\#]/u.test(text)) return 'must be one line without backslashes and #';
  if (/\/\/|\/\*/.test(text)) return 'must not hold comments';
  const tokens = tokenize(text);
  if (tokens.some((t) => t.text === ';')) return 'must be one call expression, without ;';
  if (tokens.some((t) => t.text === '<<<'))
    return 'must call a host function: for bare kernels use "kernel" and "launch"';
  const partners = matchBrackets(tokens);
  const isBracket = (t: string) => t.length === 1 && '()[]{}'.includes(t);
  const unbalanced = tokens.find((t, i) => t.kind === 'mark' && isBracket(t.text) && !partners.has(i));
  if (unbalanced) return `has an unbalanced ${unbalanced.text}`;
  return parser.withTree(`void f() { ${text}; }`, ({ rootNode }) => {
    const body = rootNode.namedChild(0)?.childForFieldName('body');
    const statement = body?.namedChild(0);
    const isSound = !rootNode.hasError && rootNode.namedChildCount === 1 && body?.namedChildCount === 1;
    const isCall =
      isSound && statement?.type === 'expression_statement' && statement.namedChild(0)?.type === 'call_expression';
    return isCall ? undefined : 'must be one call expression such as "ns::run<T>(x, y, n, stream)"';
  });
}
