// What a candidate must not use: what the task forbids, and by default the ways out of its sources that the original does not
// take: other people's libraries opened by name, other processes.
import type { Finding, SourceFile } from '../protocol.js';

const byDefault = [
  ...['dlopen', 'dlmopen', 'dlsym', 'dlvsym'],
  ...['fork', 'vfork', 'clone', 'system', 'popen', 'posix_spawn', 'posix_spawnp', 'execl', 'execlp', 'execle', 'execv'],
  ...['execvp', 'execve', 'execvpe', 'ptrace', 'process_vm_readv', 'process_vm_writev'],
];

/** Symbols whose use the linker is to tell of. @param forbid of the task; absent: the default */
export const tracedSymbols = (forbid: readonly string[] | undefined): string[] =>
  forbid ? forbid.filter((name) => /^[A-Za-z_]\w*$/.test(name)) : byDefault;

/** The candidate's findings that the original, built alike, does not have. */
export function beyondOriginal(candidate: readonly Finding[], original: readonly Finding[]): Finding[] {
  const known = new Set(original.map((f) => f.code + f.message));
  return candidate.filter((f) => f.code !== 'forbidden_call' || !known.has(f.code + f.message));
}

/** Includes of a library that the task forbids, `cublas` for `cublas_v2.h`, where the original has none of it. */
export function forbiddenIncludes(
  forbid: readonly string[] | undefined,
  candidate: readonly SourceFile[],
  original: readonly SourceFile[],
): Finding[] {
  const includes = (sources: readonly SourceFile[]): { file: string; line: number; name: string }[] =>
    sources.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => {
        const name = /^\s*#\s*include\s*[<"]([^>"]+)[>"]/.exec(line)?.[1];
        return name === undefined ? [] : [{ file: path, line: i + 1, name }];
      }),
    );
  const hasFirst = new Set(includes(original).map((i) => i.name));
  return includes(candidate).flatMap(({ file, line, name }) => {
    const base = name.split('/').pop() ?? name;
    const library = forbid?.find((f) => base.startsWith(f));
    if (library === undefined || hasFirst.has(name)) return [];
    return [
      { code: 'forbidden_call', message: `it includes ${name} of ${library}, which the task forbids`, file, line },
    ];
  });
}
