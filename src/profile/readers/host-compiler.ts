// Reads what g++ and clang++ print: `file:line:column: severity: text`, where a template was instantiated, where a file was
// included from, and what the linker misses.
import type { Diagnostic } from '../../../remote-runner/protocol.js';
import { withoutRepeats } from './without-repeats.js';

const main = /^(.+?):(\d+):(?:(\d+):)? (fatal error|error|warning|note): (.*)$/;
const plain =
  /^(?:[\w./+-]*(?:g\+\+|clang\+\+|cc1plus|collect2|clang))(?:-[\d.]+)?: (fatal error|error|warning): (.*)$/;
const instantiated = /^(.+?):(\d+):(?:(\d+):)?\s+(required (?:from|by) .*|recursively required .*)$/;
const option = /\s*\[(-W[\w=+-]+)\]$/;
const undefinedInFile =
  /^(?:.*?ld(?:\.\w+)?: )?(?:\S+\.o: in function .*|(.+?):(?:\(\.[^)]*\)|(\d+)): (undefined reference to .*|multiple definition of .*))$/;
const library = /^(?:.*?ld(?:\.\w+)?: )?(cannot find -l\S+.*|unable to find library -l\S+.*)$/;

/** Diagnostics in the order printed; notes hang on the diagnostic they explain. */
export function readHostCompilerDiagnostics(text: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  // g++ says where a template was used before the error itself, clang++ after it.
  let pending: NonNullable<Diagnostic['related']> = [];
  for (const line of text.split(/\r?\n/)) {
    const place = main.exec(line);
    if (place) {
      const [, file = '', row = '1', column, severity = 'error', message = ''] = place;
      const at = { file, line: Math.max(1, Number(row)), ...(column ? { column: Math.max(1, Number(column)) } : {}) };
      const last = found.at(-1);
      if (severity === 'note' && last) {
        (last.related ??= []).push({ ...at, message });
        continue;
      }
      const code = option.exec(message)?.[1];
      found.push({
        ...at,
        severity: severity === 'warning' || severity === 'note' ? severity : 'error',
        ...(code ? { code } : {}),
        message: message.replace(option, ''),
        ...(pending.length > 0 ? { related: pending } : {}),
      });
      pending = [];
      continue;
    }
    const use = instantiated.exec(line);
    if (use) {
      const [, file = '', row = '1', column, message = ''] = use;
      const at = { file, line: Math.max(1, Number(row)), ...(column ? { column: Math.max(1, Number(column)) } : {}) };
      pending.push({ ...at, message });
      continue;
    }
    const missing = undefinedInFile.exec(line);
    if (missing?.[3] !== undefined) {
      found.push({
        file: missing[1] ?? '',
        line: Math.max(1, Number(missing[2] ?? 1)),
        severity: 'error',
        code: 'ld',
        message: missing[3],
      });
      continue;
    }
    const noLibrary = library.exec(line)?.[1];
    if (noLibrary !== undefined) found.push({ file: 'ld', line: 1, severity: 'error', code: 'ld', message: noLibrary });
    const tool = plain.exec(line);
    // `collect2: error: ld returned 1 exit status` only repeats what the linker has said.
    if (tool && !(found.length > 0 && /ld returned|linker command failed/.test(tool[2] ?? '')))
      found.push({
        file: 'command line',
        line: 1,
        severity: tool[1] === 'warning' ? 'warning' : 'error',
        message: tool[2] ?? '',
      });
  }
  // A header that is read twice says everything twice.
  return withoutRepeats(found);
}
