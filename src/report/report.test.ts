// What the terminal shows: nothing hostile gets through, every ratio says what it is over, CPU times are labelled.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibration as calibrationSchema, type Verdict } from '../../remote-runner/protocol.js';
import { verdictOf } from '../../test/support/verdict.js';
import { diffLines } from './diff.js';
import { calibrationHint } from './original.js';
import { duration, interval, milliseconds, times } from './numbers.js';
import { noPaint, paintFor } from './paint.js';
import { plainJson, plainLine, plainText } from './plain.js';
import { table } from './table.js';
import { verdictLines } from './terminal.js';

const cpu = { kind: 'cpu', id: 'cpu', name: 'CPU emulation, 2 cores', compiler: 'g++ 13.3' } as const;
const gpu = { kind: 'cuda', id: 'GPU-1', name: 'NVIDIA H200', arch: 'sm_90a', compiler: 'nvcc 13.0' } as const;

function verdict(parts: Partial<Verdict>): Verdict {
  const message = 'all 1 scenarios agree with the original';
  return verdictOf({ message, target: gpu, phases: { build: 870, check: 120 }, ...parts });
}

const timed: Verdict['scenarios'][number] = {
  id: 'n=4096',
  status: 'correct',
  outputs: [],
  timing: {
    candidateMs: 0.0123,
    baselineMs: 0.0246,
    speedup: { value: 2, low: 1.9, high: 2.1 },
    pairs: 40,
    processes: 1,
  },
};

describe('plain text', () => {
  test('no control character, escape sequence or direction mark survives, whatever comes in', () => {
    const pieces = fc.constantFrom(
      '\u001b[31m',
      '\u001b]0;title\u0007',
      '\u009b2J',
      '\u202e',
      '\r',
      '\u0000',
      '\u001b',
    );
    const text = fc.array(fc.oneof(fc.string({ unit: 'binary' }), pieces)).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (input) => {
        expect(plainText(input)).not.toMatch(/[^\P{Cc}\n\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cs}/u);
        expect(plainLine(input)).not.toMatch(/\p{Cc}|\p{Zl}|\p{Zp}/u);
        expect(plainJson(input)).not.toMatch(/\p{Cc}/u);
        expect(JSON.parse(plainJson(input))).toBe(input);
      }),
    );
  });

  test('ordinary text stays as it is', () => {
    expect(plainText('int a; // größer\n\tµs × 2')).toBe('int a; // größer\n\tµs × 2');
    expect(plainText('a\r\nb\rc')).toBe('a\nb\nc');
    expect(plainLine('x'.repeat(10), 5)).toBe('xxxx…');
  });
});

test('colours only on a terminal, unless the environment says otherwise', () => {
  const red = (isTTY: boolean, env: Record<string, string>) => paintFor({ isTTY }, env)('red', 'x') !== 'x';
  expect(red(true, {})).toBe(true);
  expect(red(false, {})).toBe(false);
  expect(red(true, { NO_COLOR: '1' })).toBe(false);
  expect(red(true, { NO_COLOR: '' })).toBe(true);
  expect(red(false, { FORCE_COLOR: '1' })).toBe(true);
  expect(red(true, { FORCE_COLOR: '0' })).toBe(false);
  expect(red(true, { TERM: 'dumb' })).toBe(false);
});

test('numbers as a person reads them', () => {
  expect([0, 0.00001234, 0.0123, 1.234, 12.34, 412.4].map(milliseconds)).toEqual([
    '0',
    '0.000012',
    '0.0123',
    '1.23',
    '12.3',
    '412',
  ]);
  expect([1.004, 0.5, 12.345].map(times)).toEqual(['1.004×', '0.50×', '12.35×']);
  expect(interval({ value: 1.234, low: 1.2, high: 1.26 })).toBe('1.23× [1.20, 1.26]');
  expect(interval({ value: 1.004, low: 0.998, high: 1.01 })).toBe('1.004× [0.998, 1.010]');
  expect([400, 9940, 9960, 59_600, 185_000, 7_800_000, 360_000_000].map(duration)).toEqual([
    '0.4 s',
    '9.9 s',
    '10 s',
    '1 min',
    '3 min 5 s',
    '2 h 10 min',
    '4 d 4 h',
  ]);
});

