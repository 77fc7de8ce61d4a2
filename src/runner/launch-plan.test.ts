// Which launches are read from the text of a host function, and which texts are left to the compiler.
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type LaunchPlan, launchPlan, type PlanStep } from '../../remote-runner/protocol.js';
import { cheats } from '../../test/support/cheats.js';
import { testParser } from '../../test/support/grammar.js';
import { honest } from '../../test/support/honest.js';
import type { KernelParser } from '../kernel/parser.js';
import { requireTask, validateTask } from '../task/parse.js';
import { launchPlanOf, withPlans } from './launch-plan.js';
import { candidateFrom, prepareTask } from './prepare.js';

let parser: KernelParser;
beforeAll(async () => (parser = await testParser()));

const root = path.resolve(__dirname, '../..');
const kernel = '__global__ void k(const float* x, float* y, int n) { y[threadIdx.x] = x[threadIdx.x] * n; }\n';
const taskOf = (more: object = {}) =>
  requireTask(
    validateTask({
      source: 'a.cu',
      entry: 'run',
      arguments: [
        { name: 'x', type: 'const float*', shape: ['n'] },
        { name: 'y', type: 'float*', shape: ['n'], role: 'output' },
        { name: 'n', type: 'int' },
      ],
      scenarios: [{ n: 1000 }],
      ...more,
    }),
  );

const planOf = (text: string, more: object = {}, call = 'run(x, y, n, stream)'): LaunchPlan =>
  launchPlanOf(taskOf(more), call, [{ path: 'a.cu', text }], parser);
const run = (body: string, before = kernel): string =>
  `#include <cuda_runtime.h>\n${before}void run(const float* x, float* y, int n, cudaStream_t stream) {\n${body}\n}\n`;

/** Steps of the first scenario. */
function steps(plan: LaunchPlan): PlanStep[] {
  if ('why' in plan) throw new Error(plan.why);
  expect(launchPlan.parse(plan)).toEqual(plan);
  return Object.values(plan.scenarios)[0]!;
}
const why = (plan: LaunchPlan): string => ('why' in plan ? plan.why : `it was read: ${JSON.stringify(plan)}`);

/** `k 4 256 0 (0+0 1+0 3e8)` */
const brief = (step: PlanStep): string => {
  if (step.kind === 'memset') return `memset ${step.buffer}+${step.offset} ${step.value} ${step.bytes}`;
  const axes = (a: number[]): string => a.join('x').replace(/(x1)+$/, '');
  const args = step.arguments.map((a) =>
    'bits' in a ? a.bits : a.buffer === null ? 'null' : `${a.buffer}+${a.offset}`,
  );
  const template = step.template.length > 0 ? `<${step.template.join()}>` : '';
  return `${step.kernel}${template} ${axes(step.grid)} ${axes(step.block)} ${step.shared} (${args.join(' ')})`;
};
const read = (text: string, more: object = {}, call?: string): string[] => steps(planOf(text, more, call)).map(brief);
const usual = 'k 4 256 0 (0+0 1+0 3e8)';

