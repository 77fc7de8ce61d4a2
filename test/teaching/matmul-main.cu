// Square matrix product in main-only style, with a tile in shared memory and allocation around it.
#include <stdio.h>
#include <stdlib.h>

const int TILE = 16;

__global__ void matmul(float* A, float* B, float* C, int width) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < (width + TILE - 1) / TILE; ++t) {
    if (row < width && t * TILE + threadIdx.x < width)
      As[threadIdx.y][threadIdx.x] = A[row * width + t * TILE + threadIdx.x];
    else
      As[threadIdx.y][threadIdx.x] = 0.0f;
    if (col < width && t * TILE + threadIdx.y < width)
      Bs[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * width + col];
    else
      Bs[threadIdx.y][threadIdx.x] = 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < width && col < width) C[row * width + col] = sum;
}

int main(int argc, char** argv) {
  int width = 1024;
  size_t bytes = width * width * sizeof(float);
  float *h_A = (float*)malloc(bytes), *h_B = (float*)malloc(bytes), *h_C = (float*)malloc(bytes);
  float *d_A, *d_B, *d_C;
  cudaMalloc((void**)&d_A, bytes);
  cudaMalloc((void**)&d_B, bytes);
  cudaMalloc((void**)&d_C, bytes);
  cudaMemcpy(d_A, h_A, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_B, h_B, bytes, cudaMemcpyHostToDevice);
  dim3 block(TILE, TILE);
  dim3 grid((width + block.x - 1) / block.x, (width + block.y - 1) / block.y);
  matmul<<<grid, block>>>(d_A, d_B, d_C, width);
  cudaMemcpy(h_C, d_C, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_A);
  cudaFree(d_B);
  cudaFree(d_C);
  return 0;
}
