// Lays a job out for the host compiler: every file that its sources include is rewritten, unless something in one cannot run here or
// nvcc would refuse it.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Diagnostic } from '../../protocol.js';
import { layOutJob } from '../job-folder.js';
import type { BuildRequest } from '../toolchain.js';
import { inactiveRanges } from './architecture.js';
import { boundNames } from './bound-names.js';
import { findHostCalls } from './host-calls.js';
import { hostNames } from './host-names.js';
import { collectNames } from './job-names.js';
import { reachableTexts } from './reachable.js';
import { rewriteCuda, type Rewritten } from './rewrite.js';
import { findUnsupported, type Unsupported } from './unsupported.js';

export type Prepared =
  | { status: 'unsupported'; found: Unsupported }
  | { status: 'refused'; diagnostics: Diagnostic[] }
  | {
      status: 'ready';
      /** The folder to compile in. */
      work: string;
      /** File → lines whose columns moved. */
      moved: Map<string, Set<number>>;
      /** All that is compiled. */
      text: string;
      /** Macros of the emulation's own that these sources need. */
      macros: string[];
      /** Flags that these sources need. */
      flags: string[];
      /** What runs here in an order that a GPU does not promise. */
      warnings: Diagnostic[];
    };

const CUDA_LIBRARY = /^(?:cu(?!rl$|nit$)\w+|npp\w*|nvrtc\w*|nccl|nvToolsExt|nvidia-ml)$/;

const LOCKSTEP =
  'lanes of a warp exchange data through shared memory without __syncwarp: run in step here, undefined on a GPU since Volta';

const INCOMPLETE = 'a kernel launch needs a grid and a block between <<< and >>>';

export async function prepareJob(request: BuildRequest, ownHeaders: ReadonlySet<string>): Promise<Prepared> {
  const texts = await reachableTexts(request);
  const names = collectNames(texts.values(), request.build.define);
  // Strict mode asks of every access which thread it is of.
  const bound = request.sanitized ? undefined : boundNames(texts.values(), names);
  const host = hostNames(texts.values(), names);
  const shipped = [...request.sources, ...request.files].map((f) => f.path);
  const rewritten = new Map<string, Rewritten>();
  const refused: Diagnostic[] = [];
  const warnings: Diagnostic[] = [];
  let casts = false;
  for (const [name, text] of texts) {
    const found = findUnsupported(name, text, ownHeaders, shipped, names);
    if (found) return { status: 'unsupported', found };
    const result = rewriteCuda(text, names, bound);
    const problem = result.problems[0];
    if (problem) return { status: 'unsupported', found: { ...problem, file: name, cudaWouldDo: true } };
    rewritten.set(name, result);
    casts ||= result.casts;
    for (const line of result.incomplete) refused.push({ file: name, line, severity: 'error', message: INCOMPLETE });
    refused.push(...findHostCalls(name, text, names, host, inactiveRanges(text, names)));
    for (const line of result.lockstep) warnings.push({ file: name, line, severity: 'warning', message: LOCKSTEP });
  }
  const library = request.build.link.find((l) => CUDA_LIBRARY.test(l));
  if (library !== undefined) {
    const file = request.sources[0]?.path ?? '';
    return { status: 'unsupported', found: { construct: `the library ${library}`, file, line: 1, cudaWouldDo: true } };
  }
  if (refused.length > 0) return { status: 'refused', diagnostics: refused };
  const work = await layOutJob(request, (name, text) => (rewritten.get(name) ?? rewriteCuda(text, names)).text);
  for (const { path: name } of request.files) {
    const result = rewritten.get(name);
    if (result && result.text !== texts.get(name)) await writeFile(path.join(request.folder, 'job', name), result.text);
  }
  const all = [...texts.values(), request.trampoline].join('\n');
  const macros = [
    ...(/\b(?:thread_local|__thread)\b/.test(all) ? ['KS_KEEP_THREAD_LOCALS'] : []),
    ...(needsAddresses(all) ? ['KS_KERNEL_ADDRESSES'] : []),
  ];
  const moved = new Map([...rewritten].map(([name, { lines }]) => [name, lines]));
  // A GPU's compiler does not take objects of different types for different memory. Only where a kernel looks at memory by more than
  // one type, since it costs speed.
  const flags = casts ? ['-fno-strict-aliasing'] : [];
  return { status: 'ready', work, moved, text: all, macros, flags, warnings };
}

/**
 * True if launches must say which kernel they launch, since their kernels may have dynamic shared memory beyond the common limit, or
 * static memory beside it. Otherwise templates that are inlined would be compiled a second time for nothing.
 */
function needsAddresses(text: string): boolean {
  const isDynamic = /\bextern\b[^;{}]*\b__shared__|\b__shared__\b[^;{}]*\bextern\b/.test(text);
  if (!isDynamic) return false;
  const total = [...text.matchAll(/\b__shared__\b/g)].length;
  const dynamic = [...text.matchAll(/\bextern\b[^;{}]*\b__shared__/g)].length;
  return /\bcudaFuncSetAttribute\b/.test(text) || total > dynamic;
}
