// Checks of the runtime API: launches by address and with attributes, objects as arguments, shared memory of each kernel,
// streams, capture, graphs, pools. Each prints its name and `ok`, or FAILED. run_checks() is the only entry.
#include <cuda_runtime.h>

#include <vector>

static int failures = 0;
static void check(const char* name, bool good) {
  printf("%s %s\n", name, good ? "ok" : "FAILED");
  failures += !good;
}

__global__ void add(int* out, int by) { out[threadIdx.x] += by; }
template <class T>
__global__ void fill(T* out, T value, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = value;
}

// ── by address ──
static void test_addresses() {
  int* d;
  cudaMalloc(&d, 64);
  cudaMemset(d, 0, 64);
  int by = 3, n = 16;
  void* arguments[] = {&d, &by};
  const void* address = (const void*)add;
  bool good = cudaLaunchKernel(address, dim3(1), dim3(16), arguments, 0, nullptr) == cudaSuccess && d[15] == 3;
  const void* table[] = {reinterpret_cast<const void*>(&add), (void*)fill<int>};
  void* others[] = {&d, &by, &n};
  good &= cudaLaunchKernel(table[0], 1, 16, arguments, 0, 0) == cudaSuccess && d[0] == 6;
  good &= cudaLaunchKernel(table[1], 2, 4, others, 0, 0) == cudaSuccess && d[15] == 3 && d[0] == 3;
  good &= cudaLaunchKernel((const void*)&by, 1, 1, others, 0, 0) == cudaErrorInvalidDeviceFunction;
  good &= cudaGetLastError() == cudaErrorInvalidDeviceFunction;
  check("launches by address", good);

  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = dim3(16);
  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = -1;
  config.attrs = attributes;
  config.numAttrs = 2;
  good = cudaLaunchKernelEx(&config, add, d, 10) == cudaSuccess && d[3] == 13;
  good &= cudaLaunchKernelEx(&config, fill<int>, d, short(7), 16) == cudaSuccess && d[3] == 7;
  good &= cudaLaunchKernelExC(&config, (const void*)add, arguments) == cudaSuccess && d[3] == 10;
  config.blockDim = dim3(2000);
  good &= cudaLaunchKernelEx(&config, add, d, 10) == cudaErrorInvalidConfiguration && d[3] == 10;
  cudaGetLastError();
  check("launches with attributes", good);
  cudaFree(d);
}

// ── objects as arguments ──
static int copies = 0, destroyed = 0;
struct Owner {  // a copy has memory of its own, as in many a course
  int* data;
  int n;
  explicit Owner(int count) : n(count) { cudaMallocManaged(&data, n * sizeof(int)); }
  Owner(const Owner& other) : n(other.n) {
    ++copies;
    cudaMallocManaged(&data, n * sizeof(int));
    memcpy(data, other.data, n * sizeof(int));
  }
  ~Owner() {
    ++destroyed;
    cudaFree(data);
  }
};
struct Buffer {  // and one whose copy is shallow, so that the copy's end frees what both name
  int* data;
  explicit Buffer(int n) { cudaMalloc(&data, n * sizeof(int)); }
  ~Buffer() { cudaFree(data); }
};
__global__ void use_owner(Owner o, int* sum, const int* null) {
  atomicAdd(sum, o.data[threadIdx.x] + (null == nullptr));
  o.n = -1;  // each thread's own
  if (o.n != -1) *sum = -1000;
}
__global__ void use_buffer(int* sum, Buffer b) {
  b.data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(sum, b.data[blockDim.x - 1 - threadIdx.x]);
}
template <class T, int N>
__global__ void use_template(T owner, int* sum) {
  atomicAdd(sum, owner.data[threadIdx.x] * N);
}
static void test_objects() {
  int* sum;
  cudaMallocManaged(&sum, sizeof(int));
  Owner owner(100);
  for (int i = 0; i < 100; ++i) owner.data[i] = 2;
  *sum = 0;
  use_owner<<<3, 100>>>(owner, sum, 0);
  bool good = *sum == 900 && copies == 1 && destroyed == 1 && owner.n == 100;
  use_template<Owner, 5><<<1, 100>>>(owner, sum);
  good &= *sum == 1900 && copies == 2 && destroyed == 2;
  *sum = 0;
  int* kept;
  {
    Buffer buffer(64);
    kept = buffer.data;
    use_buffer<<<1, 64>>>(sum, buffer);
    good &= *sum == 2016;
    // The copy's end has freed it, as on a GPU.
    good &= cudaFree(kept) == cudaErrorInvalidValue;
    cudaGetLastError();
  }
  cudaGetLastError();
  check("objects as arguments", good);
  cudaFree(sum);
}

