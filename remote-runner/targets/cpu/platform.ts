// What the compiler is told on each platform. One table, so that what has been tried where is seen at a glance:
// Linux on x86-64 and aarch64 is tested; macOS is written down from its linker's manual and untested.
import type { CpuCompiler } from './compiler.js';

export interface PlatformFlags {
  /** Code for this very processor. */
  native: string[];
  /** Candidates, from -O2 on. */
  fast: string[];
  /** Our own code that switches stacks. */
  stacks: string[];
  /** Linking a candidate's library: nothing undefined, its own symbols first. */
  library: string[];
  /** Linking the runtime, which others find by this name. */
  runtime: (name: string) => string[];
  /** Linking the host program, which finds the runtime beside itself. */
  host: string[];
}

export function platformFlags(platform: NodeJS.Platform, arch: string, compiler: CpuCompiler['name']): PlatformFlags {
  const isMac = platform === 'darwin';
  return {
    // Both compilers take this form on aarch64, not all of them the other.
    native: [arch === 'arm64' ? '-mcpu=native' : '-march=native'],
    fast: [
      // No code can observe errno or floating-point exceptions on a device; results are the same.
      ...['-fno-math-errno', '-fno-trapping-math'],
      // clang++ does so anyway at -O2, g++ only where no check at run time is needed.
      ...(compiler === 'g++' ? ['-ftree-vectorize', '-fvect-cost-model=dynamic'] : []),
    ],
    stacks: arch === 'x64' ? ['-fcf-protection=none'] : [],
    library: isMac ? ['-Wl,-undefined,error'] : ['-Wl,-Bsymbolic', '-Wl,-z,defs'],
    runtime: (name) =>
      isMac
        ? [`-Wl,-install_name,@rpath/${name}`, '-Wl,-undefined,error']
        : [`-Wl,-soname,${name}`, '-Wl,-z,defs', '-ldl'],
    host: isMac ? ['-Wl,-rpath,@loader_path'] : ['-Wl,-rpath,$ORIGIN', '-Wl,-z,now', '-ldl'],
  };
}

/** Why there is no CPU target on this platform, with the remedy; undefined where there is one. */
export function missingPlatform(platform: NodeJS.Platform): string | undefined {
  return platform === 'win32'
    ? 'the CPU target does not run on Windows itself: start KernelSeek inside WSL (`wsl --install`), where it does'
    : undefined;
}
