// What decides that a candidate is right, end to end on the CPU target: comparers, layouts, references, and what a task is told
// about itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../../remote-runner/protocol.js';
import type { PreparedTask } from '../../src/runner/prepare.js';
import { Evaluations } from '../support/evaluations.js';
import { inlineTask, kernelFile } from '../support/inline-task.js';

let evaluations: Evaluations;
beforeAll(async () => {
  evaluations = await Evaluations.create();
});
afterAll(() => evaluations.close());

type Task = Record<string, unknown> & { arguments: Record<string, unknown>[] };
const make = (source: string, task: Task, files: Record<string, string | Buffer> = {}): Promise<PreparedTask> =>
  inlineTask(evaluations.folder, { 'k.cu': source, ...files }, { entry: 'run', ...task });

/** Evaluates another text in the place of the source; without one the original. */
const judge = (task: PreparedTask, text?: string, mode: 'first' | 'confirm' = 'first'): Promise<Verdict> =>
  evaluations.evaluate(task, text === undefined ? undefined : [{ path: task.wire.original[0]!.path, text }], { mode });

const input = { name: 'x', type: 'const float*', shape: ['n'] };
const output = { name: 'y', type: 'float*', shape: ['n'], role: 'output' };
const n = { name: 'n', type: 'int' };
const axpy = (body: string): string => kernelFile('const float* x, float* y, int n', body, 'x, y, n');

describe('comparers', () => {
  const ints = (body: string): string => kernelFile('const int* x, int* y, int n', body, 'x, y, n');
  const task = (compare: string): Task => ({
    arguments: [{ ...input, type: 'const int*', fill: 'permutation' }, { ...output, type: 'int*', compare }, n],
    scenarios: [{ n: 1000 }],
  });

  it('set: any order will do, but nothing missing and nothing twice', async () => {
    const prepared = await make(ints('if (i < n) y[i] = x[i];'), task('set'));
    const turned = await judge(prepared, ints('if (i < n) y[n - 1 - i] = x[i];'));
    expect(turned.status, turned.message).toBe('correct');
    const twice = await judge(prepared, ints('if (i < n) y[i] = x[i == 5 ? 6 : i];'));
    expect(twice.status).toBe('wrong');
    expect(twice.message).toMatch(/1 of 1000 elements differ/);
  });

  it('sorted: in order and the same elements; an original in no order is told so', async () => {
    const sorted = ints('if (i < n) y[x[i]] = x[i];');
    const prepared = await make(sorted, task('sorted'));
    const same = await judge(prepared, `${sorted}// again\n`);
    expect(same.status, same.message).toBe('correct');
    const swapped = await judge(prepared, ints('if (i < n) y[x[i] ^ 1] = x[i];'));
    expect(swapped.status).toBe('wrong');
    const unsorted = await make(ints('if (i < n) y[i] = x[i];'), task('sorted'));
    expect((await judge(unsorted)).warnings.join()).toMatch(/stands in no order.*"set"/);
    expect((await judge(unsorted, sorted)).status).toBe('task_error');
  });
});

describe('a checker program', () => {
  /** Either sign is right. */
  const checker = `
#include <kernelseek/check.h>
#include <cmath>
bool kernelseek::check(const Call& call) {
  const Array &y = call.output(), &x = call.argument("x");
  printf("looking at %zu elements\\n", y.size());
  for (size_t i = 0; i < y.size(); ++i)
    if (!(std::fabs(std::fabs(y[i]) - x[i] * x[i]) < 1e-5 * call.integer("n")))
      return call.fail("|y[%zu]| = %g is not the square of %g", i, y[i], x[i]);
  return call.expected().size() == (size_t)call.integer("n");
}
`;
  const task: Task = {
    arguments: [{ ...input, fill: 'uniform' }, { ...output, compare: { check: 'c.cpp' } }, n],
    scenarios: [{ n: 100 }, { n: 1000 }],
  };
  const source = axpy('if (i < n) y[i] = x[i] * x[i];');

  it('decides, sees inputs and expected values, and is nothing a candidate could include', async () => {
    const prepared = await make(source, task, { 'c.cpp': checker });
    const original = await judge(prepared);
    expect(original.status, original.message).toBe('correct');
    const negative = await judge(prepared, axpy('if (i < n) y[i] = -x[i] * x[i];'));
    expect(negative.status, negative.message).toBe('correct');
    const wrong = await judge(prepared, axpy('if (i < n) y[i] = i == 7 ? 5 : x[i] * x[i];'));
    expect(wrong.status).toBe('wrong');
    expect(wrong.message).toMatch(/the checker refuses y: \|y\[7\]\| = 5 is not the square of/);
    const outside = await judge(prepared, axpy('if (i < n) y[i] = x[i] * x[i]; if (i == 0) y[n] = 0;'));
    expect(outside.status).toBe('finding');
    expect((await judge(prepared, '#include "c.cpp"\n')).status).toBe('compile_error');
  });

  const body = (text: string): string =>
    `#include <kernelseek/check.h>\n#include <cstring>\n#include <unistd.h>\nbool kernelseek::check(const Call& call) { ${text} }\n`;
  it.each([
    ['does not compile', body('return call.nothing();'), /c\.cpp does not compile: c\.cpp:4: .*nothing/],
    ['refuses the original', body('return call.fail("no\\nway");'), /refuses what the original itself gives.*no way/],
    ['crashes', body('*(volatile int*)8 = 1; return true;'), /c\.cpp ended \(SIGSEGV\)/],
    ['asks for what is not there', body('return call.argument("z").size() == 1;'), /no input is called z/],
    [
      'writes to what it looks at',
      body('memset((void*)call.output().data<float>(), 0, 4); return true;'),
      /ended \(SIGSEGV\)/,
    ],
  ])('that %s is an error of the task', async (_, text, says) => {
    const verdict = await judge(await make(source, task, { 'c.cpp': text }));
    expect(verdict.status, verdict.message).toBe('task_error');
    expect(verdict.message).toMatch(says);
  });

  it('that accepts anything is told so, and judges no candidate', async () => {
    const prepared = await make(source, task, { 'c.cpp': body('return call.output().size() > 0;') });
    expect((await judge(prepared)).warnings.join()).toMatch(/checker of y accepts random bits/);
    expect((await judge(prepared, axpy('(void)i;'))).status).toBe('task_error');
  });
});