test('a table aligns and measures text without its paint', () => {
  const lines = table(
    [{ title: 'a' }, { title: 'b', align: 'right' }],
    [
      ['long', '1'],
      ['x', '10'],
    ],
    (text, _row, column) => (column === 0 ? `<${text}>` : text),
  );
  expect(lines).toEqual(['a      b', '<long>   1', '<x>     10']);
});

describe('a verdict', () => {
  test('with times: table, geometric mean, what it is over, how sure', () => {
    const lines = verdictLines(
      verdict({
        scenarios: [timed],
        speedup: { value: 2, low: 1.9, high: 2.1, confidence: 0.99, over: 'original' },
        mode: 'confirm',
        faster: true,
      }),
      noPaint,
    ).join('\n');
    expect(lines).toContain('✓ correct  all 1 scenarios agree');
    expect(lines).toContain('on NVIDIA H200, sm_90a, nvcc 13.0');
    expect(lines).toMatch(/n=4096 +0\.0123 +0\.0246 +2\.00× \[1\.90, 2\.10\] +40/);
    expect(lines).toContain('geometric mean 2.00× [1.90, 2.10] over original, 99 % interval, confirmed: faster');
    expect(lines).toContain('build 0.9 s · check 0.1 s');
    expect(lines).not.toContain('not GPU speed');
  });

  test('of the CPU target labels every place that shows a time or a ratio', () => {
    const lines = verdictLines(
      verdict({
        target: cpu,
        emulated: true,
        scenarios: [timed],
        speedup: { value: 2, low: 1.9, high: 2.1, confidence: 0.95, over: 'original' },
      }),
      noPaint,
    );
    const labelled = lines.filter((line) => line.includes('CPU emulation: not GPU speed'));
    expect(labelled.map((line) => line.split(' ').find((word) => word !== ''))).toEqual([
      'on',
      'scenario',
      'geometric',
    ]);
    expect(lines.join()).not.toMatch(/FLOP/i);
  });

  test('of the original itself speaks of noise, not of a speedup', () => {
    const same = { candidateSha256: 'a', originalSha256: 'a', flags: [], compiler: 'c', seed: '1', startedAt: 'now' };
    const speedup = { value: 1.16, low: 0.88, high: 1.37, confidence: 0.95, over: 'original' } as const;
    const own = verdict({ scenarios: [timed], speedup, provenance: same });
    const lines = verdictLines(own, noPaint).join('\n');
    expect(lines).toContain(
      'the original against itself: geometric mean 1.16× [0.88, 1.37], 95 % interval: the noise of this machine',
    );
    expect(lines).toMatch(/^scenario +original ms +original again ms +ratio to itself \[low, high\] +pairs$/m);
    expect(lines).not.toMatch(/over original|speedup|candidate/);
    const other = verdict({ scenarios: [timed], speedup, provenance: { ...same, candidateSha256: 'b' } });
    expect(verdictLines(other, noPaint).join('\n')).toContain('1.16× [0.88, 1.37] over original');
  });

  test('of an original that writes out of bounds looks for the fault in the task; of a candidate it does not', () => {
    const of = (candidateSha256: string) => ({
      status: 'finding' as const,
      message: 'a write out of bounds, right after the end of out',
      findings: [{ code: 'out_of_bounds_write', message: 'a write out of bounds, right after the end of out' }],
      provenance: { candidateSha256, originalSha256: 'a', flags: [], compiler: 'c', seed: '1', startedAt: 'now' },
    });
    expect(verdictLines(verdict(of('a')), noPaint)[1]).toMatch(/the original itself.*\$\.arguments.*may be too small/);
    expect(verdictLines(verdict(of('b')), noPaint).join('\n')).not.toContain('too small');
    const warned = { ...of('b'), warnings: ['of the original itself: scenario n=1: a write out of bounds'] };
    expect(verdictLines(verdict(warned), noPaint)[1]).toMatch(/the original itself.*too small/);
    const calibration = calibrationSchema.parse({
      ...of('a'),
      target: gpu,
      emulated: false,
      outputs: [],
      diagnostics: [],
    });
    expect(calibrationHint(calibration)).toMatch(/may be too small/);
    expect(calibrationHint({ ...calibration, status: 'correct' })).toBeUndefined();
  });

  test('of a faulty task lists each fault on its line', () => {
    const message = '$.scenaros: unknown name "scenaros"\n$.scenarios: is missing';
    expect(verdictLines(verdict({ status: 'task_error', message }), noPaint).slice(0, 2)).toEqual([
      '✗ task_error  $.scenaros: unknown name "scenaros"',
      '  $.scenarios: is missing',
    ]);
  });

  test('of a wrong candidate shows index, expected and got, infinities included', () => {
    const output = {
      name: 'y',
      elements: 200,
      mismatches: 133,
      maxAbs: 'inf',
      maxRel: 'nan',
      rtol: 1e-5,
      atol: 1e-8,
      first: [{ index: 1, expected: 'inf', got: '-inf' }],
    } as const;
    const lines = verdictLines(
      verdict({
        status: 'wrong',
        message: 'y differs',
        scenarios: [{ id: 'n=200', status: 'wrong', outputs: [{ ...output, first: [...output.first] }] }],
        output: 'loud\n'.repeat(50),
      }),
      noPaint,
    );
    expect(lines).toContain('    index 1: expected inf, got -inf');
    expect(lines).toContain(
      '  y: 133 of 200 elements differ (rtol 0.00001, atol 1e-8), largest |difference| inf, relative nan',
    );
    expect(lines.filter((line) => line.includes('loud'))).toHaveLength(20);
  });

  test('that is hostile everywhere cannot reach the terminal', () => {
    const evil = '\u001b]52;c;aGk=\u0007\u202e\u009b2Jx';
    const lines = verdictLines(
      verdict({
        status: 'compile_error',
        message: evil,
        target: { ...gpu, name: evil, compiler: evil },
        scenarios: [{ ...timed, id: evil, status: 'crash', message: evil }],
        diagnostics: [
          {
            severity: 'error',
            file: evil,
            line: 3,
            column: 1,
            message: evil,
            related: [{ file: evil, line: 1, message: evil }],
          },
        ],
        resources: [{ entry: evil, name: evil, arch: evil, registers: 1 }],
        findings: [{ code: evil, message: evil, file: evil, line: 1 }],
        warnings: [evil],
        unsupported: { construct: evil, file: evil, line: 1, cudaWouldDo: true },
        output: evil,
        phases: { [evil]: 1 },
      }),
      noPaint,
    );
    expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(lines).toContain('x:3:1: error: x');
  });
});

test('a diff shows what changed, painted and plain, and nothing for equal sources', () => {
  const before = [{ path: 'a.cu', text: '#define BLOCK 128\nint x;\n' }];
  const after = [{ path: 'a.cu', text: '#define BLOCK 256\u001b[2J\nint x;\n' }];
  expect(diffLines(before, after, noPaint)).toEqual([
    '--- a/a.cu',
    '+++ b/a.cu',
    '@@ -1,2 +1,2 @@',
    '-#define BLOCK 128',
    '+#define BLOCK 256',
    ' int x;',
  ]);
  expect(diffLines(before, before, noPaint)).toEqual([]);
  expect(diffLines(before, after, (style, text) => `${style}:${text}`)).toContain('green:+#define BLOCK 256');
});
