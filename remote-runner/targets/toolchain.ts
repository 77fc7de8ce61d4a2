// What a target must do for the evaluator: build a candidate into a library the trusted host program can load.
import type { Sanitizer } from './sanitizer.js';
import type { Diagnostic, Finding, KernelResources, SourceFile, TargetInfo } from '../protocol.js';

/** Everything needed to build one version of the sources. Nothing here is trusted. */
export interface BuildRequest {
  /** Editable sources of this version; paths relative to the job root. */
  sources: SourceFile[];
  /** Read-only files, already verified, as paths below the job root mapped to where their bytes lie. */
  files: { path: string; stored: string }[];
  /** Folder of the task below the job root, `` for the root. */
  directory: string;
  /** Generated C++ that includes the sources and defines the calls; compiled as `ks_trampoline.cu` in `directory`. */
  trampoline: string;
  build: {
    arch: string;
    std: string;
    flags: string[];
    define: Record<string, string>;
    include: string[];
    link: string[];
    /** Functions whose use by the sources' own code is told as findings. */
    trace: string[];
    timeoutMs: number;
  };
  /** Built to be run by the target's sanitizer (`Toolchain.sanitizer`), not to be timed. */
  sanitized?: boolean;
  /** A fresh folder for this build; the toolchain writes only below it. */
  folder: string;
  signal: AbortSignal;
}

export interface KernelName {
  /** By which the driver knows it. */
  mangled: string;
  /** As C++ writes it, with template arguments and parameters. */
  name: string;
}

export type BuildResult =
  | {
      status: 'built';
      library: string;
      diagnostics: Diagnostic[];
      resources: KernelResources[];
      /** Of a module: every kernel in it. */
      kernels?: KernelName[];
      findings: Finding[];
      warnings: string[];
      output: string;
      flags: string[];
    }
  | {
      status: 'compile_error' | 'timeout' | 'infrastructure';
      message: string;
      diagnostics: Diagnostic[];
      output: string;
      flags: string[];
    }
  | { status: 'unsupported'; construct: string; file: string; line: number; cudaWouldDo: boolean; message: string };

/** What a worker needs beyond the system's libraries, its host program and its library. */
export interface WorkerView {
  read: readonly string[];
  devices: readonly string[];
  /** False where the runtime reserves addresses as if they were memory. */
  limitsMemory: boolean;
}

/** What turns sources into something that can be run. */
export interface Builder {
  /** Part of every build key: compiler identity and version. */
  readonly identity: string;
  build(request: BuildRequest): Promise<BuildResult>;
}

export interface Toolchain extends Builder {
  readonly info: TargetInfo;
  /** True where times say nothing about GPU speed. */
  readonly emulated: boolean;
  /** The whole environment of a worker process: what it needs to find its device, nothing of ours. */
  readonly workerEnvironment: Record<string, string>;
  readonly workerView: WorkerView;
  /** Builds device code alone, to be launched by the trusted host program; absent where a target cannot. */
  readonly modules?: Builder;
  /**
   * Compiles the trusted host program (harness/host.cpp) against this target, once per toolchain; later calls are answered
   * from the cache folder. Returns the executable's path.
   */
  hostProgram(cacheFolder: string, signal: AbortSignal): Promise<string>;
  /** What looks for races, bad addresses and their like on this target, or why nothing does. Its programs are kept like the host's. */
  sanitizer(cacheFolder: string, signal: AbortSignal): Promise<Sanitizer | { missing: string }>;
}
