// The reader against the cases from the field and against broken text.
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { testParser } from '../../test/support/grammar.js';
import type { KernelParser } from './parser.js';
import { readKernels } from './reader.js';
import type { KernelFile, Range } from './types.js';

let parser: KernelParser;
beforeAll(async () => {
  parser = await testParser();
});
const read = (text: string): KernelFile => readKernels(parser, text);
const readCase = async (path: string): Promise<KernelFile> => read(await readFile(`test/cases/${path}`, 'utf8'));
/** Line counted from 1 and column from 0, as the cases' READMEs do. */
const at = ({ start }: Range): string => `${start.line + 1}:${start.column}`;

describe('case 01: launch configurations', () => {
  it('finds exactly the five launches with their parts', async () => {
    const file = await readCase('01-launch-config-expressions/launches.cu');
    expect(
      file.kernels.map((k) => [k.name, k.nameRange.start.line + 1, k.templateParameters.map((t) => t.text)]),
    ).toEqual([
      ['axpy', 6, ['int K', 'typename T = float']],
      ['zero', 9, []],
    ]);
    expect(
      file.launches.map((l) => [
        l.range.start.line + 1,
        l.kernel,
        l.templateArguments,
        l.grid.text,
        l.block.text,
        l.shared?.text,
        l.stream?.text,
      ]),
    ).toEqual([
      [17, 'zero', undefined, 'CEIL(n, 256)', '256', '0', 's'],
      [18, 'axpy', '2', 'plan->blocks()', 'plan->threads', 'plan->smem(4)', 's'],
      [19, 'axpy', '(4 > 3), float', 'dim3{unsigned(std::min(n, 64)), 1, 1}', 'dim3(32, 1)', undefined, undefined],
      [20, 'axpy', '1 << 1', 'n > 1000 ? std::max(1, n >> 8) : 1', '64', undefined, undefined],
      [21, 'axpy', '1, float', '3', '(n >> 1) > 0 ? 96 : 32', undefined, undefined],
    ]);
    expect(file.launches.map((l) => l.arguments.map((a) => a.text))).toEqual([
      ['y', 'n'],
      ['y', 'x', '1.f', 'n'],
      ['y', 'x', '2.f', 'n'],
      ['y', 'x', '3.f', 'nested[0][0].first'],
      ['y', 'x', 'a', 'n'],
    ]);
    expect(file.launches.every((l) => l.inFunction === 'run')).toBe(true);
    expect(file.unread).toEqual([]);
  });
});

describe('case 03: attributes in every order', () => {
  it('finds ten kernels with their bounds as written', async () => {
    const file = await readCase('03-attribute-order/attributes.cu');
    expect(file.kernels.map((k) => [k.name, k.nameRange.start.line + 1, k.bounds])).toEqual([
      ['a1', 4, ['128']],
      ['a2', 5, ['MAX_T', '2']],
      ['a3', 6, ['64', '4', '2']],
      ['a4', 10, ['half_of(MAX_T)', '1']],
      ['a5', 12, ['N']],
      ['a6', 13, ['512']],
      ['a7', 14, ['32']],
      ['a8', 15, []],
      ['a9', 16, ['96']],
      ['a10', 17, []],
    ]);
    expect(file.kernels.map((k) => k.range.start.line + 1)).toEqual([4, 5, 6, 7, 11, 13, 14, 15, 16, 17]);
    expect(file.kernels[4]?.templateParameters.map((t) => t.text)).toEqual(['int N', 'bool Tail = false']);
    expect(file.hostFunctions.map((f) => f.name)).toEqual(['half_of', 'run']);
    expect(file.unread).toEqual([]);
  });
});

describe('case 05: kernels and launches made by macros', () => {
  it('never shows a macro as a kernel, and says which macros hide some', async () => {
    const file = await readCase('05-macro-kernels/macros.cu');
    for (const name of ['KERNEL', 'DEFINE_UNARY', 'name##_kernel']) {
      expect(file.kernels.map((k) => k.name)).not.toContain(name);
    }
    expect(file.kernels.map((k) => [k.name, k.nameRange.start.line + 1, k.bounds])).toEqual([
      ['twice', 10, ['64']],
      ['square_kernel', 14, []],
      ['cube_kernel', 15, []],
    ]);
    expect(file.kernels[1]?.parameters.map((p) => `${p.type} ${p.name}`)).toEqual([
      'float* y',
      'const float* x',
      'int n',
    ]);
    expect(file.launches).toEqual([]);
    expect(file.unread.map((u) => [u.range.start.line + 1, u.reason])).toEqual([
      [8, expect.stringContaining('GO hides a launch')],
      [9, expect.stringContaining('CONFIG hides a launch')],
    ]);
  });
});

