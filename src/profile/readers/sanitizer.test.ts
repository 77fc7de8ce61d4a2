import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSanitizer } from './sanitizer.js';

const root = path.resolve(__dirname, '../../..');
const real = (tool: string): string =>
  readFileSync(path.join(root, 'test/fixtures/nvidia', `sanitizer-${tool}.txt`), 'utf8');
const written = (name: string): string =>
  readFileSync(path.join(root, 'test/cases/22-sanitizer-summaries', `${name}.txt`), 'utf8');

describe('recorded on a device', () => {
  test('memcheck: equal accesses are one record, at its line, beside the failed API calls', () => {
    const output = readSanitizer(real('memcheck'));
    expect(output).toMatchObject({ state: 'found', errors: 32, warnings: 0 });
    const [first, ...rest] = output.records;
    expect(first).toMatchObject({
      kind: 'out_of_bounds',
      severity: 'error',
      text: 'Invalid __global__ write of size 4 bytes',
      place: { function: 'oob(float *, int)', offset: '0x90', file: 'oob.cu', line: 3 },
      count: 28,
    });
    expect(first?.details.slice(0, 2)).toEqual([
      'by thread (100,0,0) in block (0,0,0)',
      'Access to 0x7f65b0800190 is out of bounds',
    ]);
    expect(rest.map((r) => r.kind)).toEqual(rest.map(() => 'api'));
  });

  test('racecheck: both places and the number of hazards', () => {
    const output = readSanitizer(real('racecheck'));
    expect(output).toMatchObject({ state: 'found', errors: 1, warnings: 0 });
    expect(output.records).toEqual([
      {
        kind: 'race',
        severity: 'error',
        text: 'Error: Race reported between Write access at race(int *)+0xa0 in oob.cu:4',
        place: { function: 'race(int *)', offset: '0xa0', file: 'oob.cu', line: 4 },
        access: 'write',
        other: { function: 'race(int *)', offset: '0xb0', file: 'oob.cu', line: 4, access: 'read' },
        details: [],
        count: 256,
      },
    ]);
  });

  test.each(['initcheck', 'synccheck'])('%s: clean', (tool) => {
    expect(readSanitizer(real(tool))).toEqual({ state: 'clean', records: [], errors: 0, warnings: 0 });
  });
});

describe('none of these passes for clean', () => {
  test.each([
    ['race-clean', 'clean', 0, 0],
    ['race-one-hazard', 'found', 1, 0],
    ['race-warnings-only', 'found', 0, 1],
    ['no-summary', 'incomplete', 0, 0],
    ['empty', 'incomplete', 0, 0],
    ['target-died', 'incomplete', 0, 0],
    ['bad-option', 'refused', 0, 0],
    ['leaks', 'found', 1, 0],
  ])('%s: %s', (name, state, errors, warnings) => {
    const output = readSanitizer(written(name));
    expect(output).toMatchObject({ state, errors, warnings });
    expect(output.reason === undefined).toBe(state === 'clean' || state === 'found');
  });

  test('places and weights of what is found', () => {
    expect(readSanitizer(written('race-one-hazard')).records).toMatchObject([
      {
        severity: 'error',
        access: 'write',
        place: { function: 'tile_sum(const float *, float *, int)', offset: '0x1b0', file: 'tile.cu', line: 17 },
        other: { access: 'read', offset: '0x240', file: 'tile.cu', line: 21 },
        count: 992,
      },
    ]);
    expect(readSanitizer(written('race-warnings-only')).records).toMatchObject([{ severity: 'warning', count: 4 }]);
    const [leak] = readSanitizer(written('leaks')).records;
    expect(leak).toMatchObject({ kind: 'leak', text: 'Leaked 4,096 bytes at 0x7f2a40000000' });
    expect(leak?.place).toBeUndefined();
  });

  test('a run that was cut off', () => {
    const text = real('memcheck');
    expect(readSanitizer(text.slice(0, text.indexOf('========= ERROR SUMMARY'))).state).toBe('incomplete');
    expect(readSanitizer('Segmentation fault\n').state).toBe('refused');
  });
});

test.each([
  ['Invalid __global__ read of size 16 bytes', 'Access to 0x7f65b0800194 is misaligned', 'misaligned'],
  ['Invalid __shared__ write of size 4 bytes', 'Access to 0x400 is out of bounds', 'out_of_bounds'],
  ['Uninitialized __global__ memory read of size 4 bytes', 'Address 0x7f3c7ec000fc', 'uninitialized'],
  ['Barrier error detected. Divergent thread(s) in block.', '', 'barrier'],
])('%s, %s: %s', (head, detail, kind) => {
  const text =
    `========= COMPUTE-SANITIZER\n========= ${head}\n` +
    '=========     at k(int *)+0x70 in /home/someone/my kernels/k.cu:41\n=========     by thread (31,0,0) in block (1,0,0)\n' +
    `${detail ? `=========     ${detail}\n` : ''}========= \n========= ERROR SUMMARY: 1 error\n`;
  expect(readSanitizer(text)).toMatchObject({
    state: 'found',
    records: [{ kind, place: { function: 'k(int *)', file: '/home/someone/my kernels/k.cu', line: 41 } }],
  });
});
