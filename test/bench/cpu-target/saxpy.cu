// One kernel and nothing else: what compiling costs at least. saxpy.cpp has the same loop for the processor.
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(a * x[i] + y[i], 0.0f);
}

extern "C" __attribute__((visibility("default"))) void run(int n, float a, const float* x, float* y) {
  saxpy<<<(n + 255) / 256, 256>>>(n, a, x, y);
}
