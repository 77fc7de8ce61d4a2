import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKernel, readDemangled } from './demangled.js';

describe('demangled kernel names', () => {
  it.each([
    ['softmax(const float *, float *, int)', 'softmax', [], undefined],
    ['void scale<float, (int)4>(const T1 *, T1 *)', 'scale', [], 'float, (int)4'],
    ['void a::b<int>::run<(bool)1>(int *)', 'run', ['a', 'b'], '(bool)1'],
    ['<unnamed>::fill(float *)', 'fill', ['<unnamed>'], undefined],
    ['(anonymous namespace)::fill(float *)', 'fill', ['(anonymous namespace)'], undefined],
    [
      'void apply<run(float *, int)::[lambda(float) (instance 1)]>(float *, T1)',
      'apply',
      [],
      'run(float *, int)::[lambda(float) (instance 1)]',
    ],
    ['plain', 'plain', [], undefined],
    ['unsigned int count(void (*)(int))', 'count', [], undefined],
  ])('%s', (text, base, scope, templateArguments) => {
    expect(readDemangled(text)).toEqual({
      text,
      base,
      scope,
      ...(templateArguments !== undefined && { templateArguments }),
    });
  });

  it('compares template arguments without the casts that the printer adds', () => {
    expect(isKernel(readDemangled('void tile<float, (int)32>(T1 *)'), 'tile<float, 32>')).toBe(true);
    expect(isKernel(readDemangled('void tile<float, (int)32>(T1 *)'), '::tile<float,16>')).toBe(false);
  });

  it('never throws, and keeps the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab::<>()[],* "'.split('')) }), (text) => {
        expect(readDemangled(text).text).toBe(text);
      }),
    );
  });
});
