// The CUDA runtime API over host memory and the machine's clock.
#include "../include/cuda_runtime_api.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>

#include "block.h"
#include "errors.h"

struct CUstream_st {
  int unused;
};
struct CUevent_st {
  bool recorded;
  timespec at;
};

namespace ks {
namespace {

thread_local cudaError_t last = cudaSuccess;
std::atomic<int> lost{cudaSuccess};

struct Allocation {
  size_t bytes;
  bool host;
};
std::mutex memory;
std::map<char*, Allocation>& allocations() {
  static auto* map = new std::map<char*, Allocation>();
  return *map;
}
size_t total_memory() { return size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE)) / 2; }
size_t used = 0;

cudaError_t allocate(void** p, size_t n, bool host) {
  if (sticky()) return sticky();
  if (!p) return record(cudaErrorInvalidValue);
  *p = nullptr;
  if (n == 0) return cudaSuccess;
  std::lock_guard<std::mutex> lock(memory);
  if (n > total_memory() - std::min(used, total_memory())) return record(cudaErrorMemoryAllocation);
  char* block = static_cast<char*>(aligned_alloc(512, (n + 511) / 512 * 512));
  if (!block) return record(cudaErrorMemoryAllocation);
  // Device memory is not zero: NaN in every floating-point type, -1 in integers. Very large blocks only at the start.
  memset(block, 0xff, std::min(n, size_t(256) << 20));
  allocations()[block] = {n, host};
  used += n;
  *p = block;
  return cudaSuccess;
}

cudaError_t release(void* p, bool host) {
  if (sticky()) return sticky();
  if (!p) return cudaSuccess;
  std::lock_guard<std::mutex> lock(memory);
  auto at = allocations().find(static_cast<char*>(p));
  if (at == allocations().end() || at->second.host != host) return record(cudaErrorInvalidValue);
  used -= at->second.bytes;
  free(at->first);
  allocations().erase(at);
  return cudaSuccess;
}

/** False if the range starts inside one of our allocations and leaves it. */
bool inside(const void* p, size_t n) {
  std::lock_guard<std::mutex> lock(memory);
  char* address = static_cast<char*>(const_cast<void*>(p));
  auto next = allocations().upper_bound(address);
  if (next == allocations().begin()) return true;
  auto at = std::prev(next);
  const size_t offset = size_t(address - at->first);
  return offset >= at->second.bytes || n <= at->second.bytes - offset;
}

cudaError_t copy(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height, int kind) {
  if (sticky()) return sticky();
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return record(cudaErrorInvalidMemcpyDirection);
  if (width == 0 || height == 0) return cudaSuccess;
  if (!to || !from) return record(cudaErrorInvalidValue);
  if (height > 1 && (width > toPitch || width > fromPitch)) return record(cudaErrorInvalidPitchValue);
  if (!inside(to, (height - 1) * toPitch + width) || !inside(from, (height - 1) * fromPitch + width)) {
    return record(cudaErrorInvalidValue);
  }
  for (size_t row = 0; row < height; ++row) {
    memmove(static_cast<char*>(to) + row * toPitch, static_cast<const char*>(from) + row * fromPitch, width);
  }
  return cudaSuccess;
}

cudaError_t only_device(int device) { return device == 0 ? sticky() : record(cudaErrorInvalidDevice); }

}  // namespace

cudaError_t sticky() { return cudaError_t(lost.load(std::memory_order_relaxed)); }
void set_sticky(cudaError_t error) { lost.store(error); }
cudaError_t record(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

}  // namespace ks

using ks::record;
using ks::sticky;

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  ks::last = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() { return sticky() ? sticky() : ks::last; }

