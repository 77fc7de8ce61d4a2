// What calls say: CUDA's runtime on the host, intrinsics and library functions on the device.
import type { EditedLevel } from './facts.js';

export interface Saying {
  level: EditedLevel;
  weight: number;
  about: string;
}

type Rule = readonly [pattern: RegExp, level: EditedLevel, weight: number, about: string];

/** First that fits. */
const HOST: readonly Rule[] = [
  [/^cudaStream(Create|WaitEvent|BeginCaptureToGraph)/, 'overlap', 2, 'streams'],
  [/^cudaStreamDestroy/, 'overlap', 0.5, 'streams'],
  [/^cudaMemPrefetch|^cudaLaunchHostFunc/, 'overlap', 2, 'asynchronous work'],
  [/^cudaEventElapsedTime|^cudaEvent.*Synchronize|^cudaEventQuery/, 'launch', 1, 'events'],
  [/^cudaEvent/, 'overlap', 0.4, 'events'],
  [
    /^cudaMemcpyToSymbol|^cudaBindTexture|^cudaCreateTextureObject/,
    'memory-hierarchy',
    2,
    'constant or texture memory',
  ],
  [/^cudaStreamSetAttribute|^cudaCtxResetPersisting|^cudaDeviceSetLimit/, 'memory-hierarchy', 1, 'cache policy'],
  [/^cudaFuncSet(CacheConfig|SharedMemConfig)|^cudaDeviceSetCacheConfig/, 'memory-hierarchy', 1, 'cache policy'],
  [/^cudaMemcpy/, 'data-movement', 2, 'copies'],
  [/^(cuda|cu[A-Z]|cublas|cudnn|cooperative_groups)/, 'launch', 1, 'runtime calls'],
  [/^(thread|async|jthread)$/, 'launch', 1.5, 'host threads'],
];

const DEVICE: readonly Rule[] = [
  [
    /memcpy_async|^__pipeline_|^cuda_pipeline|^cp_async|_pipeline$|^(producer|consumer)_|^arrive|^barrier_arrive|^wait(_prior)?$/,
    'overlap',
    3,
    'asynchronous copies',
  ],
  [/^cudaGridDependency|^cudaTriggerProgrammatic|^__nanosleep/, 'overlap', 3, 'dependent launches'],
  [/^__ld(g|cg|ca|cs|lu|cv)$|^__st(wb|cg|cs|wt)$|^tex\dD|^__prefetch/, 'memory-hierarchy', 2, 'cache hints'],
  [/^__syncthreads/, 'memory-hierarchy', 0.25, 'barriers'],
  [/^(sync|this_grid|grid_sync)$/, 'launch', 0.5, 'barriers'],
  [/^__threadfence/, 'memory-hierarchy', 0.25, 'fences'],
  [/^atomic|^red_/, 'decomposition', 1, 'atomics'],
  [/^(make_)?(float|double|int|uint|short|ushort|char|uchar|half|bfloat16)[234]$/, 'data-movement', 1, 'vector types'],
  [
    /^__(shfl|ballot|any|all|match|reduce|activemask|syncwarp)|^shfl|^ballot$|^tiled_partition/,
    'instructions',
    3,
    'warp instructions',
  ],
  [/^(load|store|mma|fill)_(matrix_)?(sync|fragment)/, 'instructions', 3, 'matrix instructions'],
  [
    /^__(half|float|bfloat|double|int|short|uint|ll|ull)\w*2\w+$|^__(low|high|lows|highs)2/,
    'instructions',
    0.4,
    'conversions',
  ],
  [/^__/, 'instructions', 1.5, 'intrinsics'],
  [/^(min|max|fmin|fmax|abs|fabs)f?$/, 'instructions', 0.4, 'arithmetic functions'],
  [
    /^(exp|exp2|exp10|log|log2|log10|sin|cos|tan|sincos|tanh|pow|sqrt|rsqrt|cbrt|fma|fmod|rint|round|floor|ceil|trunc|erf|hypot|h\w+|norm3d|rcp)f?$/,
    'instructions',
    1.5,
    'math functions',
  ],
];

function find(rules: readonly Rule[], callee: string): Saying | undefined {
  const rule = rules.find(([pattern]) => pattern.test(callee));
  return rule && { level: rule[1], weight: rule[2], about: rule[3] };
}

export function hostCall(callee: string): Saying | undefined {
  return find(HOST, callee);
}

export function deviceCall(callee: string): Saying | undefined {
  return find(DEVICE, callee);
}

/** Inline PTX by its first instruction words. */
export function inlinePtx(code: string): Saying {
  if (/cp\.async|mbarrier|cp\.reduce|barrier\.cluster|griddepcontrol/.test(code)) {
    return { level: 'overlap', weight: 3, about: 'asynchronous PTX' };
  }
  if (/\b(ld|st|prefetch|discard|createpolicy|applypriority)\b/.test(code)) {
    return { level: 'memory-hierarchy', weight: 2, about: 'cache hints in PTX' };
  }
  return { level: 'instructions', weight: 3, about: 'inline PTX' };
}
