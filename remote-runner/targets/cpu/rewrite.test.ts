import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rewriteCuda } from './rewrite.js';

const lines = (text: string): number => text.split('\n').length;

describe('rewriteCuda', () => {
  it('turns a launch into a call in place', () => {
    expect(rewriteCuda('k<T, 4> <<< g , b >>> (x, y + 1);').text).toBe(
      '::ks_kernel([=](auto&& ks_0, auto&& ks_1) { k<T, 4> (ks_0, ks_1); }, KS_KERNEL(k<T, 4>)).ks_on( g , b ) (x, y + 1);',
    );
  });

  it('puts literals and braced lists into the lambda, where they keep their meaning', () => {
    expect(rewriteCuda('k<<<1, 2>>>(p, 0, {a,\n b}, nullptr, -1.5f);').text).toBe(
      '::ks_kernel_here([&](auto&& ks_0, auto, auto, auto, auto) { k(ks_0, 0, {a, b}, nullptr, -1.5f); }, KS_KERNEL(k)).ks_on(1, 2)(p, 0, ::ks_braced{}\n, nullptr, -1.5f);',
    );
  });

  it('passes packs on', () => {
    expect(rewriteCuda('k<<<1, 2>>>(0, a...);').text).toBe(
      '::ks_kernel([=](auto&&... ks_a) { k(ks_a...); }, KS_KERNEL(k)).ks_on(1, 2)(0, a...);',
    );
    expect(rewriteCuda('#define GO(k, ...) k##_kernel<<<1, \\\n 2>>>(__VA_ARGS__)\n').text).toBe(
      '#define GO(k, ...) ::ks_kernel([=](auto&&... ks_a) { k##_kernel(ks_a...); }, KS_KERNEL(k##_kernel)).ks_on(1, \\\n 2)(__VA_ARGS__)\n',
    );
  });

  it('names dynamic shared memory by label outside templates, by reference inside', () => {
    expect(rewriteCuda('extern __shared__ float s[];').text).toBe('KS_EXTERN_SHARED   float s[] KS_SHARED_LABEL;');
    expect(rewriteCuda('void f() { extern __shared__ int a[], b[][4]; }').text).toBe(
      'void f() { KS_EXTERN_SHARED   int a[] KS_SHARED_LABEL, b[][4] KS_SHARED_LABEL; }',
    );
    expect(rewriteCuda('template <class T> void f() { extern __shared__ __align__(16) T s[]; }').text).toBe(
      'template <class T> void f() {    T (&s)[] = *reinterpret_cast<T (*)[]>(::ks_dynamic_shared); }',
    );
  });

  it('says which launches it cannot follow', () => {
    expect(rewriteCuda('void f() {\n  k<<<1, 2>>>;\n}').problems).toMatchObject([{ line: 2 }]);
    expect(rewriteCuda('void f() {\n  k<<<1>>>(x);\n}').incomplete).toEqual([2]);
  });

  it('leaves comments, strings and code without CUDA alone', () => {
    const text =
      '// k<<<1, 2>>>(x)\nconst char* s = "k<<<1, 2>>>(x) __shared__ __noinline__";\n__attribute__((__noinline__)) int f();\n';
    expect(rewriteCuda(text).text).toBe(text);
  });

  const piece = fc.constantFrom(
    'k<<<1, 2>>>(a, 0)',
    'k<T>\n<<<g,\r\n b>>>(x, {1,\n2})',
    '<<<',
    '>>>',
    'extern __shared__ float s[];',
    'template <class T> void f() {',
    '}',
    '{',
    '(',
    ')',
    ';\n',
    '#define M(x) x<<<1, 2>>>(x)\n',
    '#define C <<<1, 2>>>\n',
    'k C(x);',
    '#if 0\n',
    '#else\n',
    '#endif\n',
    '__noinline__ ',
    '/* <<< */',
    '"<<<"',
    '\uFEFF',
    'ä',
  );
  it('never throws and never moves a line', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        const text = pieces.join('');
        expect(lines(rewriteCuda(text).text)).toBe(lines(text));
      }),
      { numRuns: 500 },
    );
  });
  it('changes nothing where there is nothing of CUDA', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/<<<|__shared__|__noinline__/.test(text));
        expect(rewriteCuda(text).text).toBe(text);
      }),
    );
  });
});
