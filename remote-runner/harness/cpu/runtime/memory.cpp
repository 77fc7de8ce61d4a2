// Device and pinned host memory: allocations, copies, pools.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "errors.h"
#include "memory.h"
#include "streams.h"
#include "strict.h"

struct CUmemPoolHandle_st {
  unsigned long long threshold = 0, used = 0, high = 0;
  int reuse[3] = {1, 1, 1};
};

namespace ks {
namespace {

struct Allocation {
  size_t bytes;
  cudaMemoryType type;
  CUmemPoolHandle_st* pool;
};
std::mutex memory;
std::map<char*, Allocation>& allocations() {
  static auto* map = new std::map<char*, Allocation>();
  return *map;
}
size_t used = 0;
CUmemPoolHandle_st default_pool;
CUmemPoolHandle_st* current_pool = &default_pool;

cudaError_t allocate(void** p, size_t n, cudaMemoryType type, CUmemPoolHandle_st* pool = nullptr) {
  if (sticky()) return sticky();
  if (!p) return record(cudaErrorInvalidValue);
  *p = nullptr;
  if (n == 0) return cudaSuccess;
  std::lock_guard<std::mutex> lock(memory);
  if (n > total_memory() - std::min(used, total_memory())) return record(cudaErrorMemoryAllocation);
  void* reserved = strict::is_on ? strict::reserve(n, type == cudaMemoryTypeDevice) : aligned_alloc(512, (n + 511) / 512 * 512);
  char* block = static_cast<char*>(reserved);
  if (!block) return record(cudaErrorMemoryAllocation);
  // Device memory is not zero: NaN in every floating-point type, -1 in integers. Very large blocks only at the start.
  memset(block, 0xff, std::min(n, size_t(256) << 20));
  allocations()[block] = {n, type, pool};
  used += n;
  if (pool) pool->high = std::max(pool->high, pool->used += n);
  *p = block;
  return cudaSuccess;
}

cudaError_t release(void* p, bool isHost) {
  if (!p) return cudaSuccess;
  std::lock_guard<std::mutex> lock(memory);
  auto at = allocations().find(static_cast<char*>(p));
  if (at == allocations().end() || (at->second.type == cudaMemoryTypeHost) != isHost)
    return record(cudaErrorInvalidValue);
  used -= at->second.bytes;
  if (at->second.pool) at->second.pool->used -= at->second.bytes;
  if (!strict::is_on || !strict::unreserve(at->first)) free(at->first);
  allocations().erase(at);
  return cudaSuccess;
}

/** The allocation around an address, or null; under the lock. */
const std::pair<char* const, Allocation>* around(const void* p) {
  char* address = static_cast<char*>(const_cast<void*>(p));
  auto next = allocations().upper_bound(address);
  if (next == allocations().begin()) return nullptr;
  auto at = std::prev(next);
  return size_t(address - at->first) < at->second.bytes ? &*at : nullptr;
}

/** False if the range starts inside one of our allocations and leaves it. */
bool inside(const void* p, size_t n) {
  std::lock_guard<std::mutex> lock(memory);
  const auto* at = around(p);
  return !at || n <= at->second.bytes - size_t(static_cast<const char*>(p) - at->first);
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

cudaError_t set(void* p, size_t pitch, int value, size_t width, size_t height) {
  if (sticky()) return sticky();
  if (width == 0 || height == 0) return cudaSuccess;
  if (!p || (height > 1 && width > pitch) || !inside(p, (height - 1) * pitch + width))
    return record(cudaErrorInvalidValue);
  for (size_t row = 0; row < height; ++row) memset(static_cast<char*>(p) + row * pitch, value, width);
  return cudaSuccess;
}

/** A box of a volume, slice by slice. */
cudaError_t copy3d(const cudaMemcpy3DParms& p) {
  const size_t toSlice = p.dstPtr.pitch * p.dstPtr.ysize, fromSlice = p.srcPtr.pitch * p.srcPtr.ysize;
  if (!p.dstPtr.ptr || !p.srcPtr.ptr) return record(cudaErrorInvalidValue);
  for (size_t z = 0; z < p.extent.depth; ++z) {
    char* to = static_cast<char*>(p.dstPtr.ptr) + (p.dstPos.z + z) * toSlice + p.dstPos.y * p.dstPtr.pitch + p.dstPos.x;
    const char* from = static_cast<const char*>(p.srcPtr.ptr) + (p.srcPos.z + z) * fromSlice +
                       p.srcPos.y * p.srcPtr.pitch + p.srcPos.x;
    const cudaError_t error = copy(to, p.dstPtr.pitch, from, p.srcPtr.pitch, p.extent.width, p.extent.height, p.kind);
    if (error) return error;
  }
  return sticky();
}
cudaError_t set3d(const cudaPitchedPtr& p, int value, const cudaExtent& extent) {
  for (size_t z = 0; z < extent.depth; ++z) {
    char* slice = static_cast<char*>(p.ptr) + z * p.pitch * p.ysize;
    if (cudaError_t error = set(slice, p.pitch, value, extent.width, extent.height)) return error;
  }
  return sticky();
}

/** In a captured stream memory is there at once; what the capture frees again lives as long as its graph. */
cudaError_t allocate_in(void** p, size_t n, CUmemPoolHandle_st* pool, cudaStream_t stream) {
  const cudaError_t error = allocate(p, n, cudaMemoryTypeDevice, pool);
  if (error || !is_recording(stream)) return error;
  return record_action(stream, cudaGraphNodeTypeMemAlloc, Action());
}

cudaError_t no_capture() { return sticky() ? sticky() : check_no_capture(); }

}  // namespace

size_t total_memory() { return size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE)) / 2; }

}  // namespace ks

