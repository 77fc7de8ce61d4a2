// Proposals for programs as public courses have them: entry or bare kernel, roles, shapes, launches, and what stays a guess.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { testParser } from '../../test/support/grammar.js';
import type { KernelParser } from '../kernel/parser.js';
import { readKernels } from '../kernel/reader.js';
import { validateTask } from './parse.js';
import { proposeTask, type Proposal } from './propose.js';

let parser: KernelParser;
beforeAll(async () => {
  parser = await testParser();
});

const proposeText = (text: string): Proposal => proposeTask(readKernels(parser, text), 'a.cu', text);
const propose = async (name: string): Promise<Proposal> => proposeText(await readFile(`test/${name}`, 'utf8'));

/** `x const float* rows,cols input` per argument. */
function outline(proposal: Proposal): string[] {
  const args = proposal.task['arguments'] as {
    name: string;
    type: string;
    shape?: unknown[];
    role?: string;
    value?: unknown;
  }[];
  return args.map((a) => {
    const shape = a.shape ? ` [${a.shape.join(', ')}] ${a.role ?? 'input'}` : '';
    return `${a.type} ${a.name}${shape}${a.value === undefined ? '' : ` = ${String(a.value)}`}`;
  });
}
function expectValid(proposal: Proposal): void {
  expect(proposal.missing).toEqual([]);
  const checked = validateTask(proposal.task);
  expect(checked.ok ? [] : checked.errors.map((e) => e.message)).toEqual([]);
}

describe('host functions with device pointers', () => {
  it('layer normalisation, sizes through a product and an option', async () => {
    const proposal = await propose('teaching/layernorm.cu');
    expectValid(proposal);
    expect(proposal.task).toMatchObject({ entry: 'layernorm_forward', files: ['common.h'] });
    expect(outline(proposal)).toEqual([
      'float* out [B, T, C] output',
      'float* mean [B, T] output',
      'float* rstd [B, T] output',
      'const float* inp [B, T, C] input',
      'const float* weight [C] input',
      'const float* bias [C] input',
      'int B',
      'int T',
      'int C',
      'int block_size = 256',
    ]);
  });

  it('GELU, an unused vector kernel beside it', async () => {
    const proposal = await propose('teaching/gelu.cu');
    expectValid(proposal);
    expect(outline(proposal)).toEqual(['float* out [N] output', 'const float* inp [N] input', 'int N']);
    const sizes = (proposal.task['scenarios'] as { N: number }[]).map((s) => s.N);
    expect(sizes.some((n) => n % 128 !== 0)).toBe(true);
  });

  it('online softmax, templated', async () => {
    const proposal = await propose('teaching/softmax-online.cu');
    expectValid(proposal);
    expect(outline(proposal)).toEqual([
      'const T* x [rows, cols] input',
      'T* y [rows, cols] output',
      'int rows',
      'int cols',
    ]);
    expect(proposal.task['scenarios']).toEqual([
      expect.objectContaining({ T: 'float' }),
      expect.objectContaining({ T: 'float' }),
    ]);
  });

  it('histograms: private bins start as zeros, cleared ones are outputs', async () => {
    const shared = await propose('teaching/histogram.cu');
    expectValid(shared);
    expect(outline(shared)).toEqual([
      'const unsigned int* input [num_elements] input',
      'unsigned int* bins [128] inout',
      'unsigned int num_elements',
    ]);
    expect(shared.task['arguments']).toMatchObject([{ fill: { integers: [0, 127] } }, { fill: 'zeros' }, {}]);
    const cleared = await propose('teaching/histogram-global.cu');
    expectValid(cleared);
    expect(outline(cleared)).toEqual(['const int* data [n] input', 'int* counts [bins] output', 'int n', 'int bins']);
    expect(cleared.task['arguments']).toMatchObject([{ fill: { integers: [0, 'bins - 1'] } }, {}, {}, {}]);
  });

  it('a scan of several kernels', async () => {
    const proposal = await propose('teaching/scan.cu');
    expectValid(proposal);
    expect(outline(proposal)).toEqual(['const float* X [N] input', 'float* Y [N] output', 'unsigned int N']);
  });

  it('a matrix product with pointers that lack const', async () => {
    const proposal = await propose('teaching/sgemm.cu');
    expectValid(proposal);
    expect(outline(proposal)).toEqual([
      'int M',
      'int N',
      'int K',
      'float alpha = 1.5',
      'float* A [M, K] input',
      expect.stringMatching(/^float\* B \[(N, K|K, N)\] input$/) as string,
      'float beta = 0.5',
      'float* C [M, N] inout',
    ]);
  });

  it('an embedding: indices within the table', async () => {
    const proposal = await propose('teaching/embedding.cu');
    expectValid(proposal);
    expect(outline(proposal).slice(0, 4)).toEqual([
      'float* out [B, T, C] output',
      'const int* ids [B, T] input',
      expect.stringMatching(/^const float\* table \[(C, V|V, C)\] input$/) as string,
      'const float* positions [T, C] input',
    ]);
    expect(proposal.task['arguments']).toMatchObject([
      {},
      { fill: { integers: [0, 'V - 1'] } },
      {},
      {},
      {},
      {},
      {},
      {},
    ]);
  });

  it('a convolution whose output is shorter than its input', async () => {
    const proposal = await propose('teaching/conv1d.cu');
    expectValid(proposal);
    expect(outline(proposal)).toEqual([
      'const float* input [input_size] input',
      'const float* kernel [kernel_size] input',
      'float* output [input_size - kernel_size + 1] output',
      'int input_size',
      'int kernel_size',
    ]);
  });

  it('case 07: run with f, d, k, n, not the function it calls', async () => {
    const proposal = await propose('cases/07-overloads-namespaces/overloads.cu');
    expectValid(proposal);
    expect(proposal.task['entry']).toBe('run');
    expect(outline(proposal).map((a) => a.replace(/ \[.*\]/, ''))).toEqual([
      'float* f inout',
      'double* d inout',
      'int* k inout',
      'int n',
    ]);
  });

  it('case 05: launches behind macros', async () => {
    const proposal = await propose('cases/05-macro-kernels/macros.cu');
    expect(proposal.task['entry']).toBe('run');
  });
});

