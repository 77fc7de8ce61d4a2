// Static shared memory of each function, read from the built library: shared variables are its thread-local symbols. ptxas
// refuses more than 48 KiB; a host compiler would not.

import { variablesOf } from './symbols.js';

const LIMIT = 48 * 1024;

/** Says which function declares more static shared memory than a kernel may have, in the words of ptxas. */
export function tooLargeShared(library: Buffer): string | undefined {
  const sums = new Map<string, { size: number; names: string[] }>();
  for (const { name, size } of variablesOf(library).filter((v) => v.isThreadLocal)) {
    // A variable of a function: _ZZ <function> E <length> <name>, with _N behind for the second of that name.
    const match = /^_ZZ(.*)E\d+(\w+?)(?:_\d+)?$/.exec(name);
    const owner = match?.[1] ?? '';
    const sum = sums.get(owner) ?? { size: 0, names: [] };
    sums.set(owner, { size: sum.size + size, names: [...sum.names, match?.[2] ?? name] });
  }
  for (const [owner, { size, names }] of sums) {
    if (size <= LIMIT) continue;
    const where = owner === '' ? 'the file' : `function '_Z${owner}'`;
    return `${where} uses too much shared data (0x${size.toString(16)} bytes, 0xc000 max): ${names.join(', ')}`;
  }
  return undefined;
}
