import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verdictOf } from '../../test/support/verdict.js';
import { problemsOf, underline } from './problems.js';

const root = '/home/ada/ws';
const fallback = '/home/ada/ws/k/scale.cu';
const problems = (parts: Parameters<typeof verdictOf>[0]) => problemsOf(verdictOf(parts), root, fallback);

describe('problems of a verdict', () => {
  test('a compile error lies at its place, in whichever file of the task', () => {
    const diagnostics = [
      { file: 'k/scale.cu', line: 7, column: 3, severity: 'error', message: 'expected a ";"', code: '65' },
      { file: 'include/common.h', line: 1, severity: 'warning', message: 'unused' },
    ] as const;
    expect(problems({ status: 'compile_error', diagnostics: [...diagnostics] })).toMatchObject([
      { file: fallback, line: 6, column: 2, severity: 'error', code: '65', message: 'expected a ";"' },
      { file: '/home/ada/ws/include/common.h', line: 0, severity: 'warning', message: 'unused' },
    ]);
  });

  test('an error in a toolkit header shows where the own file leads to it, and names the true place', () => {
    const related = [
      { file: '/usr/include/cub/warp.cuh', line: 5, message: 'in here' },
      { file: 'k/scale.cu', line: 12, column: 5, message: 'detected during instantiation' },
    ];
    const diagnostic = {
      file: '/usr/include/cub/x.cuh',
      line: 88,
      severity: 'error',
      message: 'no match',
      related,
    } as const;
    const [problem] = problems({ status: 'compile_error', diagnostics: [diagnostic] });
    expect(problem).toMatchObject({ file: fallback, line: 11, column: 4 });
    expect(problem?.message).toContain('/usr/include/cub/x.cuh:88');
  });

  test('a place outside the job is shown on the first line of the source', () => {
    const diagnostic = { file: '../../etc/passwd', line: 3, severity: 'error', message: 'no' } as const;
    expect(problems({ diagnostics: [diagnostic] })).toMatchObject([{ file: fallback, line: 0 }]);
  });

  test('notes stand with their errors only', () => {
    expect(problems({ diagnostics: [{ file: 'k/scale.cu', line: 3, severity: 'note', message: 'here' }] })).toEqual([]);
  });

  test('what the CPU cannot do is a warning at its line with the remedy', () => {
    const unsupported = { construct: 'wmma::fragment', file: 'k/scale.cu', line: 4, cudaWouldDo: true };
    const [problem] = problems({ status: 'unsupported', unsupported });
    expect(problem).toMatchObject({ line: 3, severity: 'warning' });
    expect(problem?.message).toMatch(/wmma::fragment.*CUDA device/);
  });
});

describe('what is underlined', () => {
  test('the word at the column, a launch bracket whole, the line without indentation where there is no column', () => {
    expect(underline('  foo(bar)', 6)).toEqual({ start: 6, end: 9 });
    expect(underline('k<<<1, 2>>>();', 1)).toEqual({ start: 1, end: 4 });
    expect(underline('    return x;  ', undefined)).toEqual({ start: 4, end: 13 });
  });

  test('always lies within the line', () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.nat(300), { nil: undefined }), (line, column) => {
        const { start, end } = underline(line, column);
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThanOrEqual(start);
        expect(end).toBeLessThanOrEqual(line.length);
      }),
    );
  });
});
