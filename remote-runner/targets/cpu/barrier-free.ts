// Tells sources whose threads never wait for each other: they are built for speed in another way (harness/cpu/include/ks/abi.h).

/** Inlining every kernel twice must not make a long source slow to compile. */
const LONGEST = 64 * 1024;

const WAITS =
  /\b__syncthreads|\b__barrier_sync|\w_sync\b|\b__syncwarp|\bsync\s*\(|\b__shared__|\bcooperative_groups|\bcg::|\b__activemask|\b__(?:all|any|ballot|shfl\w*)\s*\(|\bcu(?:b|da)::|\b__nanosleep|\bvolatile\b/;

/** An assertion's message names its thread from outside of the library. */
const ASSERTS = /\bassert\b|\bcassert\b/;

/** `template __global__ void k<float>(float*);` cannot be inline, as kernels are in such sources. */
const INSTANTIATES = /\btemplate\s+[^<\s]/;

/**
 * @param text every source that is compiled
 * @returns a matter of speed only: whatever the answer, the code does what it says
 */
export function isBarrierFree(text: string): boolean {
  return text.length <= LONGEST && ![WAITS, ASSERTS, INSTANTIATES].some((pattern) => pattern.test(text));
}
