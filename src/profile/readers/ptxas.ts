// Reads `ptxas -v`: registers, shared memory, stack and spills, one entry per kernel instantiation and architecture.

export interface PtxasEntry {
  /** Mangled. */
  entry: string;
  /** `sm_90` */
  arch: string;
  registers: number;
  barriers?: number;
  sharedBytes?: number;
  stackBytes?: number;
  spillStoreBytes?: number;
  spillLoadBytes?: number;
}

const compiling = /Compiling entry function '([^']+)' for '([^']+)'/;
const properties = /Function properties for (\S+)/;
const frame = /(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads/;
const used = /Used (\d+) registers/;

/** Entries in the order printed; device functions that are not entries are left out. */
export function readPtxas(text: string): PtxasEntry[] {
  const entries: PtxasEntry[] = [];
  let current: PtxasEntry | undefined;
  let describes: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    let match = compiling.exec(line);
    if (match) {
      current = { entry: match[1]!, arch: match[2]!, registers: NaN };
      entries.push(current);
      describes = undefined;
      continue;
    }
    match = properties.exec(line);
    if (match) {
      describes = match[1];
      continue;
    }
    if (!current) continue;
    match = frame.exec(line);
    if (match && (describes === undefined || describes === current.entry)) {
      current.stackBytes = Number(match[1]);
      current.spillStoreBytes = Number(match[2]);
      current.spillLoadBytes = Number(match[3]);
      continue;
    }
    match = used.exec(line);
    if (match) {
      current.registers = Number(match[1]);
      const barriers = /used (\d+) barriers/.exec(line);
      const shared = /(\d+)(?:\+\d+)? bytes smem/.exec(line);
      if (barriers) current.barriers = Number(barriers[1]);
      if (shared) current.sharedBytes = Number(shared[1]);
    }
  }
  return entries.filter((e) => Number.isFinite(e.registers));
}