describe('what is read', () => {
  test.each<[name: string, text: string, expected: string[]]>([
    ['a plain launch', run('k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);'), [usual]],
    [
      'locals and a dim3',
      run('const int b = 256; dim3 grid((n + b - 1) / b), block(b); k<<<grid, block, 0, stream>>>(x, y, n);'),
      [usual],
    ],
    ['fields of a dim3', run('dim3 g; g.x = n / 256; g.x++; k<<<g, dim3(256), 0, stream>>>(x, y, n);'), [usual]],
    [
      'constants, macros, helpers',
      run(
        'k<<<DIV(n, B), cdiv(B * sizeof(float), 4), 0, stream>>>(x, y, n);',
        `${kernel}#define DIV(a, b) cdiv((a), (b))\nconstexpr int B = 1 << 8;\ntemplate <typename T, typename U> static inline size_t cdiv(T a, U b) { return (a + b - 1) / b; }\n`,
      ),
      [usual],
    ],
    [
      'offsets and casts of pointers',
      run(
        'k<<<1, 1, 0, stream>>>(x + n / 2, (float*)((char*)y + 4), n); k<<<1, 1, 0, stream>>>(&x[3], reinterpret_cast<float*>(reinterpret_cast<float4*>(y) + 1), n);',
      ),
      ['k 1 1 0 (0+2000 1+4 3e8)', 'k 1 1 0 (0+12 1+16 3e8)'],
    ],
    [
      'the branch that is taken',
      run(
        'if (n % 4 == 0 && x != nullptr) k<<<4, 256, 0, stream>>>(x, y, n); else { k<<<1, 1, 0, stream>>>(x, y, 0); }',
      ),
      [usual],
    ],
    [
      'an early end',
      run('if (n <= 0) return; k<<<4, 256, 0, stream>>>(x, y, n); return; k<<<1, 1>>>(x, y, n);'),
      [usual],
    ],
    [
      'loops',
      run(
        'for (int i = 0; i < 2; ++i) k<<<i + 1, 32, 0, stream>>>(x, y, i);\nint i = 8; while (i > 4) { i /= 2; if (i == 4) continue; } do k<<<i, 32, 0, stream>>>(x, y, i); while (i < 4);',
      ),
      ['k 1 32 0 (0+0 1+0 0)', 'k 2 32 0 (0+0 1+0 1)', 'k 4 32 0 (0+0 1+0 4)'],
    ],
    [
      'a memset before',
      run('cudaMemsetAsync(y + 1, 0, (n - 1) * sizeof(float), stream); k<<<4, 256, 0, stream>>>(x, y, n);'),
      ['memset 1+4 0 3996', usual],
    ],
    [
      'checked calls',
      run(
        'CHECK(cudaMemsetAsync(y, 255, 4, stream)); k<<<4, 256, 0, stream>>>(x, y, n); CHECK(cudaGetLastError());',
        `${kernel}#define CHECK(e) do { cudaError_t c = (e); if (c != cudaSuccess) { printf("%d", c); exit(1); } } while (0)\n`,
      ),
      ['memset 1+0 255 4', usual],
    ],
    [
      'a helper that launches',
      run(
        'launch(x, y, n, stream);',
        `${kernel}namespace { void launch(const float* from, float* to, int count, cudaStream_t s) { k<<<4, 256, 0, s>>>(from, to, count); } }\n`,
      ),
      [usual],
    ],
    [
      'a template instantiated from the call',
      run(
        'go<256>(x, y, n, stream);',
        'namespace ops { template <typename T, int B> __global__ void t(const T* x, T* y, int n) {} }\ntemplate <int B, typename T> void go(const T* x, T* y, int n, cudaStream_t s) { ops::t<T, B * 2><<<(n + B - 1) / B, B, 0, s>>>(x, y, n); }\n',
      ),
      ['ops::t<float,512> 4 256 0 (0+0 1+0 3e8)'],
    ],
    [
      'floating arithmetic',
      run(
        'f<<<(int)ceil(n / 256.0), 256, 0, stream>>>(y, 1.0f / sqrtf((float)n), n > 3);',
        '__global__ void f(float* y, float a, bool b) {}\n',
      ),
      ['f 4 256 0 (1+0 3d0186e3 1)'],
    ],
    [
      'an include guard around it',
      `#ifndef A\n#define A\n${run('k<<<4, 256, 0, stream>>>(x, y, n);')}#endif\n`,
      [usual],
    ],
    [
      'conditions in device code',
      run(
        'k<<<4, 256, 0, stream>>>(x, y, n);',
        '__global__ void k(const float* x, float* y, int n) {\n#if __CUDA_ARCH__ >= 900\n  y[0] = 1;\n#endif\n}\n',
      ),
      [usual],
    ],
  ])('%s', (_, text, expected) => expect(read(text)).toEqual(expected));

  test('large shared memory with its opt-in, and the carve-out', () => {
    const text = run(
      'cudaFuncSetAttribute((const void*)t<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);\n' +
        'cudaFuncSetAttribute(t<float>, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);\n' +
        't<float><<<1, 32, 80 * 1024, stream>>>(x, y);',
      'template <typename T> __global__ void t(const T* x, T* y) {}\n',
    );
    expect(steps(planOf(text))).toMatchObject([{ shared: 81920, maxShared: 102400, carveout: 100 }]);
    expect(why(planOf(text.replace('t<float><<<', 't<float, 1><<<')))).toMatch(/template/);
    expect(why(planOf(text.replace('100 << 10', '60 << 10')))).toMatch(/more shared memory than it asked for/);
    const other = text.replaceAll('(t<float>', '(t<double>').replace(')t<float>', ')t<double>');
    expect(why(planOf(other))).toMatch(/more shared memory than it asked for/);
  });

  test('clusters by cudaLaunchKernelEx', () => {
    const text = run(
      'cudaLaunchConfig_t config = {0};\nconfig.gridDim = dim3(n / 250);\nconfig.blockDim = 256;\nconfig.stream = stream;\n' +
        'cudaLaunchAttribute attributes[1];\nattributes[0].id = cudaLaunchAttributeClusterDimension;\nattributes[0].val.clusterDim.x = 2;\n' +
        'attributes[0].val.clusterDim.y = 1;\nattributes[0].val.clusterDim.z = 1;\nconfig.attrs = attributes;\nconfig.numAttrs = 1;\n' +
        'cudaLaunchKernelEx(&config, k, x, y, n);',
    );
    expect(steps(planOf(text))).toMatchObject([{ grid: [4, 1, 1], block: [256, 1, 1], cluster: [2, 1, 1] }]);
    const other = text.replace('ClusterDimension;', 'ProgrammaticStreamSerialization;');
    expect(why(planOf(other))).toMatch(/cudaLaunchAttributeProgrammaticStream/);
  });

  test('a bare kernel, with the values of each scenario', () => {
    const more = {
      entry: undefined,
      kernel: 't<T, 4>',
      launch: { grid: ['ceil_div(n, 64)'], block: [64, 2], shared: 'n*64' },
      arguments: [
        { name: 'x', type: 'const T*', shape: ['n'] },
        { name: 'y', type: 'T*', shape: ['n'], role: 'output' },
        { name: 'n', type: 'int' },
      ],
      scenarios: [{ grid: { T: ['half', 'float'], n: [100, 1000] } }],
    };
    const plan = planOf(
      'template <class T, int V> __global__ void t(const T* x, T* y, long long n) {}\n',
      more,
      't<T, 4>(x, y, n)',
    );
    expect('scenarios' in plan && Object.entries(plan.scenarios).map(([id, [s]]) => `${id}: ${brief(s!)}`)).toEqual([
      'T=half,n=100: t<__half,4> 2 64x2 6400 (0+0 1+0 64)',
      'T=half,n=1000: t<__half,4> 16 64x2 64000 (0+0 1+0 3e8)',
      'T=float,n=100: t<float,4> 2 64x2 6400 (0+0 1+0 64)',
      'T=float,n=1000: t<float,4> 16 64x2 64000 (0+0 1+0 3e8)',
    ]);
    expect(steps(plan)).toMatchObject([{ parameters: ['*', '*', 'long long'], arguments: [{}, {}, { bytes: 8 }] }]);
  });
});

