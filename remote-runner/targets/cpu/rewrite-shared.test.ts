import { expect, it } from 'vitest';
import { rewriteCuda } from './rewrite.js';

it('puts an alignas behind __shared__ where C++ allows it, and drops it from dynamic shared memory', () => {
  const rewritten = (text: string): string => rewriteCuda(text).text;
  expect(rewritten('void f() { __shared__ alignas(16) float t[4]; }')).toBe(
    'void f() { alignas(16) __shared__  float t[4]; }',
  );
  expect(rewritten('void f() { static __shared__ alignas(uint4) char t[4]; }')).toBe(
    'void f() { alignas(uint4) static __shared__  char t[4]; }',
  );
  expect(rewritten('void f() { __shared__ struct alignas(8) { int a; } t; }')).toContain('struct alignas(8)');
  expect(rewritten('extern __shared__ alignas(128) char t[];')).toBe('KS_EXTERN_SHARED    char t[] KS_SHARED_LABEL;');
});