using ks::record;
using ks::sticky;

// ── allocations ──
cudaError_t cudaMalloc(void** p, size_t n) {
  if (cudaError_t error = ks::no_capture()) return error;
  return ks::allocate(p, n, cudaMemoryTypeDevice);
}
cudaError_t cudaFree(void* p) {
  if (cudaError_t error = ks::no_capture()) return error;
  // A GPU waits for all that may use it.
  ks::pending::host_waits_for_all();
  return ks::release(p, false);
}
cudaError_t cudaMallocAsync(void** p, size_t n, cudaStream_t stream) {
  return ks::allocate_in(p, n, ks::current_pool, stream);
}
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
  if (sticky()) return sticky();
  if (!ks::is_recording(stream)) return ks::release(p, false);
  ks::keep_with_graph(stream, std::shared_ptr<void>(p, [](void* q) { ks::release(q, false); }));
  return ks::record_action(stream, cudaGraphNodeTypeMemFree, ks::Action());
}
cudaError_t cudaMallocManaged(void** p, size_t n, unsigned flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return record(cudaErrorInvalidValue);
  if (cudaError_t error = ks::no_capture()) return error;
  return n ? ks::allocate(p, n, cudaMemoryTypeManaged) : record(cudaErrorInvalidValue);
}
cudaError_t cudaMallocPitch(void** p, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return record(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(p, *pitch * height);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent) {
  if (!p) return record(cudaErrorInvalidValue);
  *p = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}
cudaError_t cudaHostAlloc(void** p, size_t n, unsigned) {
  if (cudaError_t error = ks::no_capture()) return error;
  return ks::allocate(p, n, cudaMemoryTypeHost);
}
cudaError_t cudaMallocHost(void** p, size_t n) { return cudaHostAlloc(p, n, cudaHostAllocDefault); }
cudaError_t cudaFreeHost(void* p) {
  if (cudaError_t error = ks::no_capture()) return error;
  return ks::release(p, true);
}
cudaError_t cudaHostRegister(void* p, size_t n, unsigned) {
  if (!p) return record(cudaErrorInvalidValue);
  if (ks::strict::is_on) ks::strict::begin_host_memory(p, n);
  return sticky();
}
cudaError_t cudaHostUnregister(void* p) {
  if (ks::strict::is_on) ks::strict::end_host_memory(p);
  return sticky();
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  if (!device || !host) return record(cudaErrorInvalidValue);
  *device = host;
  return sticky();
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  std::lock_guard<std::mutex> lock(ks::memory);
  const auto* at = ks::around(host);
  if (!flags || !at || at->second.type != cudaMemoryTypeHost) return record(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped;
  return sticky();
}
cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  std::lock_guard<std::mutex> lock(ks::memory);
  *total = ks::total_memory();
  *available = *total - std::min(ks::used, *total);
  return sticky();
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p) {
  if (!a) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(ks::memory);
  *a = cudaPointerAttributes{cudaMemoryTypeUnregistered, 0, nullptr, nullptr};
  if (const auto* at = ks::around(p)) {
    a->type = at->second.type;
    a->devicePointer = const_cast<void*>(p);
    a->hostPointer = a->type == cudaMemoryTypeDevice ? nullptr : a->devicePointer;
  }
  return sticky();
}

// ── copies ──
cudaError_t cudaMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return ks::in_stream(stream, cudaGraphNodeTypeMemcpy,
                       [=] { return ks::copy(to, toPitch, from, fromPitch, width, height, kind); });
}
/** A call that returns when what it put into the legacy stream is done. */
static cudaError_t waited(cudaError_t error) {
  ks::pending::host_waits(ks::pending::moment(nullptr));
  return error;
}
cudaError_t cudaMemcpy2D(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return waited(cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind, nullptr));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, n, from, n, n, 1, kind, stream);
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind kind) {
  return waited(cudaMemcpyAsync(to, from, n, kind, nullptr));
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  if (!p) return record(cudaErrorInvalidValue);
  return ks::in_stream(stream, cudaGraphNodeTypeMemcpy, [copy = *p] { return ks::copy3d(copy); });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return waited(cudaMemcpy3DAsync(p, nullptr)); }
