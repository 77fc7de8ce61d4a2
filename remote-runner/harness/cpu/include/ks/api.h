// Runtime API functions that CUDA declares with default arguments or as templates.
#ifndef KS_API_H
#define KS_API_H

extern "C" {
KS_EXPORT cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind, cudaStream_t = nullptr);
KS_EXPORT cudaError_t cudaMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                                        size_t height, cudaMemcpyKind, cudaStream_t = nullptr);
KS_EXPORT cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms*, cudaStream_t = nullptr);
KS_EXPORT cudaError_t cudaMemcpyPeerAsync(void* to, int toDevice, const void* from, int fromDevice, size_t n,
                                          cudaStream_t = nullptr);
KS_EXPORT cudaError_t cudaMemsetAsync(void* p, int value, size_t n, cudaStream_t = nullptr);
KS_EXPORT cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int value, size_t width, size_t height,
                                        cudaStream_t = nullptr);
KS_EXPORT cudaError_t cudaMemset3DAsync(cudaPitchedPtr, int value, cudaExtent, cudaStream_t = nullptr);
KS_EXPORT cudaError_t cudaMallocManaged(void** p, size_t n, unsigned flags = cudaMemAttachGlobal);
KS_EXPORT cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
KS_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned flags = 0);
}

template <class T>
static inline cudaError_t cudaMalloc(T** p, size_t n) {
  return ::cudaMalloc(reinterpret_cast<void**>(p), n);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T** p, size_t n, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(p), n, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T** p, size_t n, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(p), n, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T** p, size_t n, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(p), n, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T** p, size_t n, unsigned flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(p), n, flags);
}
template <class T>
static inline cudaError_t cudaMallocHost(T** p, size_t n, unsigned flags = cudaHostAllocDefault) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(p), n, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T** p, size_t n, unsigned flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(p), n, flags);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(p), pitch, width, height);
}
// Hints about where memory lies change nothing where there is one memory.
static inline cudaError_t cudaMemPrefetchAsync(const void* p, size_t, int, cudaStream_t = nullptr) {
  return p ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}
static inline cudaError_t cudaMemAdvise(const void* p, size_t, cudaMemoryAdvise, int) {
  return p ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t = 0, unsigned = cudaMemAttachSingle) {
  return cudaPeekAtLastError();
}
static inline cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t width, size_t height) {
  return {p, pitch, width, height};
}
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaError_t cudaEventCreate(cudaEvent_t* e) { return cudaEventCreateWithFlags(e, cudaEventDefault); }
static inline cudaError_t cudaEventCreate(cudaEvent_t* e, unsigned flags) { return cudaEventCreateWithFlags(e, flags); }
static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

// A symbol is an ordinary variable of the candidate's library.
namespace ks {
template <class T>
static inline char* place_of(const T& symbol) {
  return const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol));
}
}  // namespace ks
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t n, size_t offset,
                                                  cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  if (offset > sizeof symbol || n > sizeof symbol - offset) return cudaErrorInvalidValue;
  return cudaMemcpyAsync(ks::place_of(symbol) + offset, from, n, cudaMemcpyDefault, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t n, size_t offset,
                                                    cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  if (offset > sizeof symbol || n > sizeof symbol - offset) return cudaErrorInvalidValue;
  return cudaMemcpyAsync(to, ks::place_of(symbol) + offset, n, cudaMemcpyDefault, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t n, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbolAsync(symbol, from, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t n, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbolAsync(to, symbol, n, offset, kind);
}
template <class P, class T>
static inline cudaError_t cudaGetSymbolAddress(P** p, const T& symbol) {
  *p = reinterpret_cast<P*>(ks::place_of(symbol));
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t* n, const T& symbol) {
  *n = sizeof symbol;
  return cudaSuccess;
}

// ── kernels as objects of the API: T is the kernel's type, or void ──
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0) return cudaErrorInvalidValue;
  return cudaError_t(ks_allow_shared(reinterpret_cast<const void*>(kernel), size_t(value)));
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T*, cudaFuncCache) {
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T*, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, T* kernel) {
  *a = cudaFuncAttributes();
  size_t dynamic = 0;
  ks_kernel_shared(reinterpret_cast<const void*>(kernel), &dynamic, &a->sharedSizeBytes);
  a->maxThreadsPerBlock = 1024;
  a->numRegs = 32;
  a->ptxVersion = a->binaryVersion = 90;
  a->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  a->maxDynamicSharedSizeBytes = int(dynamic);
  return cudaSuccess;
}

// Occupancy as of compute capability 9.0, for a kernel of 32 registers a thread: limited by threads, blocks and shared
// memory.
namespace ks {
static inline int resident_blocks(const void* kernel, int threads, size_t dynamic) {
  size_t most = 0, fixed = 0;
  ks_kernel_shared(kernel, &most, &fixed);
  if (dynamic > most) return 0;
  const int warps = (threads + 31) / 32;
  const size_t shared = (fixed + dynamic + 1024 + 127) / 128 * 128;  // the system reserves 1 KiB of each block
  int blocks = 64 / warps < 32 ? 64 / warps : 32;
  if (size_t(blocks) * shared > 233472) blocks = int(233472 / shared);
  return blocks;
}
}  // namespace ks
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T* kernel, int threads,
                                                                        size_t dynamic) {
  if (!blocks || threads < 1 || threads > 1024) return cudaErrorInvalidValue;
  *blocks = ks::resident_blocks(reinterpret_cast<const void*>(kernel), threads, dynamic);
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T* kernel, int threads,
                                                                                 size_t dynamic, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, dynamic);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamic, T* kernel, int blocks,
                                                                    int threads) {
  if (!dynamic || blocks < 1 || threads < 1 || threads > 1024) return cudaErrorInvalidValue;
  size_t most = 0, fixed = 0;
  ks_kernel_shared(reinterpret_cast<const void*>(kernel), &most, &fixed);
  const size_t share = size_t(233472 / blocks) / 128 * 128;
  const size_t left = share > fixed + 1024 ? share - fixed - 1024 : 0;
  *dynamic = left < most ? left : most;
  return cudaSuccess;
}
/** The block size with the most resident threads, the largest of equals, and a grid that fills the device once. */
template <class T, class SharedOfBlock>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T* kernel,
                                                                         SharedOfBlock shared, int limit = 0) {
  if (!grid || !block) return cudaErrorInvalidValue;
  int processors = 1, best = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  for (int threads = limit > 0 && limit < 1024 ? limit : 1024; threads > 0; threads = (threads - 1) / 32 * 32) {
    const int blocks = ks::resident_blocks(reinterpret_cast<const void*>(kernel), threads, size_t(shared(threads)));
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * processors;
  }
  return best ? cudaSuccess : cudaErrorInvalidValue;
}
template <class T, class SharedOfBlock>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, T* kernel,
                                                                                  SharedOfBlock shared, int limit = 0,
                                                                                  unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, shared, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T* kernel, size_t dynamic = 0,
                                                             int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [dynamic](int) { return dynamic; }, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, T* kernel,
                                                                      size_t dynamic = 0, int limit = 0, unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, dynamic, limit);
}

#endif