#define KS_ERRORS(X)                                                             \
  X(cudaSuccess, "no error")                                                     \
  X(cudaErrorInvalidValue, "invalid argument")                                   \
  X(cudaErrorMemoryAllocation, "out of memory")                                  \
  X(cudaErrorInitializationError, "initialization error")                        \
  X(cudaErrorInvalidConfiguration, "invalid configuration argument")             \
  X(cudaErrorInvalidPitchValue, "invalid pitch argument")                        \
  X(cudaErrorInvalidSymbol, "invalid device symbol")                             \
  X(cudaErrorInvalidDevicePointer, "invalid device pointer")                     \
  X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")        \
  X(cudaErrorInvalidDeviceFunction, "invalid device function")                   \
  X(cudaErrorNoDevice, "no CUDA-capable device is detected")                     \
  X(cudaErrorInvalidDevice, "invalid device ordinal")                            \
  X(cudaErrorInvalidResourceHandle, "invalid resource handle")                   \
  X(cudaErrorNotReady, "device not ready")                                       \
  X(cudaErrorIllegalAddress, "an illegal memory access was encountered")         \
  X(cudaErrorLaunchOutOfResources, "too many resources requested for launch")    \
  X(cudaErrorLaunchTimeout, "the launch timed out and was terminated")           \
  X(cudaErrorAssert, "device-side assert triggered")                             \
  X(cudaErrorIllegalInstruction, "an illegal instruction was encountered")       \
  X(cudaErrorMisalignedAddress, "misaligned address")                            \
  X(cudaErrorLaunchFailure, "unspecified launch failure")                        \
  X(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch") \
  X(cudaErrorNotSupported, "operation not supported")

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define KS_NAME(code, text) \
  case code: return #code;
    KS_ERRORS(KS_NAME)
    default: return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define KS_TEXT(code, text) \
  case code: return text;
    KS_ERRORS(KS_TEXT)
    default: return "unknown error";
  }
}

// ── memory ──
cudaError_t cudaMalloc(void** p, size_t n) { return ks::allocate(p, n, false); }
cudaError_t cudaFree(void* p) { return ks::release(p, false); }
cudaError_t cudaMallocPitch(void** p, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return record(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(p, *pitch * height);
}
cudaError_t cudaMallocHost(void** p, size_t n) { return ks::allocate(p, n, true); }
cudaError_t cudaHostAlloc(void** p, size_t n, unsigned) { return ks::allocate(p, n, true); }
cudaError_t cudaFreeHost(void* p) { return ks::release(p, true); }
cudaError_t cudaHostRegister(void* p, size_t, unsigned) { return p ? sticky() : record(cudaErrorInvalidValue); }
cudaError_t cudaHostUnregister(void*) { return sticky(); }
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return sticky();
}
cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  std::lock_guard<std::mutex> lock(ks::memory);
  *total = ks::total_memory();
  *available = *total - std::min(ks::used, *total);
  return sticky();
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p) {
  std::lock_guard<std::mutex> lock(ks::memory);
  char* address = static_cast<char*>(const_cast<void*>(p));
  *a = cudaPointerAttributes{cudaMemoryTypeUnregistered, 0, nullptr, nullptr};
  auto next = ks::allocations().upper_bound(address);
  if (next != ks::allocations().begin()) {
    auto at = std::prev(next);
    if (size_t(address - at->first) < at->second.bytes) {
      a->type = at->second.host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
      a->devicePointer = address;
      a->hostPointer = at->second.host ? address : nullptr;
    }
  }
  return sticky();
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind kind) {
  return ks::copy(to, n, from, n, n, 1, kind);
}
cudaError_t cudaMemcpy2D(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return ks::copy(to, toPitch, from, fromPitch, width, height, kind);
}
cudaError_t cudaMemset2D(void* p, size_t pitch, int value, size_t width, size_t height) {
  if (sticky()) return sticky();
  if (width == 0 || height == 0) return cudaSuccess;
  if (!p || (height > 1 && width > pitch) || !ks::inside(p, (height - 1) * pitch + width))
    return record(cudaErrorInvalidValue);
  for (size_t row = 0; row < height; ++row) memset(static_cast<char*>(p) + row * pitch, value, width);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* p, int value, size_t n) { return cudaMemset2D(p, n, value, n, 1); }

