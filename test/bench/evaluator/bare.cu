// What an engineer would write to judge one softmax candidate by hand: the same scenarios, inputs, samples and comparison as
// the evaluator's first verdict, without its processes, fences and findings. Arguments: ROWS COLS PAIRS for each scenario.
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

void original_softmax(const float* x, float* y, int rows, int cols, cudaStream_t stream);
void softmax(const float* x, float* y, int rows, int cols, cudaStream_t stream);

using Entry = void (*)(const float*, float*, int, int, cudaStream_t);

#define OK(call)                                                                    \
  do {                                                                              \
    const cudaError_t code = (call);                                                \
    if (code != cudaSuccess) {                                                      \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code)), exit(1);   \
    }                                                                               \
  } while (0)

template <typename Body>
void parallel(size_t n, Body body) {
  constexpr size_t chunk = 1 << 16;
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t begin; (begin = next.fetch_add(chunk)) < n;) body(begin, std::min(n, begin + chunk));
  };
  std::vector<std::thread> pool;
  const size_t threads = std::min<size_t>(std::thread::hardware_concurrency(), (n + chunk - 1) / chunk);
  for (size_t i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& t : pool) t.join();
}

struct Side {
  Entry entry;
  float *x, *y;
  std::vector<float> result;
  std::vector<double> times;
};

int main(int count, char** arguments) {
  int l2 = 0;
  OK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
  char* flush;
  OK(cudaMalloc((void**)&flush, 2 * (size_t)l2 + 1));
  cudaEvent_t before, after;
  OK(cudaEventCreate(&before));
  OK(cudaEventCreate(&after));
  for (int a = 1; a + 2 < count; a += 3) {
    const int rows = std::atoi(arguments[a]), cols = std::atoi(arguments[a + 1]), pairs = std::atoi(arguments[a + 2]);
    const size_t n = (size_t)rows * cols, bytes = n * sizeof(float);
    float *inputs, *poison;
    OK(cudaMallocHost((void**)&inputs, bytes));
    OK(cudaMallocHost((void**)&poison, bytes));
    Side sides[2] = {{original_softmax}, {softmax}};
    for (Side& s : sides) {
      OK(cudaMalloc((void**)&s.x, bytes));
      OK(cudaMalloc((void**)&s.y, bytes));
      s.result.resize(n);
    }
    unsigned seed = std::random_device{}();
    auto draw = [&] {
      ++seed;
      parallel(n, [&](size_t begin, size_t end) {
        std::minstd_rand random(seed ^ (unsigned)begin);
        std::normal_distribution<float> normal;
        for (size_t i = begin; i < end; ++i) inputs[i] = normal(random), poison[i] = (float)random();
      });
    };
    auto run = [&](Side& s) {
      OK(cudaMemcpy(s.x, inputs, bytes, cudaMemcpyHostToDevice));
      OK(cudaMemcpy(s.y, poison, bytes, cudaMemcpyHostToDevice));
      OK(cudaMemsetAsync(flush, 0, 2 * (size_t)l2, nullptr));
      OK(cudaEventRecord(before));
      s.entry(s.x, s.y, rows, cols, nullptr);
      OK(cudaEventRecord(after));
      OK(cudaDeviceSynchronize());
      OK(cudaGetLastError());
      float ms;
      OK(cudaEventElapsedTime(&ms, before, after));
      OK(cudaMemcpy(s.result.data(), s.y, bytes, cudaMemcpyDeviceToHost));
      return (double)ms;
    };
    auto compare = [&] {
      std::atomic<size_t> bad{0};
      parallel(n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          const float want = sides[0].result[i], got = sides[1].result[i];
          if (!(std::fabs(got - want) <= 1e-8f + 1e-5f * std::fabs(want))) ++bad;
        }
      });
      if (bad) std::printf("wrong: %zu elements of %dx%d\n", bad.load(), rows, cols), exit(1);
    };
    // As in a first verdict: both twice on the same inputs, then the pairs, each on fresh ones.
    draw();
    for (int i = 0; i < 2; ++i) {
      for (Side& s : sides) run(s);
      compare();
    }
    std::mt19937 order(seed);
    for (int p = 0; p < pairs; ++p) {
      draw();
      const int first = order() & 1;
      for (int k : {first, 1 - first}) sides[k].times.push_back(run(sides[k]));
      compare();
    }
    std::vector<double> ratios;
    for (int p = 0; p < pairs; ++p) ratios.push_back(sides[0].times[p] / sides[1].times[p]);
    std::sort(ratios.begin(), ratios.end());
    std::printf("%dx%d: %.4f\n", rows, cols, ratios[ratios.size() / 2]);
    for (Side& s : sides) {
      OK(cudaFree(s.x));
      OK(cudaFree(s.y));
    }
    OK(cudaFreeHost(inputs));
    OK(cudaFreeHost(poison));
  }
}
