// The same kernels captured into a graph and launched once, within each call.
#include <cuda_runtime.h>
__global__ void first(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void step(float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * y[i] + a;
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  first<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
  for (int k = 1; k < 8; ++k) step<<<(n + 255) / 256, 256, 0, stream>>>(y, 0.1f * k, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiateWithFlags(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}
