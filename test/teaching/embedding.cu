// Rows of a table picked by index, for a batch of sequences.
#include <cuda_bf16.h>
__global__ void encoder(float* out, const int* ids, const float* table, const float* positions, int B, int T, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < B * T * C) {
    int bt = i / C, b = bt / T, t = bt % T, c = i % C;
    int id = ids[b * T + t];
    out[i] = table[id * C + c] + positions[t * C + c];
  }
}
void encoder_forward(float* out, const int* ids, const float* table, const float* positions, int B, int T, int C, int V) {
  const int n = B * T * C;
  encoder<<<(n + 255) / 256, 256>>>(out, ids, table, positions, B, T, C);
}
