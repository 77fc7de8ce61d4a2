// Builds the kernels of the suite with a target's own toolchain, and runs them in its own host program.
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { layOut, type Layout } from '../../remote-runner/evaluate/layout.js';
import { createSegments } from '../../remote-runner/evaluate/segments.js';
import { Worker } from '../../remote-runner/evaluate/worker.js';
import type { Toolchain } from '../../remote-runner/targets/toolchain.js';
import type { Dtype, ResolvedArgument, Role } from '../../src/task/types.js';
import { inputWords } from './input.js';
import type { Kernel, Suite } from './kernels.js';

/** Headers take longer to compile than kernels: this many share one build. */
const PER_BUILD = 12;

export type Outcome = { name: string; bytes: Buffer } | { name: string; error: string };

/**
 * Runs every kernel twice, at different addresses.
 * @param cacheFolder where the host program is kept
 * @param onOutcome told of each as it is known; an error is that of the build, of the run, or that two runs differ
 */
export async function runSuite(
  toolchain: Toolchain,
  { kernels, header }: Suite,
  cacheFolder: string,
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-differential-'));
  try {
    // The host program gives up root before it opens the library.
    await chmod(folder, 0o711);
    const program = await toolchain.hostProgram(cacheFolder, new AbortController().signal);
    for (let at = 0; at < kernels.length; at += PER_BUILD) {
      const some = kernels.slice(at, at + PER_BUILD);
      const libraries = await build(toolchain, some, header, path.join(folder, String(at)));
      for (const [i, kernel] of some.entries()) {
        const { library, calls, index, error } = libraries[i]!;
        onOutcome(
          library === undefined
            ? { name: kernel.name, error: error ?? 'not built' }
            : await runKernel(toolchain, program, kernel, library, calls, index),
        );
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Place {
  library?: string;
  error?: string;
  /** How many functions the library has, and which of them is the kernel's. */
  calls: number;
  index: number;
}

/** One library for all of them; where that does not build, each on its own, so that the others still run. */
async function build(toolchain: Toolchain, kernels: Kernel[], header: string, folder: string): Promise<Place[]> {
  await mkdir(folder, { recursive: true });
  const stored = path.join(folder, 'input.h');
  await writeFile(stored, header);
  const result = await toolchain.build({
    sources: kernels.map((k) => ({ path: `kernels/${k.name}.cu`, text: k.text })),
    files: [{ path: 'input.h', stored }],
    directory: '',
    trampoline: trampoline(kernels),
    build: {
      arch: 'auto',
      std: 'c++17',
      flags: ['-O3'],
      define: {},
      include: [],
      link: [],
      trace: [],
      timeoutMs: 600_000,
    },
    folder,
    signal: new AbortController().signal,
  });
  if (result.status === 'built') {
    const library = path.join(folder, 'opened.so');
    await copyFile(result.library, library);
    await chmod(library, 0o644);
    return kernels.map((_, index) => ({ library, calls: kernels.length, index }));
  }
  if (kernels.length === 1) return [{ error: `${result.status}: ${result.message}`, calls: 1, index: 0 }];
  const places: Place[] = [];
  for (const [i, kernel] of kernels.entries())
    places.push(...(await build(toolchain, [kernel], header, path.join(folder, String(i)))));
  return places;
}

function trampoline(kernels: Kernel[]): string {
  const call = ({ name, dtype }: Kernel, i: number): string =>
    `extern "C" __attribute__((visibility("default"))) int ks_call_${i}(void** ks_a, void* ks_stream) {\n` +
    `  ${name}::run(*(const unsigned**)ks_a[0], *(${dtype}**)ks_a[1], (cudaStream_t)ks_stream);\n` +
    `  return (int)cudaPeekAtLastError();\n}\n`;
  return (
    '#include <cuda_runtime.h>\n' +
    kernels.map((k) => `#include "kernels/${k.name}.cu"\n`).join('') +
    kernels.map(call).join('')
  );
}

async function runKernel(
  toolchain: Toolchain,
  program: string,
  kernel: Kernel,
  library: string,
  calls: number,
  index: number,
): Promise<Outcome> {
  const { name } = kernel;
  const words = inputWords();
  const layout = layOutKernel(kernel, words.length);
  const [input, result] = createSegments(2, layout.bytes);
  const worker = new Worker({ file: program, args: [] }, toolchain.workerEnvironment, input!, result!);
  try {
    const [from, to] = layout.regions;
    writeSync(input!.readWrite, new Uint8Array(words.buffer), 0, words.byteLength, from!.offset + from!.pointer);
    // What a kernel does not write shows.
    writeSync(input!.readWrite, Buffer.alloc(to!.bytes, 0xcd), 0, to!.bytes, to!.offset);
    await worker.open(library, calls);
    await worker.enter(layout, index);
    const runs: Buffer[] = [];
    for (const shift of [0, 4096]) {
      await worker.sample({ limitMs: 60_000, shift, cold: false, inputs: false });
      const bytes = Buffer.alloc(kernel.bytes);
      readSync(result!.readWrite, bytes, 0, bytes.length, to!.offset + to!.pointer);
      runs.push(bytes);
    }
    if (!runs[0]!.equals(runs[1]!)) return { name, error: 'two runs differ' };
    return { name, bytes: runs[0]! };
  } catch (error) {
    return { name, error: `${error instanceof Error ? error.message : String(error)} ${worker.output}`.trim() };
  } finally {
    worker.kill();
    for (const segment of [input, result]) segment?.close();
  }
}

function layOutKernel(kernel: Kernel, words: number): Layout {
  const argument = (name: string, dtype: Dtype, role: Role, count: number): ResolvedArgument => ({
    ...{ kind: 'buffer', name, dtype, isConst: role === 'input', role, shape: [count], strides: [1], offset: 0 },
    ...{ span: count, align: 256, fill: { kind: 'zeros' }, compare: 'exact', tolerance: { rtol: 0, atol: 0 } },
  });
  const scenario = { id: kernel.name, variables: {}, weight: 1, heldOut: false };
  const args = [argument('in', 'unsigned int', 'input', words), argument('out', kernel.dtype, 'output', kernel.count)];
  return layOut(scenario, args, [], [], os.totalmem());
}
