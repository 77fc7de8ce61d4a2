// Which constants are tunables, and that a configuration edits their literals and nothing else.
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { testParser } from '../../test/support/grammar.js';
import { applyEdits } from './edits.js';
import type { KernelParser } from './parser.js';
import { readKernels } from './reader.js';
import { applyConfiguration, discoverTunables, type Tunable } from './tunables.js';

let parser: KernelParser;
beforeAll(async () => {
  parser = await testParser();
});
const discover = (text: string): Tunable[] => discoverTunables(readKernels(parser, text), text);
const names = (text: string): string[] => discover(text).map((t) => t.name);

describe('case 36: derived constants', () => {
  const path = 'test/cases/36-derived-constants/conv.cu';

  it('offers literals, never what follows from them', async () => {
    const found = discover(await readFile(path, 'utf8'));
    expect(found.map((t) => [t.name, t.constant.literal.range.start.line + 1, t.constant.value])).toEqual([
      ['block_size', 5, 128],
      ['ITEMS', 6, 4],
      ['TAPS', 8, 5],
      ['CHANNELS', 10, 3],
      ['STAGES', 11, 2],
    ]);
    expect(found[0]?.values).toEqual([32, 64, 128, 256, 512, 1024]);
    expect(found[1]?.values).toEqual([1, 2, 4, 8, 16]);
  });

  it('changes one token on line 5 and nothing on the lines that use the word otherwise', async () => {
    const text = await readFile(path, 'utf8');
    const lines = applyConfiguration(text, discover(text), { block_size: 256 }).split('\n');
    const before = text.split('\n');
    expect(lines[4]).toBe('constexpr int block_size = 256;');
    expect(lines.filter((line, i) => line !== before[i])).toEqual([lines[4]]);
  });
});

describe('discoverTunables', () => {
  it('follows names to block, shared memory, bounds, unrolling and loops', () => {
    const text = `
#define BLOCK 256
#define WARPS (BLOCK / 32)
const int TILE = 16, UNROLL = 4;
static const int UNUSED = 8;
constexpr int PAD = TILE + 1;
enum { STEP = 2, WIDTH = 8 };
template <int N> __global__ void __launch_bounds__(BLOCK) k(float* x, int n) {
  __shared__ float s[TILE][PAD];
  __shared__ float part[WARPS];
  #pragma unroll UNROLL
  for (int i = 0; i < n; i += STEP) x[i] = s[0][i] + part[0];
}
void run(float* x, int n) {
  int items = 4;
  dim3 block(BLOCK);
  k<WIDTH><<<(n + 255) / 256, block, items * sizeof(float)>>>(x, n);
}`;
    expect(names(text).sort()).toEqual(['BLOCK', 'STEP', 'TILE', 'UNROLL', 'WIDTH', 'items']);
  });

  it('takes divisors of the grid, not sizes, and nothing from main', () => {
    const text = `
#define N 4096
#define ROWS 8
#define GRID 64
__global__ void k(float* x) {}
__global__ void g(float* x) {}
void run(float* x) {
  const int threads = 128;
  dim3 grid((N + ROWS - 1) / ROWS, 2);
  k<<<grid, threads>>>(x);
  g<<<GRID, threads>>>(x);
}
int main() { int n = 512; k<<<n / 32, 32>>>(nullptr); }`;
    expect(names(text)).toEqual(['ROWS', 'GRID', 'threads']);
  });

  it('counts a variable of a launcher only while nothing writes it', () => {
    const launcher = (body: string) =>
      `__global__ void k() {}\nvoid run(int n) { int t = 256; ${body} k<<<n, t>>>(); }`;
    expect(names(launcher(''))).toEqual(['t']);
    for (const write of ['t = 3;', 't /= 2;', '++t;', 't--;', 'choose(&t);'])
      expect(names(launcher(write))).toEqual([]);
  });

  it('names constants of one name after their functions, and leaves out contradicting defines', () => {
    const text = `
__global__ void k() {}
void a() { const int t = 64; k<<<1, t>>>(); }
void b() { const int t = 128; k<<<1, t>>>(); }
#ifdef BIG
#define W 512
#else
#define W 256
#endif
void c() { k<<<1, W>>>(); }`;
    expect(names(text)).toEqual(['a.t', 'b.t']);
    const edited = applyConfiguration(text, discover(text), { 'b.t': 32 });
    expect(edited).toBe(text.replace('t = 128', 't = 32'));
  });

  it('keeps thread counts within a block', () => {
    const text = '#define T 1024\n__global__ void k() {}\nvoid run() { k<<<1, T>>>(); }';
    expect(discover(text)[0]?.values).toEqual([256, 512, 1024]);
  });
});

describe('applyConfiguration', () => {
  const text =
    '\uFEFF#define BLOCK 256u // 256\r\nconstexpr int ITEMS{4}; /* 4 */\r\n__global__ void k() { for (int i = 0; i < ITEMS; ++i); }\r\nvoid run() { k<<<1, BLOCK>>>(); }\r\n';

  it('keeps suffixes, BOM, CRLF and comments', () => {
    const edited = applyConfiguration(text, discover(text), { BLOCK: 64, ITEMS: 8 });
    expect(edited).toBe(text.replace('256u', '64u').replace('{4}', '{8}'));
  });

  it('gives the identical text for the configuration the text has', () => {
    fc.assert(
      fc.property(fc.subarray(discover(text)), (some) => {
        const values = Object.fromEntries(some.map((t) => [t.name, t.constant.value]));
        expect(applyConfiguration(text, discover(text), values)).toBe(text);
      }),
    );
  });

  it('is undone by the configuration it came from', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 9999 }), (a, b) => {
        const edited = applyConfiguration(text, discover(text), { BLOCK: a, ITEMS: b });
        const tunables = readKernels(parser, edited).constants.map((c) => ({ name: c.name, constant: c, values: [] }));
        expect(tunables.map((t) => t.constant.value)).toEqual([a, b]);
        expect(applyConfiguration(edited, tunables, { BLOCK: 256, ITEMS: 4 })).toBe(text);
      }),
    );
  });

  it('refuses unknown names and fractions', () => {
    expect(() => applyConfiguration(text, discover(text), { OTHER: 1 })).toThrow('no tunable OTHER');
    expect(() => applyConfiguration(text, discover(text), { BLOCK: 1.5 })).toThrow('not a whole number');
  });
});

it('refuses edits that overlap or lie outside', () => {
  expect(applyEdits('abc', [{ startIndex: 1, endIndex: 2, text: 'XY' }])).toBe('aXYc');
  const edit = (startIndex: number, endIndex: number) => ({ startIndex, endIndex, text: '' });
  expect(() => applyEdits('abc', [edit(0, 2), edit(1, 3)])).toThrow(RangeError);
  expect(() => applyEdits('abc', [edit(2, 4)])).toThrow(RangeError);
});
