// Kernels by their address: launches, and how much shared memory each may have.
#include "kernels.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>

#include "../include/ks/launch.h"
#include "errors.h"
#include "symbols.h"

namespace ks {
namespace {

std::mutex kernels;
std::map<const void*, size_t>& opted_in() {
  static auto* map = new std::map<const void*, size_t>();
  return *map;
}
std::map<const void*, size_t>& fixed_sizes() {
  static auto* map = new std::map<const void*, size_t>();
  return *map;
}
std::map<const void*, Launcher>& launchers() {
  static auto* map = new std::map<const void*, Launcher>();
  return *map;
}
size_t largest_opt_in = max_shared_default;

size_t fixed_size(const void* kernel) {
  if (!kernel) return 0;
  const auto known = fixed_sizes().find(kernel);
  if (known != fixed_sizes().end()) return known->second;
  return fixed_sizes()[kernel] = static_variables_of(kernel);
}

}  // namespace

size_t allowed_dynamic_shared(const void* kernel) {
  std::lock_guard<std::mutex> lock(kernels);
  if (!kernel) return largest_opt_in;
  const auto own = opted_in().find(kernel);
  if (own != opted_in().end()) return own->second;
  return max_shared_default - std::min(fixed_size(kernel), max_shared_default);
}

size_t static_shared(const void* kernel) {
  std::lock_guard<std::mutex> lock(kernels);
  return fixed_size(kernel);
}

}  // namespace ks

using ks::record;

int ks_allow_shared(const void* kernel, size_t bytes) {
  std::lock_guard<std::mutex> lock(ks::kernels);
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  if (bytes + ks::fixed_size(kernel) > ks::max_shared) return record(cudaErrorInvalidValue);
  ks::opted_in()[kernel] = bytes;
  ks::largest_opt_in = std::max(ks::largest_opt_in, bytes);
  return ks::sticky();
}
void ks_kernel_shared(const void* kernel, size_t* dynamic, size_t* fixed) {
  *dynamic = ks::allowed_dynamic_shared(kernel);
  *fixed = ks::static_shared(kernel);
}
void ks_register_kernel(const void* kernel, ks::Launcher launcher) {
  std::lock_guard<std::mutex> lock(ks::kernels);
  ks::launchers()[kernel] = launcher;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  ks::Launcher launcher = nullptr;
  {
    std::lock_guard<std::mutex> lock(ks::kernels);
    const auto known = ks::launchers().find(kernel);
    if (known != ks::launchers().end()) launcher = known->second;
  }
  if (!launcher) return record(cudaErrorInvalidDeviceFunction);
  launcher(kernel, grid, block, arguments, shared, stream);
  return cudaPeekAtLastError();
}

cudaError_t ks_check_attributes(const cudaLaunchConfig_t* config) {
  if (!config || (config->numAttrs && !config->attrs)) return record(cudaErrorInvalidValue);
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttributeValue& value = config->attrs[i].val;
    const bool isCooperative = config->attrs[i].id == cudaLaunchAttributeCooperative && value.cooperative;
    const bool isCluster = config->attrs[i].id == cudaLaunchAttributeClusterDimension &&
                           (value.clusterDim.x > 1 || value.clusterDim.y > 1 || value.clusterDim.z > 1);
    if (!isCooperative && !isCluster) continue;
    fprintf(stderr, "kernelseek: the CPU target cannot run %s\n",
            isCluster ? "thread-block clusters" : "a cooperative grid launch");
    return record(cudaErrorNotSupported);
  }
  return ks::sticky();
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  if (cudaError_t error = ks_check_attributes(config)) return error;
  return cudaLaunchKernel(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                          config->stream);
}