// ── shared memory of each kernel ──
__global__ void wants_much(int* out) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  bytes[65535] = 1;
  out[0] = int(size_t(bytes) % 1024);
}
__global__ void wants_much_too(int* out) {
  extern __shared__ double numbers[];
  numbers[8191] = 1;
  out[0] = 7;
}
template <int N>
__global__ void has_static(int* out) {
  __shared__ int fixed[N];
  extern __shared__ int dynamic[];
  fixed[threadIdx.x] = dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[0] = fixed[blockDim.x - 1] + dynamic[blockDim.x - 1];
}
static void test_shared() {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  *out = -1;
  bool good = cudaFuncSetAttribute(wants_much, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) == cudaSuccess;
  wants_much<<<1, 1, 65536>>>(out);
  good &= cudaGetLastError() == cudaSuccess && *out == 0;
  wants_much_too<<<1, 1, 65536>>>(out);
  good &= cudaGetLastError() == cudaErrorInvalidValue && *out == 0;
  wants_much<<<1, 1, 65537>>>(out);
  good &= cudaGetLastError() == cudaErrorInvalidValue;
  good &= cudaFuncSetAttribute((const void*)wants_much_too, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304) == 0;
  wants_much_too<<<1, 1, 65536>>>(out);
  good &= cudaGetLastError() == cudaSuccess && *out == 7;
  check("the opt-in counts for its kernel", good);

  has_static<8192><<<1, 32, 16384>>>(out);
  good = cudaGetLastError() == cudaSuccess && *out == 62;
  has_static<8192><<<1, 32, 16388>>>(out);
  good &= cudaGetLastError() == cudaErrorInvalidValue;
  has_static<32><<<1, 32, 48 * 1024 - 128>>>(out);
  good &= cudaGetLastError() == cudaSuccess;
  cudaFuncAttributes a;
  good &= cudaFuncGetAttributes(&a, has_static<8192>) == cudaSuccess && a.sharedSizeBytes == 32768;
  good &= a.maxDynamicSharedSizeBytes == 16384;
  good &= cudaFuncSetAttribute(has_static<8192>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 - 32768) == 0;
  good &= cudaFuncSetAttribute(has_static<8192>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 - 32767) ==
          cudaErrorInvalidValue;
  cudaGetLastError();
  check("static and dynamic shared memory add up", good);

  int blocks = 0, grid = 0, block = 0;
  good = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wants_much, 128, 65536) == 0 && blocks == 3;
  good &= cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 1024, 0) == 0 && blocks == 2;
  good &= cudaOccupancyMaxPotentialBlockSize(&grid, &block, add) == 0 && block == 1024 && grid > 0;
  good &= cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, add, [](int b) { return size_t(b) * 4; }) == 0;
  check("occupancy", good && block == 1024);
  cudaFree(out);
}

