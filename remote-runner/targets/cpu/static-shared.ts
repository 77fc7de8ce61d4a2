// Static shared memory of each function, read from the built library: shared variables are its thread-local symbols. ptxas
// refuses more than 48 KiB; a host compiler would not.

const LIMIT = 48 * 1024;

interface TlsSymbol {
  name: string;
  size: number;
}

/** Says which function declares more static shared memory than a kernel may have, in the words of ptxas. */
export function tooLargeShared(library: Buffer): string | undefined {
  const sums = new Map<string, { size: number; names: string[] }>();
  for (const { name, size } of threadLocals(library)) {
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

const SYMTAB = 2;
const TLS = 6;

/** Thread-local symbols of a 64-bit little-endian ELF file; none for any other file (Mach-O has no such table). */
function threadLocals(file: Buffer): TlsSymbol[] {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) return [];
  const found: TlsSymbol[] = [];
  const sections = Number(file.readBigUInt64LE(0x28));
  const entrySize = file.readUInt16LE(0x3a);
  const count = file.readUInt16LE(0x3c);
  const header = (index: number): { type: number; offset: number; size: number; link: number } => {
    const at = sections + index * entrySize;
    return {
      type: file.readUInt32LE(at + 4),
      offset: Number(file.readBigUInt64LE(at + 0x18)),
      size: Number(file.readBigUInt64LE(at + 0x20)),
      link: file.readUInt32LE(at + 0x28),
    };
  };
  for (let i = 0; i < count; i++) {
    const table = header(i);
    if (table.type !== SYMTAB) continue;
    const strings = header(table.link).offset;
    for (let at = table.offset; at + 24 <= table.offset + table.size; at += 24) {
      if (((file[at + 4] ?? 0) & 0xf) !== TLS || file.readUInt16LE(at + 6) === 0) continue;
      const start = strings + file.readUInt32LE(at);
      const name = file.toString('latin1', start, file.indexOf(0, start));
      found.push({ name, size: Number(file.readBigUInt64LE(at + 16)) });
    }
  }
  return found;
}
