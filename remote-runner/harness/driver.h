// The few calls of the CUDA driver that launch device code of a module, found at run time: nothing links against the driver,
// and no toolkit is needed to compile this. Where there is one, what is declared here is checked against its cuda.h.
#pragma once
#include <dlfcn.h>

#include <cstddef>
#include <type_traits>
#ifdef __CUDACC__
#include <cuda.h>
#endif

namespace driver {

using Module = struct ModuleTag*;
using Function = struct FunctionTag*;

constexpr int success = 0, invalidValue = 1;
constexpr int maxShared = 8, carveout = 9, nonPortableCluster = 14;  // CUfunction_attribute
constexpr int clusterDimension = 4;                                  // CUlaunchAttributeID

struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};

struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attributeCount;
};

#ifdef __CUDACC__
static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig) && offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream) &&
              offsetof(LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs) &&
              offsetof(LaunchConfig, shared) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute) && offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(clusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && maxShared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
              carveout == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT &&
              nonPortableCluster == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED && invalidValue == CUDA_ERROR_INVALID_VALUE);
#endif

inline int (*moduleLoadData)(Module*, const void* image);
inline int (*moduleUnload)(Module);
inline int (*moduleGetFunction)(Function*, Module, const char* name);
inline int (*funcGetParamInfo)(Function, size_t index, size_t* offset, size_t* size);
inline int (*funcSetAttribute)(Function, int attribute, int value);
inline int (*launchKernelEx)(const LaunchConfig*, Function, void** parameters, void** extra);
inline int (*getErrorName)(int, const char** name);
inline int (*getErrorString)(int, const char** text);

// Which call is missing; null when all are there.
inline const char* open() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "libcuda.so.1";
  const char* missing = nullptr;
  auto find = [&](auto& call, const char* name) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(library, name));
    if (!call) missing = name;
  };
  find(moduleLoadData, "cuModuleLoadData");
  find(moduleUnload, "cuModuleUnload");
  find(moduleGetFunction, "cuModuleGetFunction");
  find(funcGetParamInfo, "cuFuncGetParamInfo");  // from CUDA 12.4 on
  find(funcSetAttribute, "cuFuncSetAttribute");
  find(launchKernelEx, "cuLaunchKernelEx");
  find(getErrorName, "cuGetErrorName");
  find(getErrorString, "cuGetErrorString");
  return missing;
}

}  // namespace driver