describe('strides and offsets', () => {
  it('what lies between the rows is nobody’s to write', async () => {
    const rows = (index: string): string => axpy(`if (i < n) { y[(i / 10) * 16 + i % 10] = 2 * x[i]; ${index} }`);
    const prepared = await make(rows(''), {
      arguments: [input, { ...output, shape: ['n / 10', 10], strides: [16, 1], offset: 3 }, n],
      scenarios: [{ n: 1000 }],
    });
    const same = await judge(prepared, rows(';'));
    expect(same.status, same.message).toBe('correct');
    const between = await judge(prepared, rows('if (i == 123) y[12 * 16 + 12] = 1;'));
    expect(between.status, between.message).toBe('finding');
    expect(between.message).toMatch(/between the elements of y, 204 elements after its start/);
  });
});

describe('a dtype of each scenario', () => {
  it('is drawn, stored and compared as such', async () => {
    const source = (what: string): string => `
#include <cuda_runtime.h>
#include <cuda_fp16.h>
template <typename T> __global__ void k(const T* x, T* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = T((float)x[i] * ${what});
}
template <typename T> void run(const T* x, T* y, int n, cudaStream_t s) { k<<<(n + 127) / 128, 128, 0, s>>>(x, y, n); }
`;
    const prepared = await make(source('3.f'), {
      arguments: [{ ...input, type: 'const T*' }, { ...output, type: 'T*' }, n],
      scenarios: [{ grid: { T: ['float', 'double', 'half'], n: [1001] } }],
    });
    const same = await judge(prepared, source('(1.f + 2.f)'));
    expect(same.status, same.message).toBe('correct');
    // Within the tolerance of half, not of float: each is judged by its own.
    const coarse = await judge(prepared, source('3.0005f'));
    expect(coarse.status).toBe('wrong');
    expect(coarse.scenarios.map((s) => [s.id, s.status])).toEqual([
      ['T=half,n=1001', 'correct'],
      ['T=float,n=1001', 'wrong'],
    ]);
  });
});

describe('an inout argument', () => {
  it('is handed out anew for every call', async () => {
    const add = (body: string): string => axpy(body);
    const prepared = await make(add('if (i < n) y[i] += x[i];'), {
      arguments: [input, { ...output, role: 'inout' }, n],
      scenarios: [{ n: 1000 }],
    });
    const same = await judge(prepared, add('if (i < n) y[i] = x[i] + y[i];'));
    expect(same.status, same.message).toBe('correct');
    expect((await judge(prepared, add('if (i < n) y[i] = x[i];'))).status).toBe('wrong');
  });
});

