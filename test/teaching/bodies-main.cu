// Forces between bodies, as float4 in tiles of shared memory, started from main.
#include <chrono>
#include <cmath>
#include <cstdlib>
#define BODIES 64

__global__ __launch_bounds__(BODIES) void kick(const float4* place, float4* speed, float dt, int count) {
  __shared__ float4 tile[BODIES];
  int i = blockIdx.x * BODIES + threadIdx.x;
  float4 me = i < count ? place[i] : make_float4(0, 0, 0, 0);
  float3 pull = make_float3(0, 0, 0);
  for (int t = 0; t < 256; t += BODIES) {
    tile[threadIdx.x] = t + threadIdx.x < count ? place[t + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int j = 0; j < BODIES; j++) {
      float3 d = make_float3(tile[j].x - me.x, tile[j].y - me.y, tile[j].z - me.z);
      float inverse = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
      float weight = tile[j].w * inverse * inverse * inverse;
      pull.x += d.x * weight, pull.y += d.y * weight, pull.z += d.z * weight;
    }
    __syncthreads();
  }
  if (i >= count) return;
  speed[i].x += dt * pull.x;
  speed[i].y += dt * pull.y;
  speed[i].z += dt * pull.z;
}

int main() {
  int count = 1000;
  size_t bytes = count * sizeof(float4);
  float4 *d_place, *d_speed;
  cudaMalloc(&d_place, bytes);
  cudaMalloc(&d_speed, bytes);
  auto start = std::chrono::steady_clock::now();
  kick<<<(count + BODIES - 1) / BODIES, BODIES>>>(d_place, d_speed, 0.01f, count);
  cudaDeviceSynchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > 60;
}
