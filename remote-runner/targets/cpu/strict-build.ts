// How a candidate is compiled for strict mode (harness/cpu/runtime/strict.h), and fences between its variables.

/** What is checked beside the accesses themselves. Not overflow: hashes count on it. Not null: an address without access is none. */
const UNDEFINED = 'alignment,bounds,shift-exponent,integer-divide-by-zero,return,unreachable';

const COMMON = [
  // Little more than inlining: a load must not move to where the source would not have made it. Lines in the older format:
  // of the newer, addr2line confuses files where the assembler has written it.
  ...['-O1', '-fno-tree-loop-im', '-g1', '-gdwarf-4', '-fdata-sections', '-fno-omit-frame-pointer'],
  ...['-fsanitize=thread', `-fsanitize=${UNDEFINED}`],
  // The headers leave the number of the running thread where the runtime can see it.
  '-DKS_STRICT=1',
];

/** After all others: what they say of optimisation does not count here. */
export const strictFlags: Record<'g++' | 'clang++', readonly string[]> = {
  'g++': [
    ...COMMON,
    ...['--param', 'tsan-distinguish-volatile=1', '--param', 'tsan-instrument-func-entry-exit=0'],
    // Several variables behind one address would not follow the fences.
    ...(process.arch === 'arm64' ? ['-fno-section-anchors'] : []),
  ],
  'clang++': [
    ...COMMON.filter((f) => f !== '-fno-tree-loop-im'),
    ...['-mllvm', '-tsan-distinguish-volatile=1', '-mllvm', '-tsan-instrument-func-entry-exit=0'],
    ...['-mllvm', '-tsan-handle-cxx-exceptions=0'],
  ],
};

/** Calls that the compiler left to the C library are ours to check. */
export const strictLinkFlags = ['memcpy', 'memmove', 'memset'].map((f) => `-Wl,--wrap=${f}`);

/** Bytes behind each variable that belong to none; `pad` in strict_memory.cpp. */
const FENCE = 256;

/**
 * Puts a fence behind each variable of an assembly file: arrays that would lie side by side no longer do.
 * Tables of the compiler itself, whose neighbourhood means something, stay as they are.
 */
export function withFences(assembly: string): string {
  const lines: string[] = [];
  let isData = false;
  /** Inside a variable: its directives have begun. */
  let open: 'no' | 'named' | 'filled' = 'no';
  const close = (): void => {
    if (open === 'filled') lines.push(`\t.zero\t${FENCE}`);
    open = 'no';
  };
  for (const line of assembly.split('\n')) {
    const section = /^\s*\.(?:section\s+([^,\s]+)|(text|data|bss)\b|(?:push|pop)section)/.exec(line);
    const label = /^([A-Za-z_$][\w$.]*):/.exec(line)?.[1];
    if (section) {
      close();
      const name = section[1] ?? (section[2] ? `.${section[2]}` : '');
      isData =
        /^\.(?:tbss|bss|tdata|data)(?:\.|$)/.test(name) &&
        !/^\.data\.rel\.ro|^\.data\.+Lubsan|^\.data\.rel\.local\.+Lubsan/.test(name);
    } else if (label !== undefined) {
      close();
      if (isData && !/^_Z(?:TV|TI|TS|TT|GV)/.test(label)) open = 'named';
    } else if (
      open !== 'no' &&
      /^\s*\.(?:zero|long|quad|byte|short|value|word|xword|hword|ascii|asciz|string|4byte|8byte|2byte|skip|space|fill)\b/.test(
        line,
      )
    ) {
      open = 'filled';
    } else if (open === 'filled' && /^\s*\.(?!size\b)/.test(line)) close();
    lines.push(line);
  }
  close();
  return lines.join('\n');
}