describe('an argument filled from a file', () => {
  it('holds the bytes of the file', async () => {
    const weights = Buffer.from(new Float32Array([1, 2, 4, 8]).buffer);
    const source = (weight: string): string =>
      kernelFile(
        'const float* x, const float* w, float* y, int n',
        `if (i < n) y[i] = x[i] * ${weight};`,
        'x, w, y, n',
      );
    const task: Task = {
      arguments: [input, { name: 'w', type: 'const float*', shape: [4], fill: { file: 'w.bin' } }, output, n],
      scenarios: [{ n: 1000 }],
    };
    const prepared = await make(source('w[i % 4]'), task, { 'w.bin': weights });
    const known = await judge(prepared, source('(1 << i % 4)'));
    expect(known.status, known.message).toBe('correct');
    const short = await judge(await make(source('w[i % 4]'), task, { 'w.bin': weights.subarray(0, 12) }));
    expect(short.status).toBe('task_error');
    expect(short.message).toMatch(/w\.bin has 12 bytes, but w is filled with 16/);
  });
});

describe('a reference', () => {
  const sum = (type: string): string => `
#include <cuda_runtime.h>
__global__ void k(const float* x, float* y, int n) {
  ${type} sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  if (threadIdx.x == 0) y[0] = (float)sum;
}
void run(const float* x, float* y, int n, cudaStream_t s) { k<<<1, 1, 0, s>>>(x, y, n); }
`;
  const task: Task = {
    reference: 'ref.cu',
    arguments: [{ ...input, fill: 'uniform' }, { ...output, shape: [1], tolerance: { rtol: 1e-6, atol: 5e-3 } }, n],
    scenarios: [{ n: 4096 }],
  };

  it('decides, for the original too, and is nothing a candidate could include', async () => {
    const prepared = await make(sum('float'), task, { 'ref.cu': sum('double') });
    const original = await judge(prepared);
    expect(original.status, original.message).toBe('correct');
    const precise = await judge(prepared, sum('double'));
    expect(precise.status, precise.message).toBe('correct');
    const biased = await make(sum('float').replace('sum = 0', 'sum = 1'), task, { 'ref.cu': sum('double') });
    const wrong = await judge(biased);
    expect(wrong.status).toBe('wrong');
    expect(wrong.message).toMatch(/by the reference/);
    const right = await judge(biased, sum('float'));
    expect(right.status, right.message).toBe('correct');
    expect(right.warnings.join()).toMatch(/the original itself is wrong by the reference/);
    const including = await judge(prepared, '#include "ref.cu"\n');
    expect(including.status).toBe('compile_error');
  });

  it('that does not compile or crashes is an error of the task', async () => {
    const broken = await judge(await make(sum('float'), task, { 'ref.cu': sum('quadruple') }));
    expect(broken.status).toBe('task_error');
    expect(broken.message).toMatch(/the reference does not compile/);
    const crashing = sum('double').replace('k<<<', '*(volatile int*)8 = 1; k<<<');
    const crash = await judge(await make(sum('float'), task, { 'ref.cu': crashing }));
    expect(crash.status).toBe('task_error');
    expect(crash.message).toMatch(/the reference fails \(crash\)/);
  });
});

