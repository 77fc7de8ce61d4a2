// What the CPU target cannot do, found before compiling: construct, file and line, and whether a CUDA device would do.
import { preprocess, type Macro } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';
import { inactiveRanges } from './architecture.js';
import { collectNames, type JobNames } from './job-names.js';
import { deviceBodies } from './scopes.js';

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

const PTX = 'inline PTX (asm)';
const TENSOR_CORES = 'tensor-core operations (wmma)';

const WORDS: readonly [RegExp, string][] = [
  [/^(?:nvcuda|__mma_\w+|__nvvm_\w*mma\w*)$/, TENSOR_CORES],
  [
    /^(?:tex[123]D\w*|tex1Dfetch|texCubemap\w*|cudaTextureObject_t|cudaBindTexture\w*|cudaMallocArray|cudaMalloc3DArray|cudaArray_t|cudaMemcpy\w*Array\w*)$/,
    'textures',
  ],
  [/^(?:surf[123]D\w*|surfCubemap\w*|cudaSurfaceObject_t)$/, 'surfaces'],
  [
    /^(?:__cluster_dims__|this_cluster|cluster_group|cudaLaunchAttributeClusterDimension|__cluster_\w+|cudaOccupancyMax\w*Cluster\w*)$/,
    'thread-block clusters',
  ],
  [
    /^(?:cudaLaunchCooperativeKernel\w*|cudaLaunchAttributeCooperative|this_multi_grid|multi_grid_group)$/,
    'a cooperative grid launch',
  ],
  [/^(?:CUtensorMap|cuTensorMap\w*|cp_async_bulk\w*)$/, 'the tensor memory accelerator (TMA)'],
  [
    /^cu(?:Launch(?:Kernel|Cooperative)\w*|Module\w+|Mem[A-Z]\w+|Ctx\w+|Init|Device\w+|Func\w+|Link\w+)$/,
    'the CUDA driver API',
  ],
  [/^cudaIpc\w+$/, 'memory shared between processes'],
];

/**
 * The first construct of the text, in its order, that cannot run here; undefined if there is none. Comments, strings and what the
 * preprocessor leaves out do not count.
 * @param ownHeaders names of the emulation's headers
 * @param shipped paths of the job's files: what is shipped is not the toolkit's
 */
export function findUnsupported(
  file: string,
  text: string,
  ownHeaders: ReadonlySet<string>,
  shipped: readonly string[],
  names: JobNames = collectNames([text]),
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
  for (const tokens of [live, ...usedMacros(live, macros, names)]) found.push(...unsupportedWords(tokens));
  const bodies = deviceBodies(live, matchBrackets(live), names);
  // Assembly in a function for the host is the host compiler's.
  const isHosts = ({ construct, at }: { construct: string; at: number }): boolean =>
    construct === PTX && live.some((t) => t.start === at) && !bodies.some((b) => at > b.start && at < b.end);
  for (const { text: word, start } of live)
    if (word === '<<<' && bodies.some((b) => !b.isHostToo && start > b.start && start < b.end))
      found.push({ construct: 'a launch from device code (dynamic parallelism)', at: start });
  const inactive = inactiveRanges(text, names);
  const first = found
    .filter((f) => !isHosts(f) && !inactive.some((r) => f.at >= r.start && f.at < r.end))
    .sort((a, b) => a.at - b.at)[0];
  if (!first) return undefined;
  return { construct: first.construct, file, line: source.positionAt(first.at).line + 1, cudaWouldDo: true };
}

/** Bodies of the macros of this file that the job uses: a helper that nobody calls does no harm. */
function usedMacros(live: readonly Token[], macros: readonly Macro[], names: JobNames): Token[][] {
  const used = new Set([...names.words, ...live.map((t) => t.text)]);
  return macros.filter((m) => used.has(m.name)).map((m) => m.body);
}

function unsupportedWords(tokens: readonly Token[]): { construct: string; at: number }[] {
  const grids = gridNames(tokens);
  return tokens.flatMap((token, i) => {
    if (token.kind !== 'name') return [];
    if (/^(?:asm|__asm|__asm__)$/.test(token.text) && isAssembly(tokens, i))
      return [{ construct: PTX, at: token.start }];
    const previous = tokens[i - 1]?.text;
    // A member or a function of the file that happens to have such a name.
    if (previous === '.' || previous === '->') return [];
    if (token.text === 'wmma' && tokens[i + 1]?.text === '::') return [{ construct: TENSOR_CORES, at: token.start }];
    if (synchronisesGrid(tokens, i, grids))
      return [{ construct: 'synchronising a grid (a cooperative launch)', at: token.start }];
    if (tokens[i - 1]?.text === '::' && tokens[i - 2]?.text === 'cub' && /^Device[A-Z]/.test(token.text))
      return [{ construct: 'device-wide algorithms of cub', at: token.start }];
    const construct = WORDS.find(([word]) => word.test(token.text))?.[1];
    return construct === undefined ? [] : [{ construct, at: token.start }];
  });
}

/** Variables that hold a grid group: a grid may be asked for its shape, but not wait for itself. */
function gridNames(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  tokens.forEach(({ text }, i) => {
    if (text === 'grid_group') {
      let next = i + 1;
      while (/^(?:&|&&|const)$/.test(tokens[next]?.text ?? '')) next++;
      if (tokens[next]?.kind === 'name') names.add(tokens[next]!.text);
    }
    if (text !== 'this_grid') return;
    let before = i - 1;
    while (tokens[before]?.text === '::') before -= 2;
    if (tokens[before]?.text === '=' && tokens[before - 1]?.kind === 'name') names.add(tokens[before - 1]!.text);
  });
  return names;
}

/** Is this name a grid, or the call that gives it, that is being waited for? */
function synchronisesGrid(tokens: readonly Token[], at: number, grids: ReadonlySet<string>): boolean {
  const { text } = tokens[at]!;
  const isCall = text === 'this_grid' && tokens[at + 1]?.text === '(' && tokens[at + 2]?.text === ')';
  if (!isCall && !grids.has(text)) return false;
  const behind = isCall ? at + 3 : at + 1;
  if (tokens[behind]?.text === '.' && /^(?:sync|barrier_\w+)$/.test(tokens[behind + 1]?.text ?? '')) return true;
  let before = at - 1;
  while (tokens[before]?.text === '::') before -= 2;
  return tokens[before]?.text === '(' && tokens[before - 1]?.text === 'sync';
}

function isAssembly(tokens: readonly Token[], at: number): boolean {
  let next = at + 1;
  while (/^(?:volatile|__volatile__|__volatile|goto|inline)$/.test(tokens[next]?.text ?? '')) next++;
  return tokens[next]?.text === '(';
}
