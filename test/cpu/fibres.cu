// What threads of a block must not share although one OS thread runs them, and what must not be left behind.
#include <fenv.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

static int failures = 0;
static void check(bool good, const char* what) {
  if (!good) ++failures;
  printf("%s %s\n", good ? "ok" : "FAILED", what);
}

// ── floating-point control ──
__device__ static int rounding() { return fegetround(); }

__global__ void rounds_for_itself(int* out) {
  const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
  const int mine = modes[threadIdx.x & 3];
  fesetround(mine);
  __syncthreads();
  int good = rounding() == mine;
  __syncwarp();
  good &= rounding() == mine;
  __shfl_xor_sync(0xffffffffu, good, 1);
  good &= rounding() == mine;
  out[blockIdx.x * blockDim.x + threadIdx.x] = good;
}
__global__ void sees_rounding(int* out) { out[blockIdx.x] = rounding(); }
__global__ void sees_rounding_behind_barrier(int* out) {
  __syncthreads();
  if (rounding() != FE_TONEAREST) out[0] = 0;
}
__global__ void sets_rounding() { fesetround(FE_UPWARD); }
__global__ void sets_rounding_at_barrier() {
  if (threadIdx.x == 7) fesetround(FE_UPWARD);
  __syncthreads();
}

static void floating_point() {
  int* out;
  cudaMalloc(&out, 64 * 64 * sizeof(int));
  rounds_for_itself<<<64, 64>>>(out);
  bool all = true;
  for (int i = 0; i < 64 * 64; ++i) all &= out[i] == 1;
  check(all, "each thread keeps its own rounding mode over barriers and warp functions");

  fesetround(FE_DOWNWARD);
  sees_rounding<<<64, 1>>>(out);
  check(fegetround() == FE_DOWNWARD, "the host's rounding mode survives a launch");
  fesetround(FE_TONEAREST);
  all = true;
  for (int i = 0; i < 64; ++i) all &= out[i] == FE_TONEAREST;
  check(all, "a kernel does not see the host's rounding mode");

  sets_rounding<<<64, 1>>>();
  check(fegetround() == FE_TONEAREST, "the host does not see a kernel's rounding mode");
  sets_rounding_at_barrier<<<64, 32>>>();
  check(fegetround() == FE_TONEAREST, "nor one that was set before a barrier");
  sees_rounding<<<64, 1>>>(out);
  all = true;
  for (int i = 0; i < 64; ++i) all &= out[i] == FE_TONEAREST;
  check(all, "nor does the next kernel");
  out[0] = 1;
  sees_rounding_behind_barrier<<<64, 64>>>(out);
  check(out[0] == 1, "nor does any thread of it that runs on a stack of its own");
  cudaFree(out);
}

// ── stacks ──
/** Bytes of address space that this process has mapped. */
static long mapped() {
  long pages = 0;
  if (FILE* f = fopen("/proc/self/statm", "r")) {
    if (fscanf(f, "%ld", &pages) != 1) pages = 0;
    fclose(f);
  }
  return pages * 4096;
}
__global__ void no_barrier(int* out) { out[threadIdx.x] = int(threadIdx.x); }
__global__ void one_barrier(int* out) {
  __shared__ int s[1024];
  s[threadIdx.x] = int(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void deep(int* out) {
  // Most of the 512 KiB of local memory that CUDA allows.
  volatile char local[500 * 1024];
  for (int i = 0; i < int(sizeof local); i += 1024) local[i] = char(i >> 10);
  if (blockDim.x > 1) __syncthreads();
  int sum = 0;
  for (int i = 0; i < int(sizeof local); i += 1024) sum += local[i] == char(i >> 10);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void stacks() {
  int* out;
  cudaMalloc(&out, 4096 * sizeof(int));
  no_barrier<<<64, 1024>>>(out);
  const long before = mapped();
  no_barrier<<<64, 1024>>>(out);
  check(mapped() == before, "a kernel without barriers makes no stacks");
  one_barrier<<<1, 1024>>>(out);
  const long with_stacks = mapped();
  check(with_stacks > before, "one with a barrier does");
  for (int i = 0; i < 50; ++i) one_barrier<<<1, 1024>>>(out);
  check(mapped() == with_stacks, "which serve all later blocks");
  const auto launch = [out] { one_barrier<<<1, 1024>>>(out); };
  std::thread(launch).join();
  const long after_one = mapped();
  for (int i = 0; i < 20; ++i) std::thread(launch).join();
  // A leak would be 512 MiB for each thread.
  check(mapped() - after_one < 100 << 20, "and go with the host thread that launched");
  deep<<<8, 1>>>(out);
  bool all = true;
  for (int i = 0; i < 8; ++i) all &= out[i] == 500;
  check(all, "local memory up to CUDA's limit, without a barrier");
  deep<<<2, 64>>>(out);
  all = true;
  for (int i = 0; i < 128; ++i) all &= out[i] == 500;
  check(all, "and with one");
  cudaFree(out);
}

// ── which threads end when ──
__global__ void leave_in_turn(int* out) {
  // Thread 0, on the OS thread's stack, ends first, last or in between.
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const unsigned by_block[] = {threadIdx.x, blockDim.x - threadIdx.x, threadIdx.x * 7 % blockDim.x};
  const int turns = int(by_block[blockIdx.x]);
  for (int i = 0; i < turns; ++i) {
    atomicAdd(&count, 1);
    __syncthreads();
  }
  atomicAdd(&out[blockIdx.x], 1);
}
__global__ void first_leaves(int* out) {
  if (threadIdx.x < 16) return;
  __syncthreads();
  atomicAdd(&out[blockIdx.x], 1);
}
static void turns() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) out[i] = 0;
  leave_in_turn<<<3, 128>>>(out);
  check(out[0] == 128 && out[1] == 128 && out[2] == 128, "threads end in any order");
  for (int i = 0; i < 64; ++i) out[i] = 0;
  first_leaves<<<64, 48>>>(out);
  bool all = true;
  for (int i = 0; i < 64; ++i) all &= out[i] == 32;
  check(all, "threads that leave before the first barrier");
  cudaFree(out);
}

static void run_checks() {
  floating_point();
  stacks();
  turns();
  check(cudaGetLastError() == cudaSuccess, "no error");
  printf("%d failures\n", failures);
}
