// Streams, and what becomes of an operation that is put into one.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "../include/cuda_runtime_api.h"
#include "pending.h"

namespace ks {

typedef std::function<cudaError_t()> Action;

struct Capture {
  CUgraph_st* graph;
  CUstream_st* origin;
  cudaStreamCaptureMode mode;
  /** False once an operation has failed that a capture forbids. */
  bool isValid;
  bool ownsGraph;
  unsigned long long id;
};

/** True while a call in this stream is to be recorded, not to be run. */
bool is_recording(cudaStream_t stream);

/** By which `pending` knows it; 0 for the legacy stream. */
unsigned long long number_of(cudaStream_t stream);

/** Adds what a call does to the graph that is being recorded; is_recording() must hold. */
cudaError_t record_action(cudaStream_t stream, cudaGraphNodeType type, Action action);

/** cudaSuccess if a call may now use the legacy stream or wait for it; else the capture that forbids it is over. */
cudaError_t check_legacy();
/** The same for calls that no capture permits, such as cudaMalloc and synchronisation. */
cudaError_t check_no_capture();
/** The same for waiting for one stream. */
cudaError_t check_not_recording(cudaStream_t stream);

/** Runs an action, or records it where its stream is being captured. */
template <class F>
cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type, F action) {
  if (is_recording(stream)) return record_action(stream, type, Action(action));
  if (stream == nullptr || stream == cudaStreamLegacy) {
    if (cudaError_t error = check_legacy()) return error;
  }
  pending::work(stream);
  return action();
}

/** Keeps memory that was both allocated and freed while this stream was captured, for as long as its graph. */
void keep_with_graph(cudaStream_t stream, std::shared_ptr<void> memory);

/** Lets the calling thread's next launches be recorded into `action` instead of run, until it is destroyed. */
class LaunchRecorder {
 public:
  explicit LaunchRecorder(Action& action);
  ~LaunchRecorder();
  LaunchRecorder(const LaunchRecorder&) = delete;
  LaunchRecorder& operator=(const LaunchRecorder&) = delete;
  /** Where to put a launch of the calling thread, or null. */
  static Action* current();
};

}  // namespace ks

struct CUgraphNode_st {
  CUgraph_st* graph;
  cudaGraphNodeType type;
  ks::Action action;
  std::vector<CUgraphNode_st*> after;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<std::shared_ptr<void>> memory;
};
struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long number = 0;
  ks::Capture* capture = nullptr;
  /** The nodes that the next recorded one comes after. */
  std::vector<CUgraphNode_st*> tail;
};
