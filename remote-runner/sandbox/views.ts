// Which folders a confined program needs: those of the system's libraries, and those of a compiler.
import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** Shared libraries and how they are found. */
export const LIBRARIES = [
  ...['/lib', '/lib32', '/lib64', '/libx32', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libx32'],
  '/etc/ld.so.cache',
];

/** What the drivers and shells of compilers are made of. */
const TOOLS = [
  ...['/bin', '/usr/bin', '/usr/libexec', '/usr/include'],
  ...['/etc/alternatives', '/etc/ld.so.conf', '/etc/ld.so.conf.d'],
];

/** Where a compiler keeps its parts below the folder it was installed to; never that folder whole: it may be a home. */
const PARTS = ['bin', 'lib', 'lib32', 'lib64', 'libexec', 'include', 'nvvm', 'targets', 'extras', 'compute-sanitizer'];

/** @param programs absolute paths of compilers; links are followed */
export async function compilerView(programs: string[]): Promise<string[]> {
  const folders = new Set([...LIBRARIES, ...TOOLS]);
  for (const program of programs) {
    const real = await realpath(program).catch(() => program);
    for (const place of [program, real]) {
      const folder = path.dirname(place);
      folders.add(folder);
      if (path.basename(folder) !== 'bin') continue;
      for (const part of PARTS) folders.add(path.join(path.dirname(folder), part));
      // Parts for another target lie in a folder of its name: that of this machine.
      folders.add(path.join(path.dirname(folder), `${ARCHITECTURES[process.arch] ?? process.arch}-linux-gnu`));
      folders.add(path.join(path.dirname(folder), `${ARCHITECTURES[process.arch] ?? process.arch}-conda-linux-gnu`));
    }
  }
  return [...folders];
}

const ARCHITECTURES: Record<string, string> = { x64: 'x86_64', arm64: 'aarch64' };