describe('launches in main or beside host memory', () => {
  it('saxpy with unified memory', async () => {
    const proposal = await propose('teaching/saxpy-main.cu');
    expectValid(proposal);
    expect(proposal.task).toMatchObject({ kernel: 'saxpy', launch: { grid: ['(n + 256 - 1) / 256'], block: [256] } });
    expect(outline(proposal)).toEqual(['int n', 'float a = 2', 'const float* x [n] input', 'float* y [n] inout']);
  });

  it('a square matrix product with dim3 grids', async () => {
    const proposal = await propose('teaching/matmul-main.cu');
    expectValid(proposal);
    expect(proposal.task['launch']).toEqual({
      grid: ['(width + 16 - 1) / 16', '(width + 16 - 1) / 16'],
      block: [16, 16],
    });
    expect(outline(proposal)).toEqual([
      'float* A [width, width] input',
      'float* B [width, width] input',
      'float* C [width, width] output',
      'int width',
    ]);
  });

  it('a transpose whose sizes stand in main alone, and only fit whole tiles', async () => {
    const proposal = await propose('teaching/transpose.cu');
    expectValid(proposal);
    expect(proposal.task['launch']).toEqual({ grid: ['nx / 32', 'ny / 32', 1], block: [32, 8, 1] });
    expect(outline(proposal)).toEqual(['float* odata [nx, ny] output', 'const float* idata [nx, ny] input']);
    for (const { nx, ny } of proposal.task['scenarios'] as { nx: number; ny: number }[]) {
      expect([nx % 32, ny % 32]).toEqual([0, 0]);
    }
  });

  it('a function that copies from the host is not called', async () => {
    const proposal = await propose('teaching/vecadd-host.cu');
    expectValid(proposal);
    expect(proposal.task).toMatchObject({
      kernel: 'vecAddKernel',
      launch: { grid: ['ceil_div(n, 256)'], block: [256] },
    });
    expect(outline(proposal)).toEqual(['float* A [n] input', 'float* B [n] input', 'float* C [n] output', 'int n']);
  });

  it('a template kernel takes its dtype from its launch, a block over half the data stays within its limit', () => {
    const template = `template <typename T> __global__ void relu(T* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] > T(0) ? x[i] : T(0);
}
int main() { int n = 1000; double* x; relu<double><<<(n + 127) / 128, 128>>>(x, n); }`;
    const first = proposeText(template);
    expectValid(first);
    expect(first.task['kernel']).toBe('relu<double>');
    expect(outline(first)).toEqual(['double* x [n] inout', 'int n']);
    const half = `__global__ void twice(float* y, const float* x, int n) {
  y[2 * threadIdx.x] = x[2 * threadIdx.x]; y[2 * threadIdx.x + 1] = x[2 * threadIdx.x + 1];
}
int main() { int n = 512; float *x, *y; twice<<<1, n / 2>>>(y, x, n); }`;
    const second = proposeText(half);
    expectValid(second);
    expect(second.task['launch']).toEqual({ grid: [1], block: ['n / 2'] });
    for (const { n } of second.task['scenarios'] as { n: number }[]) expect(n / 2).toBeLessThanOrEqual(1024);
  });

  it('a kernel that nothing launches: its dynamic shared memory is missing', async () => {
    const proposal = await propose('teaching/reduce-bare.cu');
    expect(proposal.missing.map((m) => m.path)).toEqual(['$.launch.shared']);
    const checked = validateTask(proposal.task);
    expect(checked.ok ? [] : checked.errors.map((e) => e.path)).toEqual(['$.launch.shared']);
    expect(outline(proposal)).toEqual(['const float* in [n] input', 'float* out [1] inout', 'int n']);
  });
});

