// First scenarios: the sizes that a program itself runs with, where an emulation gets through them, and another beside.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { testParser } from '../../../test/support/grammar.js';
import type { KernelParser } from '../../kernel/parser.js';
import { readKernels } from '../../kernel/reader.js';
import { validateTask } from '../parse.js';
import { proposeTask } from '../propose.js';

let parser: KernelParser;
beforeAll(async () => {
  parser = await testParser();
});

/** Scenarios of the proposed task, which is valid, and what is said of them. */
function scenariosOf(text: string): { scenarios: unknown; why: string } {
  const proposal = proposeTask(readKernels(parser, text), 'a.cu', text);
  expect(proposal.missing).toEqual([]);
  expect(validateTask(proposal.task).ok).toBe(true);
  const why = proposal.guesses.filter((g) => g.path === '$.scenarios').map((g) => g.why);
  return { scenarios: proposal.task['scenarios'], why: why.join('; ') };
}
const ofFile = async (name: string) => scenariosOf(await readFile(`test/teaching/${name}`, 'utf8'));

const ADD = `__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
void run(const float* a, const float* b, float* c, int n) { add<<<(n + 255) / 256, 256>>>(a, b, c, n); }
`;
const LAUNCH = 'add<<<(n + 255) / 256, 256>>>(a, b, c, n);';

describe('the sizes of the program', () => {
  it.each([
    ['a literal', `int main() { int n = 1 << 20; float *a, *b, *c; run(a, b, c, n); }`, 1048576],
    ['a literal handed on', `int main() { float *a, *b, *c; run(a, b, c, 5000); }`, 5000],
    ['a constant', `const int N = 640 * 480;\nint main() { float *a, *b, *c; run(a, b, c, N); }`, 307200],
    [
      'a default of the command line',
      `int main(int argc, char** argv) { int n = argc > 1 ? atoi(argv[1]) : 4096; float *a, *b, *c; run(a, b, c, n); }`,
      4096,
    ],
    [
      'a default that is replaced',
      `int main(int argc, char** argv) { int n = 4096; if (argc > 1) n = atoi(argv[1]); float *a, *b, *c; run(a, b, c, n); }`,
      4096,
    ],
    [
      'through a function',
      `void test(int size) { float *a, *b, *c; run(a, b, c, 2 * size); }\nint main() { test(1000); }`,
      2000,
    ],
  ])('%s', (_name, main, n) => {
    const { scenarios, why } = scenariosOf(ADD + main);
    expect(scenarios).toEqual([{ n }, { n: 100003 }]);
    expect(why).toMatch(/^first the sizes that the program itself runs with/);
  });

  it('of a bare kernel, launched in main or in a function that copies', () => {
    const kernel = ADD.slice(0, ADD.indexOf('void run'));
    const inMain = `${kernel}int main() { int n = 3000; float *a, *b, *c; ${LAUNCH} }`;
    expect(scenariosOf(inMain).scenarios).toEqual([{ n: 3000 }, { n: 100003 }]);
    const copying = `${kernel}void both(float* h, float* c, int n) {
  float *a, *b; cudaMalloc(&a, n * sizeof(float)); cudaMemcpy(a, h, n * sizeof(float), cudaMemcpyHostToDevice); ${LAUNCH}
}
int main() { const int n = 3000; float *h, *c; both(h, c, n); }`;
    expect(scenariosOf(copying).scenarios).toEqual([{ n: 3000 }, { n: 100003 }]);
  });

  it('of a template that main instantiates', () => {
    const text = ADD.replaceAll('float', 'T').replace(/(__global__|void run)/g, 'template <typename T> $1');
    const main = `int main() { float *a, *b, *c; run<float>(a, b, c, 5000); }`;
    expect(scenariosOf(text + main).scenarios).toEqual([
      { n: 5000, T: 'float' },
      { n: 100003, T: 'float' },
    ]);
  });

  it('several, all of them or none', async () => {
    expect((await ofFile('mandelbrot-main.cu')).scenarios).toEqual([
      { width: 640, height: 480 },
      { width: 999, height: 67 },
    ]);
    const rows = `__global__ void scale(float* x, int rows, int cols) {
  int r = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows && c < cols) x[r * cols + c] *= 2;
}
int main() { int rows = 2048, cols = COLS; float* x; scale<<<dim3((cols + 255) / 256, rows), 256>>>(x, rows, cols); }`;
    expect(scenariosOf(rows.replace('COLS', '1024')).scenarios).toEqual([
      { rows: 2048, cols: 1024 },
      { rows: 67, cols: 999 },
    ]);
    const { scenarios, why } = scenariosOf(rows.replace('COLS', 'ask()'));
    expect(scenarios).toMatchObject([{ rows: 128 }, { rows: 67 }]);
    expect(why).toMatch(/^the sizes are examples: /);
  });

  it('beside them stand whole ones where only whole ones are handled', async () => {
    expect((await ofFile('transpose.cu')).scenarios).toEqual([
      { nx: 1024, ny: 1024 },
      { nx: 64, ny: 64 },
    ]);
  });

  it('two scenarios of the same sizes are never proposed', () => {
    expect(scenariosOf(`${ADD}int main() { float *a, *b, *c; run(a, b, c, 100003); }`).scenarios).toEqual([
      { n: 100003 },
      { n: 262144 },
    ]);
  });
});

describe('sizes that are many for a CPU', () => {
  it('by their elements', () => {
    const { scenarios, why } = scenariosOf(`${ADD}int main() { float *a, *b, *c; run(a, b, c, 1 << 24); }`);
    expect(scenarios).toEqual([{ n: 262144 }, { n: 100003 }]);
    expect(why).toContain("the program's own (n = 16777216) are many for a CPU");
  });

  it('by the passes of nested loops, in tiles too', async () => {
    const { scenarios, why } = await ofFile('matmul-main.cu');
    expect(scenarios).toEqual([{ width: 256 }, { width: 97 }]);
    expect(why).toContain('(width = 1024) are many');
    const smaller = (await readFile('test/teaching/matmul-main.cu', 'utf8')).replace('width = 1024', 'width = 320');
    expect(scenariosOf(smaller).scenarios).toEqual([{ width: 320 }, { width: 97 }]);
  });

  it('a loop that strides over the grid passes once', () => {
    const strided = `__global__ void scale(float* x, int n) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) x[i] *= 2;
}
int main() { int n = 1 << 20; float* x; scale<<<(n + 255) / 256, 256>>>(x, n); }`;
    expect(scenariosOf(strided).scenarios).toEqual([{ n: 1048576 }, { n: 100003 }]);
    const all = strided.replace('i += stride', 'i += 1');
    expect(scenariosOf(all).scenarios).toEqual([{ n: 262144 }, { n: 100003 }]);
  });
});
