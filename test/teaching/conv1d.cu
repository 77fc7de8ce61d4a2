// One-dimensional convolution, valid part only.
__global__ void conv(const float* input, const float* kernel, float* output, int input_size, int kernel_size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int output_size = input_size - kernel_size + 1;
  if (i >= output_size) return;
  float sum = 0.f;
  for (int k = 0; k < kernel_size; k++) sum += input[i + k] * kernel[k];
  output[i] = sum;
}
extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size) {
  int output_size = input_size - kernel_size + 1;
  int threadsPerBlock = 256;
  int blocksPerGrid = (output_size + threadsPerBlock - 1) / threadsPerBlock;
  conv<<<blocksPerGrid, threadsPerBlock>>>(input, kernel, output, input_size, kernel_size);
  cudaDeviceSynchronize();
}