// ── capture and graphs ──
static void test_capture() {
  int* d;
  int host = 0;
  cudaMalloc(&d, 64);
  cudaMemset(d, 0, 64);
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCaptureStatus status;

  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  bool good = cudaStreamIsCapturing(s, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive;
  int by = 1;
  add<<<1, 16, 0, s>>>(d, by);
  by = 1000;  // arguments are those of the call
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(t, fork, 0);
  add<<<1, 8, 0, t>>>(d, 10);
  cudaEventRecord(join, t);
  cudaStreamWaitEvent(s, join);
  cudaMemcpyAsync(&host, d, 4, cudaMemcpyDeviceToHost, s);
  cudaMemsetAsync(d + 15, 0, 4, s);
  cudaLaunchHostFunc(s, [](void* p) { *static_cast<int*>(p) += 100; }, &host);
  good &= cudaStreamEndCapture(s, &graph) == cudaSuccess && graph && d[0] == 0 && host == 0;
  size_t n = 0;
  good &= cudaGraphGetNodes(graph, nullptr, &n) == cudaSuccess && n == 5;
  size_t edges = 0;
  good &= cudaGraphGetEdges(graph, nullptr, nullptr, &edges) == cudaSuccess && edges == 5;
  good &= cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0) == cudaSuccess && d[0] == 0;
  for (int i = 0; i < 3; ++i) good &= cudaGraphLaunch(exec, s) == cudaSuccess;
  cudaStreamSynchronize(s);
  good &= d[0] == 33 && d[10] == 3 && d[15] == 0 && host == 133;
  check("a captured stream is a graph", good);

  // Another capture of the same shape takes the first one's place.
  cudaGraph_t other;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  add<<<1, 16, 0, s>>>(d, 5);
  add<<<1, 8, 0, s>>>(d, 50);
  cudaMemcpyAsync(&host, d, 4, cudaMemcpyDeviceToHost, s);
  cudaMemsetAsync(d + 15, 0, 4, s);
  cudaLaunchHostFunc(s, [](void*) {}, nullptr);
  cudaStreamEndCapture(s, &other);
  cudaGraphExecUpdateResultInfo info;
  good = cudaGraphExecUpdate(exec, other, &info) == cudaSuccess && info.result == cudaGraphExecUpdateSuccess;
  cudaGraphLaunch(exec, s);
  good &= d[0] == 88 && host == 88;
  cudaGraphDestroy(graph);
  cudaGraphDestroy(other);
  cudaGraphLaunch(exec, nullptr);
  good &= d[0] == 143;
  cudaGraphExecDestroy(exec);
  check("a graph is updated from another", good);

  // What a capture forbids ends it with an error, and nothing else.
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  good = cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported;
  good &= cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated && graph == nullptr;
  cudaGetLastError();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  add<<<1, 1>>>(d, 1);
  good &= cudaGetLastError() == cudaErrorStreamCaptureImplicit && d[0] == 143;
  cudaStreamEndCapture(s, &graph);
  cudaGetLastError();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(t, fork);
  add<<<1, 1, 0, t>>>(d, 1);
  good &= cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureUnjoined && cudaStreamEndCapture(s, &graph);
  cudaGetLastError();
  add<<<1, 1, 0, s>>>(d, 1);
  good &= cudaDeviceSynchronize() == cudaSuccess && d[0] == 144;
  check("a capture that goes wrong", good);

  // Memory of the graph.
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int* scratch;
  cudaMallocAsync(&scratch, 64, s);
  cudaMemsetAsync(scratch, 0, 64, s);
  add<<<1, 16, 0, s>>>(scratch, 9);
  cudaMemcpyAsync(d, scratch, 64, cudaMemcpyDeviceToDevice, s);
  cudaFreeAsync(scratch, s);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiateWithFlags(&exec, graph, 0);
  cudaGraphDestroy(graph);
  good = cudaGraphLaunch(exec, s) == cudaSuccess && cudaGraphLaunch(exec, s) == cudaSuccess && d[7] == 9;
  cudaGraphExecDestroy(exec);
  check("memory of a graph", good);
  cudaFree(d);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
}
static void test_graph() {
  int* d;
  int host[16] = {};
  cudaMalloc(&d, 64);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t set, first, second, copy, call;
  cudaMemsetParams m = {};
  m.dst = d;
  m.value = 0x01020304;
  m.elementSize = 4;
  m.width = 16;
  m.height = 1;
  cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &m);
  int one = 1, two = 2;
  void *a[] = {&d, &one}, *b[] = {&d, &two};
  cudaKernelNodeParams k = {};
  k.func = (void*)add;
  k.gridDim = dim3(1);
  k.blockDim = dim3(16);
  k.kernelParams = a;
  bool good = cudaGraphAddKernelNode(&first, graph, &set, 1, &k) == cudaSuccess;
  k.kernelParams = b;
  // Added before what it comes after.
  good &= cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, d, 64, cudaMemcpyDeviceToHost) == cudaSuccess;
  good &= cudaGraphAddKernelNode(&second, graph, &first, 1, &k) == cudaSuccess;
  good &= cudaGraphAddDependencies(graph, &second, &copy, 1) == cudaSuccess;
  cudaHostNodeParams h = {[](void* p) { ++*static_cast<int*>(p); }, host};
  good &= cudaGraphAddHostNode(&call, graph, &copy, 1, &h) == cudaSuccess;
  one = two = 50;  // arguments have been copied
  cudaGraphExec_t exec;
  good &= cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess;
  good &= cudaGraphLaunch(exec, 0) == cudaSuccess && host[15] == 0x01020304 + 3 && host[0] == 0x01020304 + 4;
  k.kernelParams = a;
  good &= cudaGraphExecKernelNodeSetParams(exec, first, &k) == cudaSuccess;
  good &= cudaGraphLaunch(exec, 0) == cudaSuccess && host[15] == 0x01020304 + 52;
  cudaGraphNodeType type;
  good &= cudaGraphNodeGetType(second, &type) == cudaSuccess && type == cudaGraphNodeTypeKernel;
  good &= cudaGraphAddDependencies(graph, &copy, &first, 1) == cudaSuccess;
  cudaGraphExec_t never;
  good &= cudaGraphInstantiate(&never, graph, 0) == cudaErrorInvalidValue;  // a circle
  cudaGetLastError();
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  check("a graph of nodes", good);
  cudaFree(d);
}

