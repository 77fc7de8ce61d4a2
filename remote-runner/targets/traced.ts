// Which functions the candidate's own code refers to, of those that the linker is asked to tell of.
import type { Finding } from '../protocol.js';

/** Linker options, each on its own. */
export const traceOptions = (symbols: readonly string[]): string[] => symbols.map((s) => `--trace-symbol=${s}`);

/** `/usr/bin/ld: /tmp/ccX.o: reference to dlopen`; libraries, archives too, have other endings. */
const TRACE = /^\S*\bld(?:\.\w+)?: (\S+): (?:lazy )?(?:reference to|definition of) (\w+)$/;

/**
 * Takes what the linker tells of traced symbols out of a compiler's output.
 * @returns one finding for each symbol that an object of the candidate refers to, and the output without those lines
 */
export function readTraces(output: string): { findings: Finding[]; output: string } {
  const symbols = new Set<string>();
  const rest = output.split('\n').filter((line) => {
    const [, file, symbol] = TRACE.exec(line.trimEnd()) ?? [];
    if (file?.endsWith('.o') && symbol !== undefined) symbols.add(symbol);
    return symbol === undefined;
  });
  const findings = [...symbols].map((symbol) => ({
    code: 'forbidden_call',
    message: `it refers to ${symbol}, which the original does not and the task does not allow`,
  }));
  return { findings, output: rest.join('\n') };
}