describe('kernels of other courses', () => {
  it('vectors count their scalars, in parameters, casts and steps of pointers', async () => {
    const proposal = await propose('teaching/tokens4.cu');
    expectValid(proposal);
    expect(outline(proposal).slice(0, 4)).toEqual([
      'float* out [B, T, C] output',
      'const int* tokens [B, T] input',
      expect.stringMatching(/^const float\* table \[(V, C|C, V)\] input$/) as string,
      'const float* positions [T, C] input',
    ]);
    const bare = await propose('teaching/bodies-main.cu');
    expectValid(bare);
    expect(outline(bare).slice(0, 2)).toEqual(['const float* place [count, 4] input', 'float* speed [count, 4] inout']);
  });

  it('rows in the order of the indices, two dim3 in one declaration, divisions of reals', async () => {
    const picture = await propose('teaching/mandelbrot-main.cu');
    expectValid(picture);
    expect(picture.task['launch']).toMatchObject({ grid: ['(width + 15) / 16', '(height + 15) / 16'] });
    expect(outline(picture)[0]).toBe('unsigned char* picture [height, width] output');
    expect(outline(picture).at(-1)).toBe('float step = 3.0 / width');
    const matmul = proposeText(`__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
  if (r >= M || c >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[r * K + k] * B[k * N + c];
  C[r * N + c] = sum;
}
void run(const float* A, const float* B, float* C, int M, int N, int K) {
  mm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}`);
    expect(outline(matmul).slice(0, 3)).toEqual([
      'const float* A [M, K] input',
      'const float* B [K, N] input',
      'float* C [M, N] output',
    ]);
  });

  it('an element for each block, a border left out, a remainder', async () => {
    const sums = await propose('teaching/sum-unrolled.cu');
    expect(outline(sums)[1]).toBe('int* out [(n + 128 * 2 - 1) / (128 * 2)] output');
    const heat = await propose('teaching/heat3d.cu');
    expect(outline(heat).slice(0, 2)).toEqual(['const float* before [n, n, n] input', 'float* after [n, n, n] output']);
    for (const { n } of heat.task['scenarios'] as { n: number }[]) expect(n).toBeLessThanOrEqual(128);
    expect(outline(await propose('teaching/bias-relu-half.cu')).slice(0, 3)).toEqual([
      'const __half* x [n] input',
      'const __half* bias [cols] input',
      '__half* y [n] output',
    ]);
  });

  it('pointers are followed into device functions', async () => {
    const proposal = await propose('teaching/sum-groups.cu');
    expectValid(proposal);
    expect(outline(proposal)).toEqual(['int* result [1] inout', 'int* numbers [n] input', 'int n']);
  });

  it('a sparse product: where rows start, and what they hold', () => {
    const proposal =
      proposeText(`__global__ void spmv(int rows, const int* starts, const int* cols, const float* a, const float* x, float* y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int j = starts[r]; j < starts[r + 1]; j++) sum += a[j] * x[cols[j]];
  y[r] = sum;
}
void run(int rows, int columns, int nnz, const int* starts, const int* cols, const float* a, const float* x, float* y) {
  spmv<<<(rows + 127) / 128, 128>>>(rows, starts, cols, a, x, y);
}`);
    expectValid(proposal);
    expect(outline(proposal).slice(3)).toEqual([
      'const int* starts [rows + 1] input',
      'const int* cols [nnz] input',
      'const float* a [nnz] input',
      'const float* x [columns] input',
      'float* y [rows] output',
    ]);
    expect((proposal.task['arguments'] as object[])[3]).toMatchObject({ fill: { offsets: 'nnz' } });
  });

  it('sizes that must be equal, and constants that only main sets, are said', async () => {
    const transpose = await propose('teaching/transpose.cu');
    for (const { nx, ny } of transpose.task['scenarios'] as { nx: number; ny: number }[]) expect(nx).toBe(ny);
    const text = `__constant__ float mask[9];
__constant__ int set = 3;
__global__ void k(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = mask[threadIdx.x % 9] + set; }
int main() { int n = 9; float* y; k<<<1, 64>>>(y, n); }`;
    expect(proposeText(text).guesses.find((g) => g.path === '$.kernel')?.why).toMatch(/^nothing sets mask before/);
  });
});

