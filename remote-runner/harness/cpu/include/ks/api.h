// Runtime API functions that CUDA declares with default arguments or templates, and those that only forward here.
#ifndef KS_API_H
#define KS_API_H

// Within the runtime's own order everything is synchronous: the asynchronous forms are the plain ones.
static inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind kind,
                                          cudaStream_t = nullptr) {
  return cudaMemcpy(to, from, n, kind);
}
static inline cudaError_t cudaMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                                            size_t height, cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy2D(to, toPitch, from, fromPitch, width, height, kind);
}
static inline cudaError_t cudaMemsetAsync(void* p, int value, size_t n, cudaStream_t = nullptr) {
  return cudaMemset(p, value, n);
}
static inline cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int value, size_t width, size_t height,
                                            cudaStream_t = nullptr) {
  return cudaMemset2D(p, pitch, value, width, height);
}
template <class T>
static inline cudaError_t cudaMalloc(T** p, size_t n) {
  return ::cudaMalloc(reinterpret_cast<void**>(p), n);
}
static inline cudaError_t cudaMallocAsync(void** p, size_t n, cudaStream_t) { return ::cudaMalloc(p, n); }
template <class T>
static inline cudaError_t cudaMallocAsync(T** p, size_t n, cudaStream_t) {
  return ::cudaMalloc(reinterpret_cast<void**>(p), n);
}
static inline cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return cudaFree(p); }
template <class T>
static inline cudaError_t cudaMallocManaged(T** p, size_t n, unsigned = cudaMemAttachGlobal) {
  return ::cudaMalloc(reinterpret_cast<void**>(p), n);
}
template <class T>
static inline cudaError_t cudaMallocHost(T** p, size_t n, unsigned = 0) {
  return ::cudaMallocHost(reinterpret_cast<void**>(p), n);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T** p, size_t n, unsigned flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(p), n, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(p), pitch, width, height);
}
static inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr) { return cudaSuccess; }
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) { return cudaStreamCreate(s); }
static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned, int) { return cudaStreamCreate(s); }
static inline cudaError_t cudaEventCreate(cudaEvent_t* e) { return cudaEventCreateWithFlags(e, cudaEventDefault); }
static inline cudaError_t cudaEventCreate(cudaEvent_t* e, unsigned flags) { return cudaEventCreateWithFlags(e, flags); }
extern "C" KS_EXPORT cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
extern "C" KS_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }

// A symbol is an ordinary variable of the candidate's library.
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t n, size_t offset = 0,
                                             cudaMemcpyKind = cudaMemcpyHostToDevice) {
  if (offset > sizeof symbol || n > sizeof symbol - offset) return cudaErrorInvalidValue;
  return cudaMemcpy(const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol)) + offset, from, n,
                    cudaMemcpyDefault);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t n, size_t offset = 0,
                                               cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  if (offset > sizeof symbol || n > sizeof symbol - offset) return cudaErrorInvalidValue;
  return cudaMemcpy(to, const_cast<const char*>(reinterpret_cast<const volatile char*>(&symbol)) + offset, n,
                    cudaMemcpyDefault);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t n, size_t offset,
                                                  cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, from, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t n, size_t offset,
                                                    cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpyFromSymbol(to, symbol, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void** p, const T& symbol) {
  *p = const_cast<char*>(reinterpret_cast<const volatile char*>(&symbol));
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t* n, const T& symbol) {
  *n = sizeof symbol;
  return cudaSuccess;
}

// The opt-in to large dynamic shared memory counts for the whole process: a launch does not know its function's
// address.
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T*, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  return value < 0 ? cudaErrorInvalidValue : cudaError_t(ks_allow_shared(size_t(value)));
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
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, T*) {
  *a = cudaFuncAttributes();
  a->maxThreadsPerBlock = 1024;
  a->numRegs = 32;
  a->ptxVersion = a->binaryVersion = 90;
  a->maxDynamicSharedSizeBytes = int(ks::max_shared_default);
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T, int threads, size_t) {
  if (threads < 1 || threads > 1024) return cudaErrorInvalidValue;
  *blocks = 2048 / threads < 32 ? 2048 / threads : 32;
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T, size_t = 0, int limit = 0) {
  int processors = 1;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  *block = limit > 0 && limit < 1024 ? limit : 1024;
  *grid = 2 * processors;
  return cudaSuccess;
}

#endif
