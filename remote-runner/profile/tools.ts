// What a profiling job works with: a device and its profiler, or the compiler alone.
import type { Builds } from '../evaluate/builds.js';
import type { EvaluateTools } from '../evaluate/evaluate.js';
import type { CudaToolchain } from '../targets/cuda/toolchain.js';
import type { Ncu } from './find-ncu.js';
import { Profiler } from './ncu.js';
import type { ProfileTools } from './profile.js';

const NO_NCU =
  'Nsight Compute (ncu) is not there: it comes with the CUDA toolkit, or alone (Debian, Ubuntu: apt-get install nsight-compute)';

/** @param cacheFolder where programs of ours are kept */
export async function withDevice(
  toolchain: CudaToolchain,
  of: EvaluateTools,
  ncu: Ncu | undefined,
  cacheFolder: string,
  signal: AbortSignal,
): Promise<ProfileTools> {
  const { builds } = of;
  if (!ncu) return { toolchain, builds, trouble: { kind: 'absent', message: NO_NCU } };
  const program = await toolchain.watchedProgram(cacheFolder, signal);
  return { toolchain, builds, device: { ...of, profiler: new Profiler(ncu, program, toolchain.workerEnvironment) } };
}

/**
 * Without a device, nvcc and ptxas still know the resources of a kernel.
 * @param why there is no device
 */
export function withoutDevice(toolchain: CudaToolchain | undefined, builds: Builds, why: string): ProfileTools {
  if (!toolchain) throw new Error(`nothing can be told of kernels here: there is no nvcc, and ${why}`);
  return { toolchain, builds, trouble: { kind: 'no-device', message: `counters need a GPU: ${why}` } };
}