describe('case 07: overloads and namespaces', () => {
  it('tells the four definitions apart', async () => {
    const file = await readCase('07-overloads-namespaces/overloads.cu');
    expect(file.kernels.map((k) => [k.signature, k.nameRange.start.line + 1])).toEqual([
      ['scale(double*,double,int)', 5],
      ['(anonymous)::scale(int*,int,int)', 8],
      ['outer::inner::scale<T,M,N>(T*,int)', 12],
      ['scale(float*,float,int)', 17],
    ]);
    // The defaults of the declaration on line 3.
    expect(file.kernels[3]?.parameters.map((p) => p.default)).toEqual([undefined, '2.0f', '1']);
    expect(file.hostFunctions.map((f) => [f.name, f.launches, f.calls, f.linkage])).toEqual([
      ['scale_host', [0], [], 'C++'],
      ['run', [1, 2, 3, 4], ['scale_host'], 'C'],
    ]);
    expect(file.launches[3]).toMatchObject({ kernel: 'outer::inner::scale', templateArguments: 'float' });
  });
});

describe('case 08: BOM, CRLF, emoji', () => {
  it('counts in UTF-16 units without the BOM', async () => {
    const file = await readCase('08-bom-crlf-utf8/grow.cu');
    const [first, second] = file.kernels;
    expect(first).toMatchObject({ name: 'größe', nameRange: { start: { line: 2, column: 27 }, end: { column: 32 } } });
    expect(first?.range).toMatchObject({ start: { line: 2, column: 11 }, end: { line: 2, column: 106 } });
    expect(second && at(second.nameRange)).toBe('4:16');
    expect(file.launches.map((l) => [at(l.range), at(l.configRange)])).toEqual([
      ['7:64', '7:69'],
      ['7:94', '7:99'],
    ]);
  });

  it('gives offsets into the very text, BOM included', async () => {
    const text = await readFile('test/cases/08-bom-crlf-utf8/grow.cu', 'utf8');
    const name = read(text).kernels[0]?.nameRange;
    expect(text.slice(name?.startIndex, name?.endIndex)).toBe('größe');
  });
});

describe('case 36: constants by place', () => {
  it('lists literals only where they initialise a constant', async () => {
    const file = await readCase('36-derived-constants/conv.cu');
    expect(file.constants.map((c) => [c.name, c.kind, c.value, at(c.literal.range), c.literal.text])).toEqual([
      ['block_size', 'constexpr', 128, '5:27', '128'],
      ['ITEMS', 'constexpr', 4, '6:32', '4'],
      ['TAPS', 'define', 5, '8:13', '5'],
      ['CHANNELS', 'define', 3, '10:17', '3'],
      ['STAGES', 'enum', 2, '11:16', '2'],
    ]);
  });
});

describe('launches', () => {
  const launch = (code: string) => read(`void f() { ${code} }`).launches[0];
  it.each([
    ['k<<<f<g<h<int>>>(n), 64>>>(x);', 'k', 'f<g<h<int>>>(n)', '64'],
    ['k <<< a , b >>> (x);', 'k', 'a', 'b'],
    ['a::b::k<<<1, 2>>>(x);', 'a::b::k', '1', '2'],
    ['a<b>::k<<<1, 2>>>(x);', 'a<b>::k', '1', '2'],
    ['::k<<<1, 2>>>(x);', '::k', '1', '2'],
    ['return k<<<1, 2>>>(x);', 'k', '1', '2'],
    ['(*fn)<<<1, 2>>>(x);', '(*fn)', '1', '2'],
    ['table[i]<<<1, 2>>>(x);', 'table[i]', '1', '2'],
    ['CHECK((k<<<dim3(1, 2), dim3{3, 4}>>>(x)));', 'k', 'dim3(1, 2)', 'dim3{3, 4}'],
    ['k<<</* grid */ 1, 2 // block\n>>>(x);', 'k', '1', '2'],
    ['k<<<a < b, c > d>>>(x);', 'k', 'a < b', 'c > d'],
    ['k<<<div<int, 4>(n), 2>>>(x);', 'k', 'div<int, 4>(n)', '2'],
    ['if (s == "<<<") k<<<1, 2>>>(x);', 'k', '1', '2'],
    ['k<\n 3\n><<<\n1,\n2\n>>>\n(x);', 'k', '1', '2'],
  ])('%j', (code, kernel, grid, block) => {
    const found = launch(code);
    expect([found?.kernel, found?.grid.text, found?.block.text, found?.arguments.length]).toEqual([
      kernel,
      grid,
      block,
      1,
    ]);
    expect(found?.inFunction).toBe('f');
  });

  it('sees none in comments, strings, raw strings, dead code and conflict marks', () => {
    const text = [
      '// k<<<1, 2>>>(x);',
      '/* k<<<1, 2>>>(x); */',
      'const char* s = "k<<<1, 2>>>(x);";',
      'const char* r = R"x(k<<<1, 2>>>(x); )" )x";',
      '#if 0',
      'void g() { k<<<1, 2>>>(x); }',
      '#endif',
      '<<<<<<< HEAD',
      '>>>>>>> other',
    ].join('\n');
    expect(read(text).launches).toEqual([]);
    expect(read(text).unread).toEqual([]);
  });

  it('says what it could not read', () => {
    expect(read('void f() { k<<<1, 2>>(x); }').unread[0]?.reason).toContain('no matching >>>');
    expect(read('void f() { k<<<CONFIG>>>(x); }').unread[0]?.reason).toContain('grid and block');
    expect(read('void f() { k<<<1, 2 }').unread[0]?.reason).toContain('no matching >>>');
  });
});

