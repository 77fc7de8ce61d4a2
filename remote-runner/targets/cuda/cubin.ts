// The kernels of a cubin, from its symbol table.

const [SYMTAB, FUNCTION, ENTRY] = [2, 2, 0x10];
/** A module with more is not what a task launches. */
const MOST = 4096;
const LONGEST = 4096;

/**
 * Mangled names of the kernels in a 64-bit little-endian cubin. Its names may be hostile, its structure is ptxas's.
 * @returns none for any other file
 */
export function kernelsOf(file: Buffer): string[] {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) return [];
  const names: string[] = [];
  const sections = Number(file.readBigUInt64LE(0x28));
  const [entrySize, count] = [file.readUInt16LE(0x3a), file.readUInt16LE(0x3c)];
  const header = (index: number): { type: number; offset: number; size: number; link: number } | undefined => {
    const at = sections + index * entrySize;
    if (entrySize < 64 || at + 64 > file.length) return undefined;
    return {
      type: file.readUInt32LE(at + 4),
      offset: Number(file.readBigUInt64LE(at + 0x18)),
      size: Number(file.readBigUInt64LE(at + 0x20)),
      link: file.readUInt32LE(at + 0x28),
    };
  };
  for (let i = 0; i < count; i++) {
    const table = header(i);
    const strings = table?.type === SYMTAB ? header(table.link) : undefined;
    if (!table || !strings) continue;
    for (let at = table.offset; at + 24 <= Math.min(table.offset + table.size, file.length); at += 24) {
      const isKernel = (file[at + 4]! & 0xf) === FUNCTION && (file[at + 5]! & ENTRY) !== 0;
      if (!isKernel || file.readUInt16LE(at + 6) === 0) continue;
      const start = strings.offset + file.readUInt32LE(at);
      const end = file.indexOf(0, start);
      if (end > start && end - start <= LONGEST) names.push(file.toString('latin1', start, end));
      if (names.length >= MOST) return names;
    }
  }
  return names;
}