describe('a task that demands reproducible results', () => {
  /** The last bit of its results comes and goes. */
  const wobbling = `
#include <cuda_runtime.h>
__global__ void k(const float* x, float* y, int n, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] * scale;
}
void run(const float* x, float* y, int n, cudaStream_t stream) {
  static int calls;
  k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n, calls++ % 2 ? 1.0000002f : 1.f);
}
`;
  const task = (reproducible: boolean): Task => ({
    reproducible,
    arguments: [input, output, n],
    scenarios: [{ n: 1000 }],
  });

  it('gets them, or the candidate is nondeterministic; else it is only told', async () => {
    const source = axpy('if (i < n) y[i] = 2 * x[i];');
    const strict = await make(source, task(true));
    expect((await judge(strict)).status).toBe('correct');
    const refused = await judge(strict, wobbling);
    expect(refused.status, refused.message).toBe('nondeterministic');
    expect(refused.message).toMatch(/bitwise the same output in every run, and y differs/);
    const told = await judge(await make(source, task(false)), wobbling);
    expect(told.status, told.message).toBe('correct');
    expect(told.warnings.join()).toMatch(/y is no longer bitwise the same/);
    const own = await judge(await make(wobbling, task(true)));
    expect(own.status, own.message).toBe('correct');
    expect(own.warnings.join()).toMatch(/but the original's y differs/);
  });
});

describe('a task that says little is told so, with its original', () => {
  it('an input that no output depends on', async () => {
    const source = kernelFile(
      'const float* x, const float* w, float* y, int n',
      'if (i < n) y[i] = x[i] + 0 * n;',
      'x, w, y, n',
    );
    const prepared = await make(source, {
      arguments: [input, { name: 'w', type: 'const float*', shape: ['n'] }, output, n],
      scenarios: [{ n: 100 }, { n: 1000 }],
    });
    const original = await judge(prepared);
    expect(original.status, original.message).toBe('correct');
    expect(original.warnings).toEqual([expect.stringMatching(/scenario n=100: no output .* depends on w:/)]);
    expect((await judge(prepared, `${source}// again\n`)).warnings).toEqual([]);
  });

  it('an output that is added to, though its role says it is overwritten', async () => {
    const prepared = await make(axpy('if (i < n && i > 2) y[i] = x[i];'), {
      arguments: [input, output, n],
      scenarios: [{ n: 100 }],
    });
    const original = await judge(prepared);
    expect(original.warnings.join()).toMatch(/y depends on what lay in outputs or workspaces.*role is inout/);
  });

  it('a tolerance that what any inputs give is within', async () => {
    const near = axpy('if (i < n) y[i] = 1 + 1e-4f * x[i];');
    const prepared = await make(near, {
      arguments: [input, { ...output, tolerance: { rtol: 1e-2, atol: 0 } }, n],
      scenarios: [{ n: 100 }],
    });
    const original = await judge(prepared);
    expect(original.status, original.message).toBe('correct');
    expect(original.warnings.join()).toMatch(
      /tolerance of y .* does not tell apart what the original gives for different/,
    );
    expect((await judge(prepared, axpy('if (i < n) y[i] = 1;'))).status).toBe('task_error');
  });

  it('ones are also drawn as ones and twos, so that leaving them out shows', async () => {
    const weighted = (value: string): string =>
      kernelFile('const float* x, const float* w, float* y, int n', `if (i < n) y[i] = ${value};`, 'x, w, y, n');
    const task: Task = {
      arguments: [input, { name: 'w', type: 'const float*', shape: ['n'], fill: 'ones' }, output, n],
      scenarios: [{ n: 100 }],
    };
    const prepared = await make(weighted('x[i] * w[i]'), task);
    const turned = await judge(prepared, weighted('w[i] * x[i]'));
    expect(turned.status, turned.message).toBe('correct');
    const ignoring = await judge(prepared, weighted('x[i]'));
    expect(ignoring.status).toBe('wrong');
    expect(ignoring.message).toMatch(/with ones and twos in w, y\[\d+\]/);
    // Where the original has no finite answer to twos, nobody is asked.
    const pole = await make(weighted('x[i] / (w[i] < 2)'), task);
    const unasked = await judge(pole, weighted('x[i]'));
    expect(unasked.status, unasked.message).toBe('correct');
  });

  it('nothing is said of a task without fault', async () => {
    const prepared = await make(axpy('if (i < n) y[i] = x[i] > 0 ? x[i] : 0;'), {
      arguments: [input, output, n],
      scenarios: [{ n: 100 }],
    });
    expect((await judge(prepared)).warnings).toEqual([]);
  });
});

describe('held-out scenarios', () => {
  it('count at the confirmation only', async () => {
    const source = axpy('if (i < n) y[i] = 2 * x[i];');
    const prepared = await make(source, {
      arguments: [input, output, n],
      scenarios: [{ n: 512 }],
      heldOut: [{ n: 777 }],
    });
    const special = axpy('if (i < n) y[i] = n == 777 ? 3 * x[i] : 2 * x[i];');
    expect((await judge(prepared, special)).status).toBe('correct');
    const confirmed = await judge(prepared, special, 'confirm');
    expect(confirmed.status).toBe('wrong');
    expect(confirmed.scenarios.find((s) => s.status === 'wrong')).toMatchObject({ id: 'n=777', heldOut: true });
  });
});

describe('case 31: sums in arrival order', () => {
  const folder = 'test/cases/31-float-atomics-order';
  /** As there, with fewer elements: it is the number of evaluations that finds a random fault. */
  const smaller = async (): Promise<PreparedTask> => {
    const task = await evaluations.prepare(`${folder}/sum.task.json`);
    return { ...task, wire: { ...task.wire, task: { ...task.task, scenarios: [{ n: 8192 }] } } };
  };
  it('twenty evaluations of identical code are never wrong', async () => {
    const task = await smaller();
    const statuses = new Set<string>();
    for (let i = 0; i < 20; i++) statuses.add((await evaluations.evaluate(task)).status);
    expect([...statuses]).toEqual(['correct']);
  });
  it('a candidate that is only written otherwise is right or in doubt, never wrong', async () => {
    const task = await smaller();
    const text = `${task.wire.original[0]!.text}// again\n`;
    for (let i = 0; i < 5; i++) {
      const verdict = await judge(task, text);
      expect(['correct', 'inconclusive'], verdict.message).toContain(verdict.status);
    }
  });
  it('leaving out every 1024th element is wrong', async () => {
    const task = await evaluations.prepare(`${folder}/ones.task.json`);
    const verdict = await evaluations.evaluate(task, `${folder}/drops.cu`);
    expect(verdict.status).toBe('wrong');
    expect(verdict.message).toMatch(/expected 1048576, got 1047552/);
  });
});
