// A candidate file stands in for the task's source: the verdict then speaks of the file that the user gave.
import type { Diagnostic, Finding, Verdict } from '../../remote-runner/protocol.js';

/**
 * The verdict with one path in place of another, wherever it names a place in the candidate.
 * @param from path that the candidate travelled under
 * @param to as the user wrote it
 */
export function toldOf(verdict: Verdict, from: string, to: string): Verdict {
  // Then the places are in the original, whose path is right.
  if (/^(in )?the original\b/.test(verdict.message)) return verdict;
  const file = (path: string): string => (path === from ? to : path);
  const escaped = from.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const mention = new RegExp(`(?<![\\w./\\\\-])${escaped}(?![\\w/\\\\-]|\\.\\w)`, 'g');
  const text = (said: string): string => said.replace(mention, () => to);
  const place = <T extends { file: string; message: string }>(at: T): T => ({
    ...at,
    file: file(at.file),
    message: text(at.message),
  });
  const { unsupported, output } = verdict;
  return {
    ...verdict,
    message: text(verdict.message),
    diagnostics: verdict.diagnostics.map((d): Diagnostic => ({
      ...place(d),
      ...(d.related && { related: d.related.map(place) }),
    })),
    findings: verdict.findings.map((f): Finding => ({
      ...f,
      message: text(f.message),
      ...(f.file !== undefined && { file: file(f.file) }),
    })),
    ...(unsupported && { unsupported: { ...unsupported, file: file(unsupported.file) } }),
    ...(output !== undefined && { output: text(output) }),
  };
}
