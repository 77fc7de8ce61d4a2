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
    expect(outline(proposal)).toEqual(['const float* in [n] input', 'float* out [1] inout', 'int n']);
  });
});

describe('what cannot be proposed', () => {
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
