// From a task's entry to the one call the trampoline makes.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { testParser } from '../../test/support/grammar.js';
import { checkCall } from '../kernel/call.js';
import type { KernelParser } from '../kernel/parser.js';
import { readKernels } from '../kernel/reader.js';
import { resolveCall } from './call.js';
import { requireTask, validateTask } from './parse.js';
import { TaskError } from './types.js';

let parser: KernelParser;
beforeAll(async () => {
  parser = await testParser();
});

/** Arguments as `const float* x` or, for outputs, `float* y`; the last word is the name. */
function callOf(source: string, entry: string, args: string[], scenario: Record<string, unknown> = {}): string {
  const list = args.map((text) => {
    const at = Math.max(text.lastIndexOf(' '), text.lastIndexOf('*')) + 1;
    const type = text.slice(0, at).trim();
    const buffer = type.endsWith('*') ? { shape: [4], ...(type.includes('const') ? {} : { role: 'output' }) } : {};
    return { name: text.slice(at), type, ...buffer };
  });
  const scenarios = [{ n: 4, a: 1, ...scenario }];
  const task = requireTask(validateTask({ source: 'a.cu', entry, arguments: list, scenarios }));
  return resolveCall(task, readKernels(parser, source));
}
function errorOf(...args: Parameters<typeof callOf>): string {
  try {
    callOf(...args);
  } catch (error) {
    if (error instanceof TaskError) return error.message;
    throw error;
  }
  return 'no error';
}

const k = '__global__ void k(float*) {}';
describe('resolveCall', () => {
  it.each([
    ['extern "C" void run(float* y, int n, cudaStream_t s) {}', 'run', ['float* y', 'int n'], 'run(y, n, stream)'],
    ['static void run(float* y, int n) {}', 'run', ['float* y', 'int n'], 'run(y, n)'],
    ['namespace a::b { void run(float* y) {} }', 'run', ['float* y'], 'a::b::run(y)'],
    ['namespace a { namespace { void run(float* y) {} } }', 'a::run', ['float* y'], 'a::run(y)'],
    ['void run(float* y, int n = 3, float eps = 1e-5f) {}', 'run', ['float* y'], 'run(y)'],
    ['void run(float* y, cudaStream_t s = 0) {}', 'run', ['float* y', 'cudaStream_t stream'], 'run(y, stream)'],
    ['template <typename T> void run(T* y, const T* x) {}', 'run', ['float* y', 'const float* x'], 'run(y, x)'],
    ['void scale(float* y, float scale) {}', 'scale', ['float* y', 'float scale'], '::scale(y, scale)'],
    ['void run(int64_t* y) {}', 'run', ['long long* y'], 'run(reinterpret_cast<int64_t*>(y))'],
    [
      'void run(const float4* x, float* y) {}',
      'run',
      ['const float* x', 'float* y'],
      'run(reinterpret_cast<const float4*>(x), y)',
    ],
    ['void run(void* y) {}', 'run', ['float* y'], 'run(y)'],
    ['void run(__half* y) {}', 'run', ['half* y'], 'run(y)'],
    ['void run(my_real* y) {}', 'run', ['float* y'], 'run(y)'],
  ])('%s', (source, entry, args, call) => {
    expect(callOf(`${k}\n${source}`, entry, args, { scale: 2 })).toBe(call);
  });

  it('takes template arguments from dtype variables where nothing deduces them', () => {
    const source = 'template <typename T> void run(void* y) {}';
    expect(callOf(source, 'run', ['float* y'], { T: 'half' })).toBe('run<T>(y)');
    expect(errorOf(source, 'run', ['float* y'])).toContain('give "call", for example "run<…>(y, stream)"');
    expect(errorOf('template <int N> void run(float* y) {}', 'run', ['float* y'])).toContain('N do not follow');
    expect(callOf('template <typename T> void run(T* y) {}', 'run', ['T* y'], { T: 'half' })).toBe('run(y)');
    const twice = 'template <typename T> void run(T* y, T a) {}';
    expect(errorOf(twice, 'run', ['float* y', 'int a'])).toContain('would take T as "float" and "int"');
  });

  it('chooses overloads by arity and type, or lists them', () => {
    const source = 'void run(float* y) {} void run(double* y) {} void run(float* y, int n) {}';
    expect(callOf(source, 'run', ['float* y'])).toBe('run(y)');
    expect(callOf(source, 'run', ['float* y', 'int n'])).toBe('run(y, n)');
    expect(callOf(source, 'run', ['T* y'], { T: 'double' })).toBe('run(y)');
    expect(errorOf(source, 'run', ['int* y'])).toContain('there are run(float*), run(double*), run(float*,int)');
    const split = 'namespace a { void run(float* y) {} } namespace b { void run(float* y) {} }';
    expect(errorOf(split, 'run', ['float* y'])).toContain(
      'fits several functions differently: a::run(float*), b::run(float*)',
    );
  });

  it('says what does not fit and where', () => {
    const source = `${k} void run(float* y, int n, cudaStream_t s) { k<<<1, 1, 0, s>>>(y); }`;
    expect(errorOf(source, 'runn', ['float* y'])).toBe(
      '$.entry: the sources have no host function "runn": did you mean "run"?',
    );
    expect(errorOf(source, 'launch', ['float* y'])).toContain('functions that launch: run');
    expect(errorOf(source, 'k', ['float* y'])).toContain('"k" is a kernel: use "kernel" with "launch"');
    expect(errorOf(source, 'run', ['float* y'])).toContain('$.arguments: lists 1, but');
    expect(errorOf(source, 'run', ['double* y', 'int n'])).toContain('$.arguments[0].type: "double*" does not fit');
    expect(errorOf(source, 'run', ['float* y', 'const float* n'])).toContain('$.arguments[1].type');
    const writes = 'void run(float* x, float* y) {}';
    expect(errorOf(writes, 'run', ['const float* x', 'float* y'])).toContain('"const float*" does not fit');
  });

  it('finds the entry of case 07', async () => {
    const source = await readFile('test/cases/07-overloads-namespaces/overloads.cu', 'utf8');
    expect(callOf(source, 'run', ['float* f', 'double* d', 'int* k', 'int n'])).toBe('run(f, d, k, n, stream)');
  });
});

describe('checkCall', () => {
  it.each([
    'run(x, y, n, stream)',
    'ns::attention<T>(q, k, o, {b, s, d}, stream)',
    '::run<float, (3 > 2)>(x)',
    'Runner{}.go(x)',
    'run(reinterpret_cast<float4*>(x), n * 2, "name")',
    'run(Params{n, 1.0f})',
  ])('accepts %s', (text) => {
    expect(checkCall(parser, text)).toBeUndefined();
  });

  it.each([
    'run(x); system("id")',
    'run(x), other(y)',
    'run(x) + other(y)',
    'int a = run(x)',
    'run(x)) ; } void g( {',
    '[&] { run(x); }()',
    'run(x) // hidden',
    'run(x)\n#include "/etc/passwd"\n',
    'k<<<1, 2>>>(x)',
    'x = run(y)',
    'return run(x)',
    'run(x',
    'throw run(x)',
    'run',
    '',
    '} static int z = run(x) {',
    'float(x) y(z)',
  ])('refuses %j', (text) => {
    expect(checkCall(parser, text)).toMatch(/^(must|has)/);
  });
});