describe('what cannot be proposed', () => {
  it('a PyTorch extension is named as such', () => {
    const proposal = proposeText('#include <torch/extension.h>\n__global__ void k(float* y) { y[0] = 1; }');
    expect(proposal.missing).toEqual([
      { path: '$.source', what: expect.stringContaining('PyTorch extension, which is not supported') as string },
    ]);
  });

  it('is said, with what to write', () => {
    expect(proposeText('int f() { return 1; }').missing[0]).toMatchObject({ path: '$.entry' });
    const struct =
      'struct P { int n; };\n__global__ void k(float* y, P p) { y[0] = p.n; }\nvoid run(float* y, P p) { k<<<1, 1>>>(y, p); }';
    expect(proposeText(struct).missing).toEqual([
      { path: '$.arguments[1].type', what: expect.stringContaining('write "call"') as string },
    ]);
    const unknown = '__global__ void k(float* y) { y[0] = 1; }\nint main() { float* y; k<<<grid_of(y), 1>>>(y); }';
    expect(proposeText(unknown).missing.map((m) => m.path)).toEqual(['$.launch.grid']);
  });

  it('never throws, whatever the file', async () => {
    for (const name of [
      '01-launch-config-expressions/launches.cu',
      '03-attribute-order/attributes.cu',
      '08-bom-crlf-utf8/grow.cu',
    ]) {
      expect((await propose(`cases/${name}`)).task['source']).toBe('a.cu');
    }
    const text = await readFile('test/teaching/layernorm.cu', 'utf8');
    for (let at = 0; at < text.length; at += 97) proposeText(text.slice(0, at));
  });
});
