// The variables of a built library, from its symbol table.

export interface Variable {
  /** Mangled. */
  name: string;
  size: number;
  /** Offset in the library's thread-local segment, or from where the library is loaded. */
  offset: number;
  isThreadLocal: boolean;
}

const SYMTAB = 2;
const OBJECT = 1;
const TLS = 6;
/** A symbol whose storage is at run time, in C++'s sense: one for the whole process. */
const UNIQUE_OBJECT = 10;

/** Defined variables of a 64-bit little-endian ELF file; none for any other file (Mach-O has no such table). */
export function variablesOf(file: Buffer): Variable[] {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) return [];
  const found: Variable[] = [];
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
      const type = (file[at + 4] ?? 0) & 0xf;
      if (![OBJECT, TLS, UNIQUE_OBJECT].includes(type) || file.readUInt16LE(at + 6) === 0) continue;
      const start = strings + file.readUInt32LE(at);
      found.push({
        name: file.toString('latin1', start, file.indexOf(0, start)),
        size: Number(file.readBigUInt64LE(at + 16)),
        offset: Number(file.readBigUInt64LE(at + 8)),
        isThreadLocal: type === TLS,
      });
    }
  }
  return found;
}

/** Longer names are not taken apart: a candidate may have any. */
const LONGEST = 4096;

/**
 * The name in the source: of a function's variable `_ZZ <function> E <length> <name>`, with _N behind for the second of that
 * name; of a global one `_ZL <length> <name>` or `_ZN <length> <name> … E`.
 */
export function sourceName(mangled: string): string {
  if (mangled.length > LONGEST) return mangled.slice(0, 100);
  if (mangled.startsWith('_ZZ')) {
    for (let at = mangled.lastIndexOf('E'); at > 0; at = mangled.lastIndexOf('E', at - 1)) {
      const [name, end] = sized(mangled, at + 1);
      if (name !== undefined && /^(?:_\d+)?$/.test(mangled.slice(end))) return name;
    }
    return mangled;
  }
  let name: string | undefined;
  for (let at = /^_ZN?/.exec(mangled)?.[0].length ?? mangled.length; ;) {
    const [part, end] = sized(mangled, mangled[at] === 'L' ? at + 1 : at);
    if (part === undefined) return name ?? mangled;
    name = part;
    at = end;
  }
}

/** `<length><name>` at an offset, and where it ends. */
function sized(text: string, at: number): [name: string | undefined, end: number] {
  const length = /^\d{1,4}/.exec(text.slice(at, at + 4))?.[0] ?? '';
  const start = at + length.length;
  const end = start + Number(length);
  return end > start && end <= text.length ? [text.slice(start, end), end] : [undefined, at];
}