// ── streams and events ──
cudaError_t cudaStreamCreate(cudaStream_t* s) {
  if (sticky()) return sticky();
  if (!s) return record(cudaErrorInvalidValue);
  *s = new CUstream_st();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  if (s == nullptr || s == cudaStreamLegacy || s == cudaStreamPerThread) return record(cudaErrorInvalidResourceHandle);
  delete s;
  return sticky();
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return sticky(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return sticky(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return sticky(); }
cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return sticky();
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t f, void* data) {
  if (sticky()) return sticky();
  f(data);
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned) {
  f(s, sticky(), data);
  return sticky();
}
cudaError_t cudaDeviceSynchronize() { return sticky(); }
cudaError_t cudaDeviceReset() { return sticky(); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) {
  if (sticky()) return sticky();
  if (!e) return record(cudaErrorInvalidValue);
  *e = new CUevent_st();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  if (!e) return record(cudaErrorInvalidResourceHandle);
  delete e;
  return sticky();
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t) {
  if (sticky()) return sticky();
  if (!e) return record(cudaErrorInvalidResourceHandle);
  clock_gettime(CLOCK_MONOTONIC, &e->at);
  e->recorded = true;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) { return e ? sticky() : record(cudaErrorInvalidResourceHandle); }
cudaError_t cudaEventQuery(cudaEvent_t e) { return e ? sticky() : record(cudaErrorInvalidResourceHandle); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
  if (sticky()) return sticky();
  if (!a || !b || !a->recorded || !b->recorded) return record(cudaErrorInvalidResourceHandle);
  *ms = float(double(b->at.tv_sec - a->at.tv_sec) * 1e3 + double(b->at.tv_nsec - a->at.tv_nsec) * 1e-6);
  return cudaSuccess;
}

// ── the device ──
cudaError_t cudaGetDeviceCount(int* n) {
  *n = 1;
  return sticky();
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return sticky();
}
cudaError_t cudaSetDevice(int device) { return ks::only_device(device); }
cudaError_t cudaSetDeviceFlags(unsigned) { return sticky(); }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (cudaError_t error = ks::only_device(device)) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: *value = 1024; break;
    case cudaDevAttrMaxBlockDimZ: *value = 64; break;
    case cudaDevAttrMaxGridDimX: *value = 2147483647; break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: *value = 65535; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(ks::max_shared_default); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(ks::max_shared); break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = 233472; break;
    case cudaDevAttrTotalConstantMemory:
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = 65536; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrClockRate: *value = 1000000; break;
    case cudaDevAttrMultiProcessorCount: *value = int(ks::worker_count()); break;
    case cudaDevAttrL2CacheSize: *value = 2 << 20; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    case cudaDevAttrManagedMemory: *value = 1; break;
    case cudaDevAttrCooperativeLaunch: *value = 0; break;
    default: return record(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (cudaError_t error = ks::only_device(device)) return error;
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "KernelSeek CPU emulation");
  p->totalGlobalMem = ks::total_memory();
  p->sharedMemPerBlock = ks::max_shared_default;
  p->sharedMemPerBlockOptin = ks::max_shared;
  p->sharedMemPerMultiprocessor = 233472;
  p->reservedSharedMemPerBlock = 1024;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = p->memoryClockRate = 1000000;
  p->memoryBusWidth = 64;
  p->totalConstMem = 65536;
  p->major = 9;
  p->multiProcessorCount = int(ks::worker_count());
  p->concurrentKernels = p->unifiedAddressing = p->managedMemory = p->canMapHostMemory = p->integrated = 1;
  p->l2CacheSize = 2 << 20;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxBlocksPerMultiProcessor = 32;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  if (cudaError_t error = ks::only_device(device)) return error;
  snprintf(text, size_t(length), "0000:00:00.0");
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return sticky(); }
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize ? 1024 : 0;
  return sticky();
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return sticky(); }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return sticky(); }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return sticky();
}
cudaError_t cudaProfilerStart() { return sticky(); }
cudaError_t cudaProfilerStop() { return sticky(); }
