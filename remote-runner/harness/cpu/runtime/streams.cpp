// Streams, events and stream capture. Outside of captures everything has happened when a call returns.
#include "streams.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <set>

#include "errors.h"

using ks::record;
using ks::sticky;

struct CUevent_st {
  unsigned flags;
  bool isRecorded;
  timespec at;
  /** The capture in which it was recorded last, and the nodes before it. */
  ks::Capture* capture;
  unsigned long long captureId;
  std::vector<CUgraphNode_st*> tail;
  ks::pending::Before before;
};

namespace ks {
namespace {

// One lock for everything about captures; the count lets calls pass without it where there are none.
std::recursive_mutex capturing;
std::atomic<int> captures{0};
std::vector<Capture*>& active() {
  static auto* list = new std::vector<Capture*>();
  return *list;
}
std::vector<CUstream_st*>& streams() {
  static auto* list = new std::vector<CUstream_st*>();
  return *list;
}
thread_local CUstream_st per_thread;
thread_local Action* recorder = nullptr;

bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }
CUstream_st* real(cudaStream_t stream) { return stream == cudaStreamPerThread ? &per_thread : stream; }

cudaError_t invalidate(Capture* capture, cudaError_t error) {
  capture->isValid = false;
  return record(error);
}

/** True while the capture in which an event was recorded goes on; another one may lie where it was. */
bool is_active(const CUevent_st& e) {
  const auto at = std::find(active().begin(), active().end(), e.capture);
  return e.capture && at != active().end() && (*at)->id == e.captureId;
}

/** Everything that must have run before these nodes, and they themselves. */
std::set<const CUgraphNode_st*> ancestors(const std::vector<CUgraphNode_st*>& nodes) {
  std::set<const CUgraphNode_st*> seen;
  std::vector<const CUgraphNode_st*> open(nodes.begin(), nodes.end());
  while (!open.empty()) {
    const CUgraphNode_st* node = open.back();
    open.pop_back();
    if (seen.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return seen;
}

void end(Capture* capture) {
  for (CUstream_st* stream : streams()) {
    if (stream->capture != capture) continue;
    stream->capture = nullptr;
    stream->tail.clear();
  }
  capture->origin->capture = nullptr;
  capture->origin->tail.clear();
  active().erase(std::find(active().begin(), active().end(), capture));
  --captures;
  delete capture;
}

cudaError_t begin(cudaStream_t stream, CUgraph_st* graph, bool ownsGraph, cudaStreamCaptureMode mode) {
  if (sticky()) return sticky();
  if (is_legacy(stream)) return record(cudaErrorStreamCaptureUnsupported);
  std::lock_guard<std::recursive_mutex> lock(capturing);
  CUstream_st* s = real(stream);
  if (s->capture) return record(cudaErrorIllegalState);
  static unsigned long long ids = 0;
  s->capture = new Capture{graph ? graph : new CUgraph_st(), s, mode, true, ownsGraph, ++ids};
  active().push_back(s->capture);
  ++captures;
  return cudaSuccess;
}

cudaError_t create(cudaStream_t* s, unsigned flags, int priority) {
  if (sticky()) return sticky();
  if (!s || flags > cudaStreamNonBlocking) return record(cudaErrorInvalidValue);
  std::lock_guard<std::recursive_mutex> lock(capturing);
  *s = new CUstream_st();
  (*s)->flags = flags;
  (*s)->priority = std::max(-5, std::min(priority, 0));
  (*s)->number = pending::open(!(flags & cudaStreamNonBlocking));
  streams().push_back(*s);
  return cudaSuccess;
}

}  // namespace

unsigned long long number_of(cudaStream_t stream) {
  if (is_legacy(stream)) return 0;
  CUstream_st* s = real(stream);
  // The stream of a thread has nobody who makes it.
  if (!s->number) s->number = pending::open(true);
  return s->number;
}

bool is_recording(cudaStream_t stream) {
  return captures.load(std::memory_order_relaxed) != 0 && !is_legacy(stream) && real(stream)->capture;
}

cudaError_t record_action(cudaStream_t stream, cudaGraphNodeType type, Action action) {
  if (sticky()) return sticky();
  std::lock_guard<std::recursive_mutex> lock(capturing);
  CUstream_st* s = real(stream);
  if (!s->capture->isValid) return record(cudaErrorStreamCaptureInvalidated);
  CUgraph_st* graph = s->capture->graph;
  graph->nodes.push_back(std::make_unique<CUgraphNode_st>());
  CUgraphNode_st* node = graph->nodes.back().get();
  *node = {graph, type, std::move(action), s->tail};
  s->tail.assign(1, node);
  return cudaSuccess;
}

cudaError_t check_legacy() {
  if (captures.load(std::memory_order_relaxed) == 0) return cudaSuccess;
  std::lock_guard<std::recursive_mutex> lock(capturing);
  for (Capture* capture : active()) {
    if (!(capture->origin->flags & cudaStreamNonBlocking)) return invalidate(capture, cudaErrorStreamCaptureImplicit);
  }
  return cudaSuccess;
}

cudaError_t check_no_capture() {
  if (captures.load(std::memory_order_relaxed) == 0) return cudaSuccess;
  std::lock_guard<std::recursive_mutex> lock(capturing);
  for (Capture* capture : active()) {
    if (capture->mode != cudaStreamCaptureModeRelaxed) return invalidate(capture, cudaErrorStreamCaptureUnsupported);
  }
  return cudaSuccess;
}

cudaError_t check_not_recording(cudaStream_t stream) {
  if (!is_recording(stream)) return cudaSuccess;
  std::lock_guard<std::recursive_mutex> lock(capturing);
  return invalidate(real(stream)->capture, cudaErrorStreamCaptureUnsupported);
}

void keep_with_graph(cudaStream_t stream, std::shared_ptr<void> memory) {
  std::lock_guard<std::recursive_mutex> lock(capturing);
  real(stream)->capture->graph->memory.push_back(std::move(memory));
}

LaunchRecorder::LaunchRecorder(Action& action) { recorder = &action; }
LaunchRecorder::~LaunchRecorder() { recorder = nullptr; }
Action* LaunchRecorder::current() { return recorder; }

}  // namespace ks

// ── streams ──
cudaError_t cudaStreamCreate(cudaStream_t* s) { return ks::create(s, cudaStreamDefault, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned flags) { return ks::create(s, flags, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int priority) {
  return ks::create(s, flags, priority);
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  if (ks::is_legacy(s) || s == cudaStreamPerThread) return record(cudaErrorInvalidResourceHandle);
  std::lock_guard<std::recursive_mutex> lock(ks::capturing);
  auto at = std::find(ks::streams().begin(), ks::streams().end(), s);
  if (at == ks::streams().end()) return record(cudaErrorInvalidResourceHandle);
  if (s->capture && s->capture->origin == s) {
    if (s->capture->ownsGraph) delete s->capture->graph;
    ks::end(s->capture);
  }
  ks::streams().erase(at);
  ks::pending::close(s->number);
  delete s;
  return sticky();
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  const cudaError_t error = ks::is_legacy(s) ? ks::check_legacy() : ks::check_not_recording(s);
  if (!error) ks::pending::host_waits(ks::pending::moment(s));
  return error ? error : sticky();
}
cudaError_t cudaStreamQuery(cudaStream_t s) { return cudaStreamSynchronize(s); }
cudaError_t cudaDeviceSynchronize() {
  const cudaError_t error = ks::check_no_capture();
  if (!error) ks::pending::host_waits_for_all();
  return error ? error : sticky();
}
cudaError_t cudaDeviceReset() { return sticky(); }
cudaError_t cudaStreamGetPriority(cudaStream_t s, int* priority) {
  *priority = ks::is_legacy(s) ? 0 : ks::real(s)->priority;
  return sticky();
}
cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned* flags) {
  *flags = ks::is_legacy(s) ? 0 : ks::real(s)->flags;
  return sticky();
}
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue* value) {
  return value ? sticky() : record(cudaErrorInvalidValue);
}
cudaError_t cudaCtxResetPersistingL2Cache() { return sticky(); }
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* data) {
  if (sticky()) return sticky();
  if (!f) return record(cudaErrorInvalidValue);
  return ks::in_stream(s, cudaGraphNodeTypeHost, [f, data] {
    f(data);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned) {
  if (!f) return record(cudaErrorInvalidValue);
  if (cudaError_t error = ks::check_not_recording(s)) return error;
  ks::pending::work(s);
  f(s, sticky(), data);
  return sticky();
}

// ── events ──
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned flags) {
  if (sticky()) return sticky();
  if (!e) return record(cudaErrorInvalidValue);
  *e = new CUevent_st();
  (*e)->flags = flags;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  if (!e) return record(cudaErrorInvalidResourceHandle);
  delete e;
  return sticky();
}
static cudaError_t stamp(cudaEvent_t e) {
  clock_gettime(CLOCK_MONOTONIC, &e->at);
  e->isRecorded = true;
  return sticky();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned flags) {
  if (sticky()) return sticky();
  if (!e) return record(cudaErrorInvalidResourceHandle);
  if (!ks::is_recording(s)) {
    if (ks::is_legacy(s)) {
      if (cudaError_t error = ks::check_legacy()) return error;
    }
    e->capture = nullptr;
    e->before = ks::pending::moment(s);
    return stamp(e);
  }
  if (flags & cudaEventRecordExternal)
    return ks::record_action(s, cudaGraphNodeTypeEventRecord, [e] { return stamp(e); });
  std::lock_guard<std::recursive_mutex> lock(ks::capturing);
  e->capture = ks::real(s)->capture;
  e->captureId = e->capture->id;
  e->tail = ks::real(s)->tail;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  return cudaEventRecordWithFlags(e, s, cudaEventRecordDefault);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
  if (sticky()) return sticky();
  if (!e) return record(cudaErrorInvalidResourceHandle);
  std::lock_guard<std::recursive_mutex> lock(ks::capturing);
  const bool isCaptured = ks::is_active(*e);
  if (!isCaptured && !ks::is_recording(s)) {
    ks::pending::wait(s, e->before);
    return cudaSuccess;
  }
  if (ks::is_legacy(s)) return ks::invalidate(e->capture, cudaErrorStreamCaptureImplicit);
  CUstream_st* stream = ks::real(s);
  if (!isCaptured) return ks::invalidate(stream->capture, cudaErrorStreamCaptureIsolation);
  if (stream->capture && stream->capture != e->capture) {
    ks::invalidate(stream->capture, cudaErrorStreamCaptureMerge);
    return ks::invalidate(e->capture, cudaErrorStreamCaptureMerge);
  }
  stream->capture = e->capture;
  for (CUgraphNode_st* node : e->tail) {
    if (std::find(stream->tail.begin(), stream->tail.end(), node) == stream->tail.end()) stream->tail.push_back(node);
  }
  return cudaSuccess;
}
static cudaError_t check_event(cudaEvent_t e) {
  if (!e) return record(cudaErrorInvalidResourceHandle);
  std::lock_guard<std::recursive_mutex> lock(ks::capturing);
  if (ks::is_active(*e)) return ks::invalidate(e->capture, cudaErrorCapturedEvent);
  ks::pending::host_waits(e->before);
  return sticky();
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) { return check_event(e); }
cudaError_t cudaEventQuery(cudaEvent_t e) { return check_event(e); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
  if (sticky()) return sticky();
  if (!ms) return record(cudaErrorInvalidValue);
  if (!a || !b || !a->isRecorded || !b->isRecorded || (a->flags | b->flags) & cudaEventDisableTiming)
    return record(cudaErrorInvalidResourceHandle);
  *ms = float(double(b->at.tv_sec - a->at.tv_sec) * 1e3 + double(b->at.tv_nsec - a->at.tv_nsec) * 1e-6);
  return cudaSuccess;
}

// ── capture ──
cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode) {
  return ks::begin(s, nullptr, true, mode);
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const void*, size_t n, cudaStreamCaptureMode mode) {
  if (!graph || (n && !dependencies)) return record(cudaErrorInvalidValue);
  if (cudaError_t error = ks::begin(s, graph, false, mode)) return error;
  ks::real(s)->tail.assign(dependencies, dependencies + n);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* graph) {
  if (sticky()) return sticky();
  if (!graph) return record(cudaErrorInvalidValue);
  *graph = nullptr;
  std::lock_guard<std::recursive_mutex> lock(ks::capturing);
  if (ks::is_legacy(s) || !ks::real(s)->capture) return record(cudaErrorIllegalState);
  CUstream_st* stream = ks::real(s);
  ks::Capture* capture = stream->capture;
  if (capture->origin != stream) return ks::invalidate(capture, cudaErrorStreamCaptureUnmatched);
  cudaError_t error = capture->isValid ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  // Everything recorded in other streams must come before what the first one recorded last.
  if (!error && capture->ownsGraph && ks::ancestors(stream->tail).size() != capture->graph->nodes.size())
    error = cudaErrorStreamCaptureUnjoined;
  if (!error) *graph = capture->graph;
  else if (capture->ownsGraph) delete capture->graph;
  ks::end(capture);
  return record(error);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies, size_t* n) {
  if (sticky()) return sticky();
  if (!status) return record(cudaErrorInvalidValue);
  std::lock_guard<std::recursive_mutex> lock(ks::capturing);
  if (ks::is_legacy(s)) {
    if (cudaError_t error = ks::check_legacy()) return error;
  }
  const ks::Capture* capture = ks::is_legacy(s) ? nullptr : ks::real(s)->capture;
  *status = !capture           ? cudaStreamCaptureStatusNone
            : capture->isValid ? cudaStreamCaptureStatusActive
                               : cudaStreamCaptureStatusInvalidated;
  if (!capture) return cudaSuccess;
  if (id) *id = capture->id;
  if (graph) *graph = capture->graph;
  if (dependencies) *dependencies = ks::real(s)->tail.data();
  if (n) *n = ks::real(s)->tail.size();
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(s, status);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  static thread_local cudaStreamCaptureMode own = cudaStreamCaptureModeGlobal;
  if (!mode) return record(cudaErrorInvalidValue);
  std::swap(*mode, own);
  return cudaSuccess;
}
