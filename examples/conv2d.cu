// 2D convolution of images with filters, edges padded with zeros so that the output has the size of the input:
// y[n][f][i][j] = Σ x[n][c][i + r - size/2][j + s - size/2] w[f][c][r][s]. One thread for each element of y.
#include <cuda_runtime.h>

constexpr int BLOCK_X = 16;  // threads of a block along a row of the image
constexpr int BLOCK_Y = 16;  // and along its columns

__global__ void conv2d_direct(const float* x, const float* w, float* y, int channels, int filters, int height, int width,
                              int size) {
  int j = blockIdx.x * BLOCK_X + threadIdx.x;
  int i = blockIdx.y * BLOCK_Y + threadIdx.y;
  int f = blockIdx.z % filters;
  int n = blockIdx.z / filters;
  if (i >= height || j >= width) return;

  float sum = 0.0f;
  for (int c = 0; c < channels; ++c) {
    const float* image = x + ((size_t)n * channels + c) * height * width;
    const float* filter = w + ((size_t)f * channels + c) * size * size;
    for (int r = 0; r < size; ++r) {
      for (int s = 0; s < size; ++s) {
        int row = i + r - size / 2;
        int col = j + s - size / 2;
        if (row >= 0 && row < height && col >= 0 && col < width) {
          sum += image[(size_t)row * width + col] * filter[r * size + s];
        }
      }
    }
  }
  y[(((size_t)n * filters + f) * height + i) * width + j] = sum;
}

void conv2d(const float* x, const float* w, float* y, int images, int channels, int filters, int height, int width,
            int size, cudaStream_t stream) {
  dim3 block(BLOCK_X, BLOCK_Y);
  dim3 grid((width + BLOCK_X - 1) / BLOCK_X, (height + BLOCK_Y - 1) / BLOCK_Y, images * filters);
  conv2d_direct<<<grid, block, 0, stream>>>(x, w, y, channels, filters, height, width, size);
}