describe('what is not plainly there is left to the compiler, with the reason', () => {
  const plain = 'k<<<4, 256, 0, stream>>>(x, y, n);';
  const slow = 'k<<<1, 1, 0, stream>>>(x, y, n);';
  test.each<[name: string, text: string, reason: RegExp]>([
    ['another API call', run(`cudaStreamSynchronize(stream);${plain}`), /calls cudaStreamSynchronize \(line 4\)/],
    ['an allocation', run(`float* t; cudaMalloc(&t, 4);${plain}`), /calls cudaMalloc/],
    ['something kept from call to call', run(`static int calls; ${plain}`), /keeps something from call to call/],
    [
      'a global variable',
      run('k<<<4, B, 0, stream>>>(x, y, n);', `${kernel}int B = 256;\n`),
      /uses B, which is no constant/,
    ],
    ['an unknown name', run('k<<<4, B, 0, stream>>>(x, y, n);'), /uses B, which is not known here/],
    ['a stream of its own', run('cudaStream_t s; k<<<4, 256, 0, s>>>(x, y, n);'), /s before it has a value/],
    ['an address', run(`if (((size_t)x & 15) == 0) ${plain}`), /makes a unsigned long/],
    ['a value from memory', run('k<<<4, (int)x[0], 0, stream>>>(x, y, n);'), /reads an array/],
    [
      'a struct by value',
      run('s<<<1, 1, 0, stream>>>(y, S{n});', 'struct S { int n; };\n__global__ void s(float* y, S v) {}\n'),
      /./,
    ],
    ['undefined arithmetic', run('k<<<n * 3000000 > 0, 256, 0, stream>>>(x, y, n);'), /overflows int/],
    ['an empty grid', run('k<<<n / 2000, 256, 0, stream>>>(x, y, n);'), /grid or block that is empty/],
    ['a loop without end', run(`for (;;) {} ${plain}`), /too many steps/],
    ['a recursion without end', run('f(n);', `${kernel}void f(int n) { f(n); }\n`), /calls itself/],
    [
      'constants that need each other',
      run('k<<<A, 256>>>(x, y, n);', `${kernel}constexpr int A = B + 1;\nconstexpr int B = A + 1;\n`),
      /calls itself/,
    ],
    ['too many launches', run(`for (int i = 0; i < 65; i++) ${plain}`), /more than 64/],
    [
      'a launch in the branch not taken',
      run('n > 5 ? 1 : go(x, y);', `${kernel}int go(const float* x, float* y) { k<<<1, 1>>>(x, y, 1); return 1; }\n`),
      /launches within an expression/,
    ],
    ['nothing at all', run(';'), /launches nothing/],
    ['a condition of the preprocessor in the function', run(`\n#ifdef FAST\n${plain}\n#else\n${slow}\n#endif\n`), /./],
    ['a function under a condition', `#ifdef NEVER\n${run(plain)}#endif\n`, /no host function/],
    [
      'a macro defined twice',
      run('k<<<4, B, 0, stream>>>(x, y, n);', `${kernel}#define B 256\n#undef B\n#define B 1\n`),
      /macro B, which has several meanings/,
    ],
    ['a macro defined behind its use', `${run(plain)}#define n 1\n`, /macro n/],
    [
      'a macro that hides a parameter',
      run('k<<<4, b, 0, stream>>>(x, y, n);', `${kernel}#define b 1\n#if 1\n#define c\n#endif\n`).replace(
        'int n,',
        'int b, int n,',
      ),
      /./,
    ],
    [
      'a keyword that is a macro',
      run(plain, `${kernel}#define if while\n`)
        .replace(plain, `if (n > 0) { ${plain} return; }`)
        .replace('if while', 'if(c) if (!(c))'),
      /./,
    ],
    [
      'a type that is a macro',
      run('k<<<(int)(n / 250), 256, 0, stream>>>(x, y, n);', `${kernel}#define int unsigned char\n`),
      /./,
    ],
    [
      'a dim3 of its own',
      run(
        'dim3 g(4); k<<<g, 256, 0, stream>>>(x, y, n);',
        `${kernel}namespace mine { struct dim3 { unsigned x; }; }\nusing namespace mine;\n`,
      ),
      /dim3, which the sources give a meaning/,
    ],
    [
      'a size_t of its own',
      run('k<<<(size_t)n / 250, 256>>>(x, y, n);', `${kernel}namespace mine { using size_t = unsigned char; }\n`),
      /size_t/,
    ],
    [
      'a min of its own',
      run('k<<<min(n, 4), 256>>>(x, y, n);', `${kernel}int min(int a, int b) { return 1; }\n`),
      /min, which the sources/,
    ],
    [
      'an overload',
      `${kernel}void run(const float* x, float* y, long n, cudaStream_t stream) { ${plain} }\n${run(slow, '')}`,
      /run, of which there are several/,
    ],
    [
      'a specialisation',
      run(
        'go<1>(x, y, n);',
        `${kernel}template <int> void go(const float* x, float* y, int n) { ${slow} }\ntemplate <> void go<1>(const float* x, float* y, int n) { ${slow} }\n`,
      ),
      /./,
    ],
    [
      'a kernel overloaded',
      run(plain, `${kernel}__global__ void k(const float* x, float* y, long n) {}\n`),
      /k, of which there are several/,
    ],
    ['a kernel behind a variable', run('void (*k)(const float*, float*, int) = 0; k<<<4, 256>>>(x, y, n);'), /./],
    [
      'an entry made by a macro',
      `${kernel}#define ENTRY void run(const float* x, float* y, int n, cudaStream_t stream)\nENTRY { ${slow} }\nvoid run(const float* x, float* y, long n, cudaStream_t stream) { ${plain} }\n`,
      /macro ENTRY outside of functions/,
    ],
    [
      'a value that is more than a value',
      `${run(plain)}#define ONE 1; void other() {} int z = 2\nint one = ONE;\n`,
      /macro ONE outside/,
    ],
    [
      'names that are pasted',
      run('k<<<4, CAT(2, 56), 0, stream>>>(x, y, n);', `${kernel}#define CAT(a, b) a##b\n`),
      /macro CAT/,
    ],
    [
      'a definition that is renamed',
      run(plain).replace('cudaStream_t stream) {', 'cudaStream_t stream) __attribute__((weak)) {'),
      /./,
    ],
    ['pragmas that change macros', run(plain, `${kernel}#pragma push_macro("n")\n`), /push_macro/],
    ['itself, included again', run(plain, `${kernel}#include __FILE__\n`), /#include __FILE__/],
    [
      'a table that host code fills',
      run(plain, `${kernel}__constant__ float w[4]; struct Init { Init() { cudaMemcpyToSymbol(w, 0, 0); } } init;\n`),
      /cudaMemcpyToSymbol/,
    ],
    ['managed memory', run(plain, `${kernel}__managed__ int calls;\n`), /__managed__/],
    ['a line that goes on', run(`// \\\n${plain}\nint unread(int);`), /./],
    ['a type that ends a function', run(plain, `${kernel}auto f = [] { return 4; };\n`).replace('<<<4', '<<<f()'), /./],
  ])('%s', (_, text, reason) => expect(why(planOf(text))).toMatch(reason));

  test('a scalar of 16 bits, whose bits the trampoline makes', () => {
    const more = { arguments: [...taskOf().arguments.slice(0, 2), { name: 'n', type: 'half', value: 3 }] };
    expect(why(planOf(run('k<<<4, 256>>>(x, y, n);'), more))).toMatch(/half by value/);
  });

  test('whatever stands there, it is a plan or a reason, in bounded time', () => {
    const pieces = [
      ...[
        'k',
        'run',
        'x',
        'y',
        'n',
        'int',
        'dim3',
        'const',
        'template',
        '<',
        '>',
        '<<<',
        '>>>',
        '(',
        ')',
        '{',
        '}',
        '[',
        ']',
      ],
      ...[
        ';',
        ',',
        '=',
        '+',
        '*',
        '&',
        '::',
        '?',
        ':',
        '4',
        '256',
        '0x',
        '1e',
        '"',
        "'",
        '#define A',
        '#if 0',
        '#endif',
        '\n',
        '\\\n',
      ],
      ...[
        'if',
        'for',
        'while',
        'do',
        'else',
        'return',
        'sizeof',
        'static_cast',
        'cudaFuncSetAttribute',
        'namespace',
        'stream',
        '//',
        '/*',
      ],
    ];
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((p) => p.join(' '));
    const original = run(
      'dim3 g((n + 255) / 256); if (n > 2) k<<<g, 256, 0, stream>>>(x + 1, y, n); else k<<<1, 1>>>(x, y, n);',
    );
    const edit = fc.tuple(fc.nat(original.length), fc.nat(30), soup);
    const check = (text: string): void => {
      const plan = planOf(text);
      expect(launchPlan.safeParse(plan).success).toBe(true);
    };
    fc.assert(
      fc.property(soup, (body) => check(run(body))),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(edit, ([at, drop, text]) => check(original.slice(0, at) + text + original.slice(at + drop))),
      { numRuns: 300 },
    );
    for (const deep of ['(', '{', '-', 'f(', '1?', '[', '(int)', 'if(1)', 'k<']) check(run(deep.repeat(20_000)));
    check(
      run(
        'k<<<A, 1>>>(x, y, n);',
        `${kernel}${Array.from({ length: 40 }, (_, i) => `#define A${i} A${i + 1} + A${i + 1}\n`).join('')}#define A A0\n`,
      ),
    );
  }, 60_000);
});

describe('the corpora', () => {
  const folder = (name: string): string => path.join(root, name);
  const prepare = (file: string) => prepareTask(folder(file), { parser: () => Promise.resolve(parser), root });
  const plans = async (file: string, other?: string): Promise<LaunchPlan> => {
    const task = await prepare(file);
    const candidate = other === undefined ? undefined : await candidateFrom(task, folder(other), '--source');
    const params = { kind: 'evaluate', task: task.wire, candidate, target: 'cuda', mode: 'first' } as const;
    const { plans } = await withPlans(params, task.files, () => Promise.resolve(parser));
    const plan = plans!.candidate ?? plans!.original;
    expect(launchPlan.parse(plan)).toEqual(plan);
    return plan;
  };

  /** Those whose host code does more than launch kernels of the sources on the stream that it is given. */
  const beyond = new Set([
    ...[
      'async-memory',
      'async-memory fast',
      'constant-memory fast',
      'cooperative-grid',
      'cooperative-grid fast',
      'debug-code',
    ],
    ...[
      'graph fast',
      'joined-threads fast',
      'l2-window fast',
      'lookup-table fast',
      'occupancy fast',
      'pinned-settings fast',
    ],
    ...['scalars fast', 'self-timed', 'streams-per-call fast', 'templates', 'templates fast', 'two-streams fast'],
    ...['work-queue fast', 'workspace-cache', 'workspace-cache fast'],
  ]);
  test.each(honest.flatMap(({ name }) => [name, `${name} fast`]))('honest %s', async (which) => {
    const [name, fast] = which.split(' ');
    const plan = await plans(`test/honest/${name}.task.json`, fast && `test/honest/${name}.fast.cu`);
    expect('why' in plan, why(plan)).toBe(beyond.has(which));
  });

  /** Cheats of the device, and those whose host code lies outside of the entry, where it never runs; all others need theirs. */
  const readable = [
    ...[
      'replaced-imports',
      'patched-timer',
      'own-memory-file',
      'only-poison',
      'easier-input',
      'not-a-number',
      'zeroed-counter',
    ],
    ...[
      'filtered-channel',
      'shaved-times',
      'few-microseconds',
      'tiny-times',
      'multiple-of-256',
      'constant',
      'without-weights',
      'half-sum',
      'without-maximum',
    ],
    ...[
      'overwritten-baseline',
      'uninitialised-shared',
      'missing-barrier',
      'empty-kernel',
      'edited-evaluator',
      'identical',
    ],
    ...['every-second-element', 'checked-ends', 'memory-hog', 'more-threads'],
  ];
  test('cheats', async () => {
    const found = await Promise.all(
      cheats.map(async ({ name, task }) => ({
        name,
        plan: await plans(`test/cheats/${task}.task.json`, `test/cheats/${name}.cu`),
      })),
    );
    expect(found.filter((f) => 'scenarios' in f.plan).map((f) => f.name)).toEqual(readable);
  });

  test('examples: the second step of a sum reads what the first has left', async () => {
    const plan = await plans('examples/reduce.task.json');
    expect(steps(plan).map(brief)).toEqual(['sum_parts 64 256 0 (0+0 1+0 100000)', 'sum_parts 1 256 0 (1+0 2+0 40)']);
    expect(readFileSync(folder('examples/reduce.cu'), 'utf8')).toContain('GRID = 64');
  });
});
