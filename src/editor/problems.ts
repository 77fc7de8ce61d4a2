// From what compilers say to places an editor can show. Pure; diagnostics.ts hands the result to VS Code.
import * as path from 'node:path';
import type { Diagnostic, Verdict } from '../../remote-runner/protocol.js';

export interface Problem {
  /** Absolute path of a file of the task. */
  file: string;
  /** 0-based; the column is absent where only the line is known. */
  line: number;
  column?: number;
  /** What to underline from `column` on, where it is known. */
  length?: number;
  severity: 'error' | 'warning' | 'information';
  code?: string;
  message: string;
  related: { file: string; line: number; column?: number; message: string }[];
}

/**
 * Everything in a verdict that has a place. A place outside `root` (a toolkit header) is shown where the task's own files
 * lead to it, else on the first line of `fallback`, with the true place in the message.
 * @param root folder that the runner's relative paths start from
 * @param fallback absolute path of the task's first source
 */
export function problemsOf(verdict: Verdict, root: string, fallback: string): Problem[] {
  const problems = placesOf(verdict, root, fallback);
  for (const f of verdict.findings) {
    if (f.file === undefined || f.line === undefined) continue;
    problems.push({ ...place(f.file, f.line, undefined, root, fallback), ...plain('warning', f.message, f.code) });
  }
  return problems;
}

/** What compilers, and the limits of a target, say of places; a calibration has these too. */
export function placesOf(
  { diagnostics, unsupported, target }: Pick<Verdict, 'diagnostics' | 'unsupported' | 'target'>,
  root: string,
  fallback: string,
): Problem[] {
  const problems = diagnostics.filter((d) => d.severity !== 'note').map((d) => fromDiagnostic(d, root, fallback));
  if (unsupported) {
    const { construct, file, line, cudaWouldDo } = unsupported;
    const where = target ? `${target.name} does not support` : 'Not supported:';
    const remedy = cudaWouldDo ? '; a CUDA device would run it' : '';
    problems.push({
      ...place(file, line, undefined, root, fallback),
      ...plain('warning', `${where} ${construct}${remedy}`, 'unsupported'),
    });
  }
  return problems;
}

function plain(severity: Problem['severity'], message: string, code: string) {
  return { severity, message, code, related: [] };
}

function fromDiagnostic(d: Diagnostic, root: string, fallback: string): Problem {
  const severity = d.severity === 'error' ? 'error' : 'warning';
  const code = d.code === undefined ? {} : { code: d.code };
  const related = (d.related ?? []).flatMap((r) => {
    const file = inside(r.file, root);
    return file === undefined ? [] : [{ ...position(r.line, r.column), file, message: r.message }];
  });
  const own = inside(d.file, root);
  if (own !== undefined)
    return { file: own, ...position(d.line, d.column), severity, ...code, message: d.message, related };
  const message = `${d.message} (in ${d.file}:${d.line})`;
  const nearest = related[0];
  if (!nearest) return { file: fallback, line: 0, severity, ...code, message, related };
  const { message: _, ...where } = nearest;
  return { ...where, severity, ...code, message, related };
}

function place(file: string, line: number, column: number | undefined, root: string, fallback: string) {
  const own = inside(file, root);
  return own === undefined ? { file: fallback, line: 0 } : { file: own, ...position(line, column) };
}

function position(line: number, column: number | undefined) {
  return { line: line - 1, ...(column !== undefined && { column: column - 1 }) };
}

/** Absolute path of `file` when it lies below `root`. */
function inside(file: string, root: string): string | undefined {
  const absolute = path.resolve(root, file);
  const relative = path.relative(root, absolute);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? undefined : absolute;
}

/** What to underline in a line: the word at `column`, else the line without its indentation. Columns are 0-based. */
export function underline(lineText: string, column: number | undefined): { start: number; end: number } {
  const start = column === undefined ? lineText.search(/\S|$/) : Math.min(column, lineText.length);
  if (column === undefined) return { start, end: Math.max(start, lineText.trimEnd().length) };
  const word = /^(\w+|<<<|>>>|[^\s\w])/.exec(lineText.slice(start))?.[0].length ?? 0;
  return { start, end: Math.min(lineText.length, start + Math.max(word, 1)) };
}
