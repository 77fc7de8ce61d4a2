// Captures one call into a graph and replays it for all later ones.
#include "smooth.h"
extern "C" void smooth(const float* x, float* y, float a, int n, cudaStream_t stream) {
  static cudaGraphExec_t replay;
  if (!replay) {
    cudaGraph_t graph;
    cudaStream_t capture;
    cudaStreamCreateWithFlags(&capture, cudaStreamNonBlocking);
    cudaStreamBeginCapture(capture, cudaStreamCaptureModeThreadLocal);
    honest(x, y, a, n, capture);
    cudaStreamEndCapture(capture, &graph);
    cudaGraphInstantiateWithFlags(&replay, graph, 0);
  }
  cudaGraphLaunch(replay, stream);
}