cudaError_t cudaMemcpyPeerAsync(void* to, int toDevice, const void* from, int fromDevice, size_t n,
                                cudaStream_t stream) {
  if (toDevice || fromDevice) return record(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpyPeer(void* to, int toDevice, const void* from, int fromDevice, size_t n) {
  return cudaMemcpyPeerAsync(to, toDevice, from, fromDevice, n, nullptr);
}
cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return ks::in_stream(stream, cudaGraphNodeTypeMemset, [=] { return ks::set(p, pitch, value, width, height); });
}
cudaError_t cudaMemset2D(void* p, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(p, pitch, value, width, height, nullptr);
}
cudaError_t cudaMemsetAsync(void* p, int value, size_t n, cudaStream_t stream) {
  return cudaMemset2DAsync(p, n, value, n, 1, stream);
}
cudaError_t cudaMemset(void* p, int value, size_t n) { return cudaMemsetAsync(p, value, n, nullptr); }
cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream) {
  return ks::in_stream(stream, cudaGraphNodeTypeMemset, [=] { return ks::set3d(p, value, extent); });
}
cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return cudaMemset3DAsync(p, value, extent, nullptr);
}

// ── pools ──
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (sticky()) return sticky();
  if (!pool || !properties || properties->location.id != 0) return record(cudaErrorInvalidValue);
  *pool = new CUmemPoolHandle_st();
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  std::lock_guard<std::mutex> lock(ks::memory);
  if (!pool || pool == &ks::default_pool) return record(cudaErrorInvalidValue);
  if (ks::current_pool == pool) ks::current_pool = &ks::default_pool;
  for (auto& [address, allocation] : ks::allocations()) {
    if (allocation.pool == pool) allocation.pool = nullptr;
  }
  delete pool;
  return sticky();
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!pool || !value) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(ks::memory);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: pool->reuse[attribute - 1] = *static_cast<int*>(value); break;
    case cudaMemPoolAttrReleaseThreshold: pool->threshold = *static_cast<unsigned long long*>(value); break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: pool->high = pool->used; break;
    default: return record(cudaErrorInvalidValue);
  }
  return sticky();
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!pool || !value) return record(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(ks::memory);
  auto* number = static_cast<unsigned long long*>(value);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: *static_cast<int*>(value) = pool->reuse[attribute - 1]; break;
    case cudaMemPoolAttrReleaseThreshold: *number = pool->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: *number = pool->used; break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: *number = pool->high; break;
    default: return record(cudaErrorInvalidValue);
  }
  return sticky();
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) { return pool ? sticky() : record(cudaErrorInvalidValue); }
cudaError_t cudaMallocFromPoolAsync(void** p, size_t n, cudaMemPool_t pool, cudaStream_t stream) {
  return pool ? ks::allocate_in(p, n, pool, stream) : record(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (!pool || device != 0) return record(pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *pool = &ks::default_pool;
  return sticky();
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (!pool || device != 0) return record(pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *pool = ks::current_pool;
  return sticky();
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (!pool || device != 0) return record(pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  ks::current_pool = pool;
  return sticky();
}