describe('kernels in difficult surroundings', () => {
  it('reads code that the grammar cannot', () => {
    const text = `
struct __align__(16) P { float v[4]; };
extern __shared__ __align__(16) unsigned char pool[];
template <typename F> void each(F f);
void host(float* p) {
  each([=] __device__ (int i) { p[i] = 1; });
  each([p] __host__ __device__ (int i) mutable -> float { return p[i]; });
}
__global__ void __cluster_dims__(2, 1, 1) good(__grid_constant__ const P p, float (*table)[4], int) {
#pragma unroll 4
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(table[i][j]));
}
class Runner { public: static void go(float* p) { good<<<1, 2>>>({}, nullptr, 3); } };`;
    const file = read(text);
    expect(file.kernels.map((k) => k.signature)).toEqual(['good(__grid_constant__ const P,float(*)[4],int)']);
    expect(file.kernels[0]?.parameters.map((p) => p.name)).toEqual(['p', 'table', '']);
    expect(file.hostFunctions.map((f) => [f.qualifiedName, f.launches])).toEqual([
      ['host', []],
      ['Runner::go', [0]],
    ]);
    expect(file.unread).toEqual([]);
  });

  it('reads both branches of a condition, and names what exclusive ones hide', () => {
    const both = '#if A\n__global__ void a() {}\n#else\n__global__ void b() {}\n#endif\n__global__ void c() {}';
    expect(read(both).kernels.map((k) => k.name)).toEqual(['a', 'b', 'c']);
    const split = '#if A\n__global__ void a(int n) {\n#else\n__global__ void b() {\n#endif\n}\n__global__ void c() {}';
    expect(read(split).kernels.map((k) => k.name)).toEqual(['a', 'c']);
    expect(read(split).unread[0]?.reason).toContain('#else');
  });

  it('knows qualifiers behind macros of the file', () => {
    const text =
      '#define HD __host__ __device__\n#define GLOBAL __global__ void\nHD float f(float x) { return x; }\nGLOBAL k(float* x) {}';
    const file = read(text);
    expect(file.kernels.map((k) => k.signature)).toEqual(['k(float*)']);
    expect(file.hostFunctions.map((h) => h.name)).toEqual(['f']);
    expect(file.unread).toEqual([]);
  });

  it('keeps what it can of broken code', () => {
    const text = `__global__ void first(float* x) { x[0] = 1; }
void broken( { if (x
__global__ void second(float* x, int n) { if (threadIdx.x < n) { x[0] = 1; }
__global__ void third(float* x) { x[0] = 1; }`;
    const file = read(text);
    const names = file.kernels.map((k) => k.name);
    expect(names).toContain('first');
    // Every __global__ is either a kernel or named as unread.
    expect(names.length + file.unread.length).toBeGreaterThanOrEqual(3);
  });
});

describe('any text', () => {
  const word = fc.constantFrom(
    ...'__global__ void k ( ) { } [ ] < > <<< >>> , ; :: template < typename T > float * x = 1 , 2 // /* */ " \' #if #else #endif #define K \n \\\n R"( )" __launch_bounds__ namespace extern "C" enum const int \uFEFF ü \u{1F680} struct return'.split(
      ' ',
    ),
  );
  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(word, { maxLength: 60 }).map((w) => w.join(' ')),
  );

  it('is read without a throw, with ranges that lie inside it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const file = read(text);
        const ranges = [
          ...file.kernels.flatMap((k) => [k.range, k.nameRange]),
          ...file.launches.flatMap((l) => [l.range, l.calleeRange, l.configRange, l.grid.range, l.block.range]),
          ...file.hostFunctions.map((f) => f.range),
          ...file.constants.map((c) => c.literal.range),
          ...file.unread.map((u) => u.range),
        ];
        for (const r of ranges) {
          expect(r.startIndex).toBeGreaterThanOrEqual(0);
          expect(r.endIndex).toBeGreaterThanOrEqual(r.startIndex);
          expect(r.endIndex).toBeLessThanOrEqual(text.length);
        }
        for (const k of file.kernels)
          expect(text.slice(k.nameRange.startIndex, k.nameRange.endIndex)).toContain(k.name);
        for (const c of file.constants) {
          expect(text.slice(c.literal.range.startIndex, c.literal.range.endIndex)).toBe(c.literal.text);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('reads a real file cut anywhere', async () => {
    const text = await readFile('test/cases/07-overloads-namespaces/overloads.cu', 'utf8');
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), (a, b) => {
        read(text.slice(0, a) + text.slice(b));
      }),
      { numRuns: 150 },
    );
  });
});
