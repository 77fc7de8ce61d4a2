// Edits of the example kernels as an optimiser would write them, one idea each mostly, with the levels they are at. Labelled
// before any rule was written; every second one is held out.
import type { WrittenEdit } from './label.js';

const MATMUL = 'examples/matmul.cu';
const REDUCE = 'examples/reduce.cu';
const SOFTMAX = 'examples/softmax.cu';
const ATTENTION = 'examples/attention.cu';
const CONV = 'examples/conv2d.cu';

export const EDITS: readonly WrittenEdit[] = [
  {
    name: 'matmul: larger tile',
    file: MATMUL,
    replace: [['TILE = 16', 'TILE = 32']],
    levels: ['memory-hierarchy'],
    may: ['launch', 'decomposition'],
  },
  {
    name: 'attention: larger tile of threads',
    file: ATTENTION,
    replace: [['TILE = 16', 'TILE = 8']],
    levels: ['launch'],
    may: ['decomposition'],
  },
  {
    name: 'softmax: fewer threads in a block',
    file: SOFTMAX,
    replace: [['BLOCK = 256', 'BLOCK = 128']],
    levels: ['launch'],
    may: ['decomposition', 'memory-hierarchy'],
  },
  {
    name: 'reduce: more threads in a block',
    file: REDUCE,
    replace: [['BLOCK = 256', 'BLOCK = 512']],
    levels: ['launch'],
    may: ['decomposition', 'memory-hierarchy'],
  },
  {
    name: 'reduce: more blocks',
    file: REDUCE,
    replace: [['GRID = 64', 'GRID = 132']],
    levels: ['launch'],
    may: ['decomposition'],
  },
  {
    name: 'conv2d: flat blocks',
    file: CONV,
    replace: [
      ['BLOCK_X = 16', 'BLOCK_X = 64'],
      ['BLOCK_Y = 16', 'BLOCK_Y = 4'],
    ],
    levels: ['launch'],
    may: ['decomposition'],
  },
  {
    name: 'matmul: padded tile',
    file: MATMUL,
    replace: [['tile_b[TILE][TILE];', 'tile_b[TILE][TILE + 1];']],
    levels: ['memory-hierarchy'],
  },
  {
    name: 'matmul: unrolled inner product',
    file: MATMUL,
    replace: [['    for (int i = 0; i < TILE; ++i)', '#pragma unroll\n    for (int i = 0; i < TILE; ++i)']],
    levels: ['compiler'],
  },
  {
    name: 'conv2d: partial unrolling',
    file: CONV,
    replace: [['      for (int s = 0;', '#pragma unroll 4\n      for (int s = 0;']],
    levels: ['compiler'],
  },
  {
    name: 'matmul: launch bounds and restrict',
    file: MATMUL,
    replace: [
      [
        '__global__ void matmul_tiled(const float* a, const float* b, float* c,',
        '__global__ void __launch_bounds__(TILE * TILE)\n    matmul_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,',
      ],
    ],
    levels: ['compiler'],
  },
  {
    name: 'attention: restrict',
    file: ATTENTION,
    replace: [
      [
        'attention_values(const float* scores, const float* v, float* o,',
        'attention_values(const float* __restrict__ scores, const float* __restrict__ v, float* __restrict__ o,',
      ],
    ],
    levels: ['compiler'],
  },
  {
    name: 'softmax: inlined trees',
    file: SOFTMAX,
    replace: [
      ['__device__ float tree_max', '__device__ __forceinline__ float tree_max'],
      ['__device__ float tree_sum', '__device__ __forceinline__ float tree_sum'],
    ],
    levels: ['compiler'],
  },
  {
    name: 'softmax: fast exponential',
    file: SOFTMAX,
    replace: [
      ['sum += expf(in[c] - largest)', 'sum += __expf(in[c] - largest)'],
      ['out[c] = expf(in[c] - largest)', 'out[c] = __expf(in[c] - largest)'],
    ],
    levels: ['instructions'],
  },
  {
    name: 'softmax: one division',
    file: SOFTMAX,
    replace: [
      ['  sum = tree_sum(part, sum);\n', '  sum = tree_sum(part, sum);\n  const float scale = 1.0f / sum;\n'],
      ['expf(in[c] - largest) / sum', 'expf(in[c] - largest) * scale'],
    ],
    levels: ['instructions'],
  },
  {
    name: 'softmax: exponential in PTX',
    file: SOFTMAX,
    replace: [
      [
        '__device__ float tree_max',
        '__device__ float exp2_fast(float v) {\n  float r;\n  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));\n  return r;\n}\n\n__device__ float tree_max',
      ],
      ['sum += expf(in[c] - largest)', 'sum += exp2_fast((in[c] - largest) * 1.44269504f)'],
      ['out[c] = expf(in[c] - largest)', 'out[c] = exp2_fast((in[c] - largest) * 1.44269504f)'],
    ],
    levels: ['instructions'],
  },
  {
    name: 'matmul: explicit fused multiply-add',
    file: MATMUL,
    replace: [
      [
        'sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x]',
        'sum = fmaf(tile_a[threadIdx.y][i], tile_b[i][threadIdx.x], sum)',
      ],
    ],
    levels: ['instructions'],
  },
  {
    name: 'reduce: shuffles instead of the tree',
    file: REDUCE,
    replace: [
      ['  __shared__ float part[BLOCK];\n', '  __shared__ float part[BLOCK / 32];\n'],
      [
        '  part[threadIdx.x] = sum;\n  __syncthreads();\n  for (int half = BLOCK / 2; half > 0; half /= 2) {\n    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];\n    __syncthreads();\n  }\n  if (threadIdx.x == 0) parts[blockIdx.x] = part[0];',
        '  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);\n  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;\n  __syncthreads();\n  if (threadIdx.x == 0) {\n    for (int w = 1; w < BLOCK / 32; ++w) sum += part[w];\n    parts[blockIdx.x] = sum;\n  }',
      ],
    ],
    levels: ['instructions', 'memory-hierarchy'],
    may: ['decomposition'],
  },
  {
    name: 'reduce: four values a load',
    file: REDUCE,
    replace: [
      [
        '  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += x[i];',
        '  const float4* x4 = reinterpret_cast<const float4*>(x);\n  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 4; i += gridDim.x * BLOCK) {\n    float4 v = x4[i];\n    sum += v.x + v.y + v.z + v.w;\n  }\n  for (int i = n / 4 * 4 + blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += x[i];',
      ],
    ],
    levels: ['data-movement'],
    may: ['decomposition', 'instructions'],
  },
  {
    name: 'softmax: vector stores',
    file: SOFTMAX,
    replace: [
      [
        '  for (int c = threadIdx.x; c < cols; c += BLOCK) out[c] = expf(in[c] - largest) / sum;',
        '  for (int c = threadIdx.x * 2; c + 1 < cols; c += BLOCK * 2) {\n    float2 v = *reinterpret_cast<const float2*>(in + c);\n    v.x = expf(v.x - largest) / sum;\n    v.y = expf(v.y - largest) / sum;\n    *reinterpret_cast<float2*>(out + c) = v;\n  }\n  if (cols % 2 == 1 && threadIdx.x == 0) out[cols - 1] = expf(in[cols - 1] - largest) / sum;',
      ],
    ],
    levels: ['data-movement'],
    may: ['decomposition', 'instructions'],
  },
  {
    name: 'matmul: transposed tile of b',
    file: MATMUL,
    replace: [
      ['tile_b[threadIdx.y][threadIdx.x] = kb', 'tile_b[threadIdx.x][threadIdx.y] = kb'],
      ['* tile_b[i][threadIdx.x]', '* tile_b[threadIdx.x][i]'],
    ],
    levels: ['data-movement'],
    may: ['memory-hierarchy'],
  },
  {
    name: 'attention: keys along the other axis',
    file: ATTENTION,
    replace: [
      [
        '  int j = blockIdx.x * TILE + threadIdx.x;\n  int i = blockIdx.y * TILE + threadIdx.y;\n  if (i >= rows || j >= rows) return;',
        '  int i = blockIdx.x * TILE + threadIdx.x;\n  int j = blockIdx.y * TILE + threadIdx.y;\n  if (i >= rows || j >= rows) return;',
      ],
    ],
    levels: ['data-movement'],
    may: ['decomposition'],
  },
  {
    name: 'conv2d: columns outermost',
    file: CONV,
    replace: [
      [
        '    for (int r = 0; r < size; ++r) {\n      for (int s = 0; s < size; ++s) {',
        '    for (int s = 0; s < size; ++s) {\n      for (int r = 0; r < size; ++r) {',
      ],
    ],
    levels: ['data-movement'],
    may: ['decomposition'],
  },
  {
    name: 'reduce: four sums a thread',
    file: REDUCE,
    replace: [
      [
        '  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += x[i];',
        '  const int step = gridDim.x * BLOCK;\n  float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;\n  int i = blockIdx.x * BLOCK + threadIdx.x;\n  for (; i + 3 * step < n; i += 4 * step) {\n    s0 += x[i];\n    s1 += x[i + step];\n    s2 += x[i + 2 * step];\n    s3 += x[i + 3 * step];\n  }\n  for (; i < n; i += step) s0 += x[i];\n  sum = (s0 + s1) + (s2 + s3);',
      ],
    ],
    levels: ['decomposition'],
    may: ['instructions', 'overlap'],
  },
  {
    name: 'matmul: two rows a thread',
    file: MATMUL,
    replace: [
      ['tile_a[TILE][TILE];', 'tile_a[2 * TILE][TILE];'],
      ['int row = blockIdx.y * TILE + threadIdx.y;', 'int row = blockIdx.y * TILE * 2 + threadIdx.y;'],
      ['  float sum = 0.0f;', '  float sum = 0.0f, below = 0.0f;'],
      [
        '    tile_b[threadIdx.y]',
        '    tile_a[threadIdx.y + TILE][threadIdx.x] = row + TILE < m && ka < k ? a[(size_t)(row + TILE) * k + ka] : 0.0f;\n    tile_b[threadIdx.y]',
      ],
      [
        '    for (int i = 0; i < TILE; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];',
        '    for (int i = 0; i < TILE; ++i) {\n      sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];\n      below += tile_a[threadIdx.y + TILE][i] * tile_b[i][threadIdx.x];\n    }',
      ],
      [
        '  if (row < m && col < n) c[(size_t)row * n + col] = sum;',
        '  if (row < m && col < n) c[(size_t)row * n + col] = sum;\n  if (row + TILE < m && col < n) c[(size_t)(row + TILE) * n + col] = below;',
      ],
      ['(m + TILE - 1) / TILE);', '(m + 2 * TILE - 1) / (2 * TILE));'],
    ],
    levels: ['decomposition', 'memory-hierarchy', 'launch'],
    may: ['data-movement', 'instructions'],
  },
  {
    name: 'attention: a warp for each score',
    file: ATTENTION,
    replace: [
      [
        '  int j = blockIdx.x * TILE + threadIdx.x;\n  int i = blockIdx.y * TILE + threadIdx.y;\n  if (i >= rows || j >= rows) return;',
        '  int j = blockIdx.x * 4 + threadIdx.y;\n  int i = blockIdx.y;\n  if (j >= rows) return;',
      ],
      [
        '  for (int d = 0; d < dim; ++d) sum += query[d] * key[d];\n',
        '  for (int d = threadIdx.x; d < dim; d += 32) sum += query[d] * key[d];\n  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, half);\n  if (threadIdx.x != 0) return;\n',
      ],
      [
        '<<<dim3(row_tiles, row_tiles, heads), block, 0, stream>>>',
        '<<<dim3((rows + 3) / 4, rows, heads), dim3(32, 4), 0, stream>>>',
      ],
    ],
    levels: ['decomposition', 'instructions', 'launch'],
    may: ['data-movement'],
  },
  {
    name: 'softmax: several rows a block',
    file: SOFTMAX,
    replace: [
      [
        '  const float* in = x + (size_t)blockIdx.x * cols;\n  float* out = y + (size_t)blockIdx.x * cols;\n',
        '  for (int row = blockIdx.x; row < rows; row += gridDim.x) {\n  const float* in = x + (size_t)row * cols;\n  float* out = y + (size_t)row * cols;\n',
      ],
      ['float* y, int cols) {', 'float* y, int rows, int cols) {'],
      ['expf(in[c] - largest) / sum;\n', 'expf(in[c] - largest) / sum;\n  }\n'],
      ['<<<rows, BLOCK, 0, stream>>>(x, y, cols)', '<<<rows < 264 ? rows : 264, BLOCK, 0, stream>>>(x, y, rows, cols)'],
    ],
    levels: ['decomposition', 'launch'],
  },
  {
    name: 'reduce: read through the read-only cache',
    file: REDUCE,
    replace: [['sum += x[i];', 'sum += __ldg(&x[i]);']],
    levels: ['memory-hierarchy'],
    may: ['instructions'],
  },
  {
    name: 'softmax: row kept in shared memory',
    file: SOFTMAX,
    replace: [
      ['  __shared__ float part[BLOCK];\n', '  __shared__ float part[BLOCK];\n  extern __shared__ float row[];\n'],
      [
        'c += BLOCK) largest = fmaxf(largest, in[c]);',
        'c += BLOCK) {\n    row[c] = in[c];\n    largest = fmaxf(largest, row[c]);\n  }',
      ],
      ['sum += expf(in[c] - largest);', '{\n    row[c] = expf(row[c] - largest);\n    sum += row[c];\n  }'],
      ['out[c] = expf(in[c] - largest) / sum;', 'out[c] = row[c] / sum;'],
      ['<<<rows, BLOCK, 0, stream>>>', '<<<rows, BLOCK, cols * sizeof(float), stream>>>'],
    ],
    levels: ['memory-hierarchy', 'launch'],
    may: ['data-movement', 'instructions', 'algorithm'],
  },
  {
    name: 'softmax: row kept in registers',
    file: SOFTMAX,
    replace: [
      ['  float largest = -INFINITY;\n', '  float mine[16];\n  float largest = -INFINITY;\n'],
      [
        'c < cols; c += BLOCK) largest = fmaxf(largest, in[c]);',
        'c < cols; c += BLOCK) {\n    mine[c / BLOCK] = in[c];\n    largest = fmaxf(largest, mine[c / BLOCK]);\n  }',
      ],
      ['sum += expf(in[c] - largest);', 'sum += expf(mine[c / BLOCK] - largest);'],
      ['out[c] = expf(in[c] - largest) / sum;', 'out[c] = expf(mine[c / BLOCK] - largest) / sum;'],
    ],
    levels: ['memory-hierarchy'],
    may: ['data-movement'],
  },
  {
    name: 'conv2d: filter in constant memory',
    file: CONV,
    replace: [
      [
        '__global__ void conv2d_direct(const float* x, const float* w, float* y,',
        '__constant__ float weights[16384];\n\n__global__ void conv2d_direct(const float* x, float* y,',
      ],
      ['const float* filter = w + ', 'const float* filter = weights + '],
      [
        '  conv2d_direct<<<grid, block, 0, stream>>>(x, w, y,',
        '  cudaMemcpyToSymbolAsync(weights, w, sizeof(float) * filters * channels * size * size, 0, cudaMemcpyDeviceToDevice, stream);\n  conv2d_direct<<<grid, block, 0, stream>>>(x, y,',
      ],
    ],
    levels: ['memory-hierarchy'],
    may: ['launch', 'data-movement'],
  },
  {
    name: 'conv2d: filter in shared memory',
    file: CONV,
    replace: [
      ['  if (i >= height || j >= width) return;\n', '  __shared__ float weights[64];\n'],
      [
        '    for (int r = 0; r < size; ++r) {',
        '    __syncthreads();\n    for (int t = threadIdx.y * BLOCK_X + threadIdx.x; t < size * size; t += BLOCK_X * BLOCK_Y) weights[t] = filter[t];\n    __syncthreads();\n    for (int r = 0; r < size; ++r) {',
      ],
      ['* filter[r * size + s];', '* weights[r * size + s];'],
      ['  y[(((size_t)n', '  if (i < height && j < width) y[(((size_t)n'],
    ],
    levels: ['memory-hierarchy'],
    may: ['data-movement', 'decomposition'],
  },
  {
    name: 'matmul: double buffering',
    file: MATMUL,
    replace: [
      ['tile_a[TILE][TILE];', 'tile_a[2][TILE][TILE];'],
      ['tile_b[TILE][TILE];', 'tile_b[2][TILE][TILE];'],
      [
        '  for (int start = 0; start < k; start += TILE) {',
        '  int stage = 0;\n  for (int start = 0; start < k; start += TILE, stage ^= 1) {',
      ],
      ['tile_a[threadIdx.y][threadIdx.x] = row', 'tile_a[stage][threadIdx.y][threadIdx.x] = row'],
      ['tile_b[threadIdx.y][threadIdx.x] = kb', 'tile_b[stage][threadIdx.y][threadIdx.x] = kb'],
      [
        'sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];\n    __syncthreads();',
        'sum += tile_a[stage][threadIdx.y][i] * tile_b[stage][i][threadIdx.x];',
      ],
    ],
    levels: ['overlap', 'memory-hierarchy'],
    may: ['decomposition'],
  },
  {
    name: 'matmul: asynchronous copies',
    file: MATMUL,
    replace: [
      ['#include <cuda_runtime.h>\n', '#include <cuda_pipeline.h>\n#include <cuda_runtime.h>\n'],
      [
        '    tile_a[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[(size_t)row * k + ka] : 0.0f;\n    tile_b[threadIdx.y][threadIdx.x] = kb < k && col < n ? b[(size_t)kb * n + col] : 0.0f;\n',
        '    __pipeline_memcpy_async(&tile_a[threadIdx.y][threadIdx.x], &a[(size_t)row * k + ka], 4, row < m && ka < k ? 0 : 4);\n    __pipeline_memcpy_async(&tile_b[threadIdx.y][threadIdx.x], &b[(size_t)kb * n + col], 4, kb < k && col < n ? 0 : 4);\n    __pipeline_commit();\n    __pipeline_wait_prior(0);\n',
      ],
    ],
    levels: ['overlap'],
    may: ['instructions', 'memory-hierarchy', 'data-movement'],
  },
  {
    name: 'softmax: asynchronous staging',
    file: SOFTMAX,
    replace: [
      [
        '#include <cuda_runtime.h>\n',
        '#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>\n#include <cuda_runtime.h>\n',
      ],
      [
        '  float largest = -INFINITY;\n',
        '  extern __shared__ float row[];\n  auto block = cooperative_groups::this_thread_block();\n  cooperative_groups::memcpy_async(block, row, in, sizeof(float) * cols);\n  cooperative_groups::wait(block);\n  float largest = -INFINITY;\n',
      ],
      ['largest = fmaxf(largest, in[c]);', 'largest = fmaxf(largest, row[c]);'],
      ['sum += expf(in[c] - largest)', 'sum += expf(row[c] - largest)'],
      ['out[c] = expf(in[c] - largest)', 'out[c] = expf(row[c] - largest)'],
      ['<<<rows, BLOCK, 0, stream>>>', '<<<rows, BLOCK, cols * sizeof(float), stream>>>'],
    ],
    levels: ['overlap', 'memory-hierarchy', 'launch'],
    may: ['data-movement', 'instructions'],
  },
  {
    name: 'attention: heads on two streams',
    file: ATTENTION,
    replace: [
      [
        '  attention_softmax<<<heads * rows, BLOCK, 0, stream>>>(scores, rows);\n',
        '  cudaStream_t side;\n  cudaEvent_t forked, joined;\n  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);\n  cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);\n  cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);\n  cudaEventRecord(forked, stream);\n  cudaStreamWaitEvent(side, forked, 0);\n  int first = heads / 2;\n  if (first > 0) attention_softmax<<<first * rows, BLOCK, 0, side>>>(scores, rows);\n  attention_softmax<<<(heads - first) * rows, BLOCK, 0, stream>>>(scores + (size_t)first * rows * rows, rows);\n  cudaEventRecord(joined, side);\n  cudaStreamWaitEvent(stream, joined, 0);\n  cudaStreamDestroy(side);\n  cudaEventDestroy(forked);\n  cudaEventDestroy(joined);\n',
      ],
    ],
    levels: ['overlap'],
    may: ['launch', 'decomposition', 'algorithm'],
  },
  {
    name: 'attention: next value loaded ahead',
    file: ATTENTION,
    replace: [
      [
        '  for (int j = 0; j < rows; ++j) sum += weights[j] * values[(size_t)j * dim + d];',
        '  float next = values[d];\n  for (int j = 0; j < rows; ++j) {\n    float value = next;\n    if (j + 1 < rows) next = values[(size_t)(j + 1) * dim + d];\n    sum += weights[j] * value;\n  }',
      ],
    ],
    levels: ['overlap'],
    may: ['memory-hierarchy', 'data-movement', 'instructions'],
  },
  {
    name: 'softmax: maximum and sum in one pass',
    file: SOFTMAX,
    replace: [
      [
        '  for (int c = threadIdx.x; c < cols; c += BLOCK) largest = fmaxf(largest, in[c]);\n  largest = tree_max(part, largest);\n\n  float sum = 0.0f;\n  for (int c = threadIdx.x; c < cols; c += BLOCK) sum += expf(in[c] - largest);\n  sum = tree_sum(part, sum);\n',
        '  float sum = 0.0f;\n  for (int c = threadIdx.x; c < cols; c += BLOCK) {\n    float v = in[c];\n    float next = fmaxf(largest, v);\n    sum = sum * expf(largest - next) + expf(v - next);\n    largest = next;\n  }\n  float mine = largest;\n  largest = tree_max(part, largest);\n  sum = tree_sum(part, mine == -INFINITY ? 0.0f : sum * expf(mine - largest));\n',
      ],
    ],
    levels: ['algorithm'],
    may: ['instructions', 'data-movement', 'decomposition'],
  },
  {
    name: 'attention: softmax divided in the last kernel',
    file: ATTENTION,
    replace: [
      [
        '  for (int j = threadIdx.x; j < rows; j += BLOCK) row[j] /= sum;\n',
        '  if (threadIdx.x == 0) sums[blockIdx.x] = sum;\n',
      ],
      ['attention_softmax(float* scores, int rows)', 'attention_softmax(float* scores, float* sums, int rows)'],
      [
        'attention_values(const float* scores, const float* v,',
        'attention_values(const float* scores, const float* sums, const float* v,',
      ],
      ['* dim + d] = sum;', '* dim + d] = sum / sums[(size_t)blockIdx.z * rows + i];'],
      ['(scores, rows);\n', '(scores, sums, rows);\n'],
      ['(scores, v, o, rows, dim);', '(scores, sums, v, o, rows, dim);'],
      ['float* scores, float* o, int heads', 'float* scores, float* sums, float* o, int heads'],
    ],
    levels: ['algorithm'],
    may: ['data-movement', 'instructions', 'decomposition'],
  },
  {
    name: 'reduce: one launch with atomics',
    file: REDUCE,
    replace: [
      ['  if (threadIdx.x == 0) parts[blockIdx.x] = part[0];', '  if (threadIdx.x == 0) atomicAdd(total, part[0]);'],
      ['sum_parts(const float* x, float* parts, int n)', 'sum_parts(const float* x, float* total, int n)'],
      [
        '  sum_parts<<<GRID, BLOCK, 0, stream>>>(x, parts, n);\n  sum_parts<<<1, BLOCK, 0, stream>>>(parts, total, GRID);\n',
        '  cudaMemsetAsync(total, 0, sizeof(float), stream);\n  sum_parts<<<GRID, BLOCK, 0, stream>>>(x, total, n);\n',
      ],
    ],
    levels: ['algorithm'],
    may: ['launch', 'instructions', 'decomposition', 'data-movement'],
  },
  {
    name: 'attention: scores and softmax in one kernel',
    file: ATTENTION,
    replace: [
      [
        '  int j = blockIdx.x * TILE + threadIdx.x;\n  int i = blockIdx.y * TILE + threadIdx.y;\n  if (i >= rows || j >= rows) return;\n  const float* query = q + ((size_t)blockIdx.z * rows + i) * dim;\n  const float* key = k + ((size_t)blockIdx.z * rows + j) * dim;\n  float sum = 0.0f;\n  for (int d = 0; d < dim; ++d) sum += query[d] * key[d];\n  scores[((size_t)blockIdx.z * rows + i) * rows + j] = sum / sqrtf((float)dim);\n}\n\n// Each row of scores becomes its softmax, one block for each.\n__global__ void attention_softmax(float* scores, int rows) {\n  __shared__ float part[BLOCK];\n  float* row = scores + (size_t)blockIdx.x * rows;\n',
        '  __shared__ float part[BLOCK];\n  float* row = scores + (size_t)blockIdx.x * rows;\n  const float* query = q + (size_t)blockIdx.x * dim;\n  const float* keys = k + (size_t)(blockIdx.x / rows) * rows * dim;\n  for (int j = threadIdx.x; j < rows; j += BLOCK) {\n    float dot = 0.0f;\n    for (int d = 0; d < dim; ++d) dot += query[d] * keys[(size_t)j * dim + d];\n    row[j] = dot / sqrtf((float)dim);\n  }\n',
      ],
      [
        '  attention_scores<<<dim3(row_tiles, row_tiles, heads), block, 0, stream>>>(q, k, scores, rows, dim);\n  attention_softmax<<<heads * rows, BLOCK, 0, stream>>>(scores, rows);\n',
        '  attention_scores<<<heads * rows, BLOCK, 0, stream>>>(q, k, scores, rows, dim);\n',
      ],
    ],
    levels: ['algorithm', 'decomposition', 'launch'],
    may: ['data-movement', 'memory-hierarchy', 'instructions'],
  },
  {
    name: 'conv2d: the filter of size three for itself',
    file: CONV,
    replace: [
      ['__global__ void conv2d_direct(', 'template <int SIZE>\n__global__ void conv2d_direct('],
      [
        'int height, int width,\n                              int size) {',
        'int height, int width,\n                              int given) {\n  const int size = SIZE > 0 ? SIZE : given;',
      ],
      [
        '  conv2d_direct<<<grid, block, 0, stream>>>(x, w, y, channels, filters, height, width, size);',
        '  if (size == 3)\n    conv2d_direct<3><<<grid, block, 0, stream>>>(x, w, y, channels, filters, height, width, size);\n  else\n    conv2d_direct<0><<<grid, block, 0, stream>>>(x, w, y, channels, filters, height, width, size);',
      ],
    ],
    levels: ['shape-dtype'],
    may: ['compiler', 'launch'],
  },
  {
    name: 'reduce: small inputs in one block',
    file: REDUCE,
    replace: [
      [
        '  sum_parts<<<GRID, BLOCK, 0, stream>>>(x, parts, n);\n',
        '  if (n <= 8192) {\n    sum_parts<<<1, BLOCK, 0, stream>>>(x, total, n);\n    return;\n  }\n  sum_parts<<<GRID, BLOCK, 0, stream>>>(x, parts, n);\n',
      ],
    ],
    levels: ['shape-dtype'],
    may: ['launch', 'algorithm'],
  },
  {
    name: 'matmul: no edge checks for whole tiles',
    file: MATMUL,
    replace: [
      ['__global__ void matmul_tiled(', 'template <bool Whole>\n__global__ void matmul_tiled('],
      ['= row < m && ka < k ? a', '= Whole || (row < m && ka < k) ? a'],
      ['= kb < k && col < n ? b', '= Whole || (kb < k && col < n) ? b'],
      ['  if (row < m && col < n) c[', '  if (Whole || (row < m && col < n)) c['],
      [
        '  matmul_tiled<<<grid, block, 0, stream>>>(a, b, c, m, n, k);',
        '  if (m % TILE == 0 && n % TILE == 0 && k % TILE == 0)\n    matmul_tiled<true><<<grid, block, 0, stream>>>(a, b, c, m, n, k);\n  else\n    matmul_tiled<false><<<grid, block, 0, stream>>>(a, b, c, m, n, k);',
      ],
    ],
    levels: ['shape-dtype'],
    may: ['compiler', 'launch', 'instructions'],
  },
  {
    name: 'matmul: tiles in half precision',
    file: MATMUL,
    replace: [
      ['#include <cuda_runtime.h>\n', '#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n'],
      ['__shared__ float tile_a', '__shared__ half tile_a'],
      ['__shared__ float tile_b', '__shared__ half tile_b'],
      ['? a[(size_t)row * k + ka] : 0.0f', '? __float2half(a[(size_t)row * k + ka]) : __float2half(0.0f)'],
      ['? b[(size_t)kb * n + col] : 0.0f', '? __float2half(b[(size_t)kb * n + col]) : __float2half(0.0f)'],
      [
        'sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x]',
        'sum += __half2float(tile_a[threadIdx.y][i]) * __half2float(tile_b[i][threadIdx.x])',
      ],
    ],
    levels: ['shape-dtype', 'memory-hierarchy'],
    may: ['instructions', 'data-movement'],
  },
  {
    name: 'reduce: sums in double precision',
    file: REDUCE,
    replace: [
      ['__shared__ float part[BLOCK]', '__shared__ double part[BLOCK]'],
      ['  float sum = 0.0f;', '  double sum = 0.0;'],
      ['parts[blockIdx.x] = part[0]', 'parts[blockIdx.x] = (float)part[0]'],
    ],
    levels: ['shape-dtype'],
    may: ['memory-hierarchy', 'instructions'],
  },
  {
    name: 'softmax: 32-bit offsets',
    file: SOFTMAX,
    replace: [
      ['x + (size_t)blockIdx.x * cols', 'x + blockIdx.x * cols'],
      ['y + (size_t)blockIdx.x * cols', 'y + blockIdx.x * cols'],
    ],
    levels: ['instructions'],
    may: ['data-movement', 'shape-dtype', 'decomposition'],
  },
  {
    name: 'matmul: other names',
    file: MATMUL,
    replace: [
      [
        '__shared__ float tile_a[TILE][TILE];\n  __shared__ float tile_b[TILE][TILE];',
        '__shared__ float left[TILE][TILE];\n  __shared__ float right[TILE][TILE];',
      ],
      ['tile_a[threadIdx.y][threadIdx.x] = row', 'left[threadIdx.y][threadIdx.x] = row'],
      ['tile_b[threadIdx.y][threadIdx.x] = kb', 'right[threadIdx.y][threadIdx.x] = kb'],
      ['sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x]', 'sum += left[threadIdx.y][i] * right[i][threadIdx.x]'],
    ],
    levels: [],
  },
  {
    name: 'reduce: another kernel name and comments',
    file: REDUCE,
    replace: [
      ['// Sum of n floats in two steps', '// The sum of all n values, in two steps'],
      ['__global__ void sum_parts(', '/* first and second step */\n__global__ void partial_sums('],
      [
        '  sum_parts<<<GRID, BLOCK, 0, stream>>>(x, parts, n);\n  sum_parts<<<1, BLOCK, 0, stream>>>',
        '  partial_sums<<<GRID, BLOCK, 0, stream>>>(x, parts, n);\n  partial_sums<<<1, BLOCK, 0, stream>>>',
      ],
    ],
    levels: [],
  },
  {
    name: 'conv2d: other line breaks',
    file: CONV,
    replace: [
      [
        'int channels, int filters, int height, int width,\n                              int size) {',
        'int channels,\n    int filters, int height, int width, int size)\n{',
      ],
      ['  if (i >= height || j >= width) return;', '  if (i >= height ||\n      j >= width)\n    return;'],
    ],
    levels: [],
  },
  {
    name: 'attention: constants under other names',
    file: ATTENTION,
    replace: [
      ['  int row_tiles = (rows + TILE - 1) / TILE;', '  int tiles = (rows + TILE - 1) / TILE;'],
      ['<<<dim3(row_tiles, row_tiles, heads), block', '<<<dim3(tiles, tiles, heads), block'],
      ['/ TILE, row_tiles, heads);', '/ TILE, tiles, heads);'],
      [
        'static_assert((BLOCK & (BLOCK - 1)) == 0, "the trees need a power of two");',
        'static_assert((BLOCK & (BLOCK - 1)) == 0, "a power of two");',
      ],
    ],
    levels: [],
  },
];