// ── memory and pools ──
static void test_memory() {
  cudaMemPool_t pool, own;
  bool good = cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess;
  unsigned long long threshold = ~0ull, used = 0, high = 0;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  threshold = 0;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  cudaStream_t s;
  cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -2);
  int priority = 0;
  cudaStreamGetPriority(s, &priority);
  float* x;
  good &= threshold == ~0ull && priority == -2 && cudaMallocAsync(&x, 1000, s) == cudaSuccess;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  good &= used == 1000 && cudaFreeAsync(x, s) == cudaSuccess;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high);
  good &= used == 0 && high == 1000;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  good &= cudaMemPoolCreate(&own, &properties) == cudaSuccess;
  good &= cudaMallocFromPoolAsync(&x, 64, own, s) == cudaSuccess && cudaFreeAsync(x, s) == cudaSuccess;
  good &= cudaMemPoolDestroy(own) == cudaSuccess && cudaStreamDestroy(s) == cudaSuccess;
  check("pools", good);

  cudaPitchedPtr box;
  good = cudaMalloc3D(&box, make_cudaExtent(20, 3, 2)) == cudaSuccess && box.pitch % 512 == 0;
  good &= cudaMemset3D(box, 0, make_cudaExtent(20, 3, 2)) == cudaSuccess;
  float from[2][3][5], to[2][3][5] = {};
  for (int i = 0; i < 30; ++i) (&from[0][0][0])[i] = i;
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(from, 20, 20, 3);
  p.dstPtr = box;
  p.extent = make_cudaExtent(20, 3, 2);
  p.kind = cudaMemcpyHostToDevice;
  good &= cudaMemcpy3D(&p) == cudaSuccess;
  p.srcPtr = box;
  p.srcPos = make_cudaPos(4, 1, 0);
  p.dstPtr = make_cudaPitchedPtr(to, 20, 20, 3);
  p.extent = make_cudaExtent(16, 2, 2);
  p.kind = cudaMemcpyDeviceToHost;
  good &= cudaMemcpy3D(&p) == cudaSuccess && to[0][0][0] == 6 && to[1][1][3] == 29 && to[0][0][4] == 0;
  check("boxes", good);

  cudaPointerAttributes a;
  int *pinned, *managed, stack;
  cudaHostAlloc(&pinned, 4, cudaHostAllocMapped);
  cudaMallocManaged(&managed, 4);
  good = cudaPointerGetAttributes(&a, pinned) == cudaSuccess && a.type == cudaMemoryTypeHost;
  good &= cudaPointerGetAttributes(&a, managed) == cudaSuccess && a.type == cudaMemoryTypeManaged && a.hostPointer;
  good &= cudaPointerGetAttributes(&a, &stack) == cudaSuccess && a.type == cudaMemoryTypeUnregistered;
  good &= cudaFree(pinned) == cudaErrorInvalidValue && cudaFreeHost(pinned) == cudaSuccess;
  good &= cudaFree(managed) == cudaSuccess;
  cudaGetLastError();
  check("kinds of memory", good);

  cudaEvent_t start, stop;
  float ms;
  cudaEventCreateWithFlags(&start, cudaEventDisableTiming);
  cudaEventCreate(&stop);
  good = cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle;
  cudaEventRecord(start);
  cudaEventRecord(stop);
  good &= cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle;
  good &= cudaEventQuery(stop) == cudaSuccess && cudaStreamWaitEvent(nullptr, stop) == cudaSuccess;
  cudaGetLastError();
  check("events", good);
  good = strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0;
  check("names of errors", good && strcmp(cudaGetErrorString(cudaErrorNotReady), "device not ready") == 0);
}

static void run_checks() {
  test_addresses();
  test_objects();
  test_shared();
  test_capture();
  test_graph();
  test_memory();
  printf("%d failures\n", failures);
}
