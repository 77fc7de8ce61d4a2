// The one device that programs find: compute capability 9.0, with as many multiprocessors as there are OS threads.
#include <cstdio>
#include <cstring>

#include "errors.h"
#include "memory.h"

using ks::record;
using ks::sticky;

namespace {

cudaFuncCache cache = cudaFuncCachePreferNone;
cudaSharedMemConfig banks = cudaSharedMemBankSizeFourByte;
unsigned device_flags = 0;
size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

cudaError_t only_device(int device) { return device == 0 ? sticky() : record(cudaErrorInvalidDevice); }

cudaDeviceProp properties() {
  cudaDeviceProp p{};
  snprintf(p.name, sizeof p.name, "KernelSeek CPU emulation");
  p.totalGlobalMem = ks::total_memory();
  p.sharedMemPerBlock = ks::max_shared_default;
  p.sharedMemPerBlockOptin = ks::max_shared;
  p.sharedMemPerMultiprocessor = 233472;
  p.reservedSharedMemPerBlock = 1024;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.clockRate = p.memoryClockRate = 1000000;
  p.memoryBusWidth = 64;
  p.totalConstMem = 65536;
  p.major = 9;
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = int(ks::worker_count());
  p.concurrentKernels = p.unifiedAddressing = p.managedMemory = p.canMapHostMemory = p.integrated = 1;
  p.streamPrioritiesSupported = p.concurrentManagedAccess = p.pageableMemoryAccess = 1;
  p.hostRegisterSupported = p.memoryPoolsSupported = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.l2CacheSize = 2 << 20;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  return p;
}

}  // namespace

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (!p) return record(cudaErrorInvalidValue);
  if (cudaError_t error = only_device(device)) return error;
  *p = properties();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!value) return record(cudaErrorInvalidValue);
  if (cudaError_t error = only_device(device)) return error;
  const cudaDeviceProp p = properties();
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(p.sharedMemPerBlock); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(p.sharedMemPerBlockOptin); break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = int(p.reservedSharedMemPerBlock); break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = int(p.sharedMemPerMultiprocessor); break;
    case cudaDevAttrTotalConstantMemory: *value = int(p.totalConstMem); break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxPitch: *value = int(p.memPitch); break;
    case cudaDevAttrClockRate: *value = p.clockRate; break;
    case cudaDevAttrMemoryClockRate: *value = p.memoryClockRate; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrIntegrated:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrPciBusId:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMaxPersistingL2CacheSize:
    case cudaDevAttrMaxAccessPolicyWindowSize: *value = 0; break;
    default: return record(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* n) {
  *n = 1;
  return sticky();
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return sticky();
}
cudaError_t cudaSetDevice(int device) { return only_device(device); }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  device_flags = flags;
  return sticky();
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = device_flags;
  return sticky();
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  if (cudaError_t error = only_device(device)) return error;
  snprintf(text, size_t(length), "0000:00:00.0");
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (!device || !id || strcmp(id, "0000:00:00.0") != 0) return record(cudaErrorInvalidValue);
  return cudaGetDevice(device);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (device || peer) return record(cudaErrorInvalidDevice);
  *can = 0;
  return sticky();
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return record(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return record(cudaErrorPeerAccessNotEnabled); }
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (size_t(limit) >= sizeof limits / sizeof *limits) return record(cudaErrorInvalidValue);
  limits[limit] = value;
  return sticky();
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  if (!value || size_t(limit) >= sizeof limits / sizeof *limits) return record(cudaErrorInvalidValue);
  *value = limits[limit];
  return sticky();
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache wanted) {
  cache = wanted;
  return sticky();
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* is) {
  *is = cache;
  return sticky();
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig wanted) {
  banks = wanted;
  return sticky();
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* is) {
  *is = banks;
  return sticky();
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return sticky();
}
cudaError_t cudaProfilerStart() { return sticky(); }
cudaError_t cudaProfilerStop() { return sticky(); }
