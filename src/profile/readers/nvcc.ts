// Reads what nvcc prints: diagnostics of its front end, and of ptxas. The host compiler's own format and the linker's
// are read by host-compiler.ts; one run may print both.
import type { Diagnostic } from '../../../remote-runner/protocol.js';
import { withoutRepeats } from './without-repeats.js';

const frontEnd = /^(.+?)\((\d+)\): (fatal error|catastrophic error|error|warning)(?: #(\d+(?:-D)?))?: (.*)$/;
const instantiation = /^\s+instantiation of (.*) at line (\d+)(?: of (.+))?$/;
const ptxas = /^ptxas (?:\/\S+, line \d+; )?\s*(fatal|error|warning)\s*: (.*)$/;
const nvlink = /^(nvcc|nvlink)\s+(fatal|error|warning)\s*: (.*)$/;

/**
 * Diagnostics in the order printed. Columns are absent: nvcc's carets count preprocessed text, not the file.
 * ptxas and the linker know no line: theirs are given `fallbackFile`, line 1.
 */
export function readNvccDiagnostics(text: string, fallbackFile: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const line of text.split(/\r?\n/)) {
    let match = frontEnd.exec(line);
    if (match) {
      const [, file, number, severity, code, message] = match;
      found.push({
        file: file!,
        line: Math.max(1, Number(number)),
        severity: severity === 'warning' ? 'warning' : 'error',
        ...(code ? { code } : {}),
        message: message!,
      });
      continue;
    }
    const last = found.at(-1);
    match = instantiation.exec(line);
    if (match && last) {
      // Without a name the place is in the file of the diagnostic itself.
      (last.related ??= []).push({
        file: match[3] ?? last.file,
        line: Number(match[2]),
        message: `instantiation of ${match[1]}`,
      });
      continue;
    }
    match = ptxas.exec(line);
    if (match) {
      found.push({
        file: fallbackFile,
        line: 1,
        severity: match[1] === 'warning' ? 'warning' : 'error',
        code: 'ptxas',
        message: match[2]!,
      });
      continue;
    }
    match = nvlink.exec(line);
    if (match) {
      found.push({
        file: fallbackFile,
        line: 1,
        severity: match[2] === 'warning' ? 'warning' : 'error',
        code: match[1]!,
        message: match[3]!,
      });
      continue;
    }
  }
  // It compiles for the host and for the device and says some things twice.
  return withoutRepeats(found);
}
