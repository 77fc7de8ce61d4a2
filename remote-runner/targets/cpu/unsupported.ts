// What the CPU target cannot do, found before compiling: construct, file and line, and whether a CUDA device would do.
import { preprocess } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';
import { isDeviceCode, scopesAround } from './scopes.js';

export interface Unsupported {
  construct: string;
  file: string;
  line: number;
  cudaWouldDo: boolean;
}

/** Headers of the toolkit and its libraries, in folders and by name; those the emulation has are taken out before. */
const CUDA_FOLDER = /^(?:cub|thrust|cuda|nv|nvtx3|cutlass|cute|cooperative_groups|crt)\//;
const CUDA_HEADER =
  /^(?:cu(?:blas|fft|sparse|solver|rand|dnn|tensor|pti|file|dss)\w*|cuda_(?:pipeline|awbarrier|fp\d|texture|surface|gl_interop|egl|vdpau|d3d|occupancy)\w*|cuComplex|cudaGL|cudaTypedefs|mma|nvrtc|nvToolsExt|nccl|npp\w*|nvml|sm_\d+_\w+|texture_\w+|surface_\w+|channel_descriptor)\.h$/;

const LIBRARIES: Readonly<Record<string, string | undefined>> = {
  cuda: 'the cuda:: library',
  wmma: 'tensor-core operations (wmma)',
  nvcuda: 'tensor-core operations (wmma)',
};

const WORDS: readonly [RegExp, string][] = [
  [/^(?:tex[123]D\w*|tex1Dfetch|texCubemap\w*|cudaTextureObject_t|cudaBindTexture\w*)$/, 'textures'],
  [/^(?:surf[123]D\w*|surfCubemap\w*|cudaSurfaceObject_t)$/, 'surfaces'],
  [/^(?:__cluster_dims__|this_cluster|cluster_group|cudaLaunchAttributeClusterDimension)$/, 'thread-block clusters'],
  [/^(?:cudaLaunchCooperativeKernel\w*|this_grid|grid_group|this_multi_grid)$/, 'a cooperative grid launch'],
  [/^(?:CUtensorMap|cuTensorMap\w*|cp_async_bulk\w*)$/, 'the tensor memory accelerator (TMA)'],
  [/^(?:__pipeline_\w+|memcpy_async)$/, 'asynchronous copies to shared memory'],
  [/^(?:cudaGraph\w+|cudaStreamBeginCapture|cudaStreamEndCapture)$/, 'CUDA graphs'],
  [/^cudaLaunchKernelEx\w*$/, 'cudaLaunchKernelEx'],
  [/^(?:cuLaunchKernel\w*|cuModule\w+|cuMem[A-Z]\w+|cuCtx\w+|cuInit)$/, 'the CUDA driver API'],
  [/^(?:cudaIpc\w+|cudaMemcpyPeer\w*|cudaDeviceEnablePeerAccess)$/, 'several devices or processes'],
  [/^cudaMemcpy3D\w*$|^cudaMalloc3D\w*$|^cudaMallocArray$|^cudaArray_t$/, 'CUDA arrays'],
];

/**
 * The first construct of the text, in its order, that cannot run here; undefined if there is none. Comments, strings and
 * `#if 0` do not count, other conditions are not evaluated.
 * @param ownHeaders names of the emulation's headers
 * @param shipped paths of the job's files: what is shipped is not the toolkit's
 */
export function findUnsupported(
  file: string,
  text: string,
  ownHeaders: ReadonlySet<string>,
  shipped: readonly string[],
): Unsupported | undefined {
  const source = new SourceText(text);
  const { live, directives, macros } = preprocess(source, tokenize(text));
  const found: { construct: string; at: number }[] = [];
  for (const { text: directive, start } of directives) {
    const header = /^#\s*include\s*[<"]([^>"]+)[>"]/.exec(directive)?.[1];
    if (header === undefined || ownHeaders.has(header)) continue;
    if (!CUDA_FOLDER.test(header) && !CUDA_HEADER.test(header)) continue;
    if (!shipped.some((p) => p === header || p.endsWith(`/${header}`)))
      found.push({ construct: `#include <${header}>`, at: start });
  }
  for (const tokens of [live, ...macros.map((m) => m.body)]) found.push(...unsupportedWords(tokens));
  const partners = matchBrackets(live);
  live.forEach((token, i) => {
    if (token.text === '<<<' && isDeviceCode(scopesAround(live, partners, i)))
      found.push({ construct: 'a launch from device code (dynamic parallelism)', at: token.start });
  });
  const first = found.sort((a, b) => a.at - b.at)[0];
  if (!first) return undefined;
  return { construct: first.construct, file, line: source.positionAt(first.at).line + 1, cudaWouldDo: true };
}

function unsupportedWords(tokens: readonly Token[]): { construct: string; at: number }[] {
  return tokens.flatMap((token, i) => {
    if (token.kind !== 'name') return [];
    if (/^(?:asm|__asm|__asm__)$/.test(token.text) && isAssembly(tokens, i))
      return [{ construct: 'inline PTX (asm)', at: token.start }];
    const previous = tokens[i - 1]?.text;
    // A member or a function of the file that happens to have such a name.
    if (previous === '.' || previous === '->') return [];
    const library = tokens[i + 1]?.text === '::' ? LIBRARIES[token.text] : undefined;
    if (library !== undefined) return [{ construct: library, at: token.start }];
    const construct = WORDS.find(([word]) => word.test(token.text))?.[1];
    return construct === undefined ? [] : [{ construct, at: token.start }];
  });
}

function isAssembly(tokens: readonly Token[], at: number): boolean {
  let next = at + 1;
  while (/^(?:volatile|__volatile__|__volatile|goto|inline)$/.test(tokens[next]?.text ?? '')) next++;
  return tokens[next]?.text === '(';
}
