import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDetails } from './ncu-details.js';
import { readNcuMessages } from './ncu-messages.js';
import { counter, readLineSource, readSassSource } from './ncu-source.js';

const root = path.resolve(__dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, 'test', file), 'utf8');
const fixture = (file: string): string => read(`fixtures/nvidia/${file}`);

describe('ncu --page details', () => {
  const launches = readDetails(fixture('details.csv'));

  it('gives the metrics of the sections in base units, though rows are shorter than their header', () => {
    expect(launches.map((l) => l.kernel.base)).toEqual(['softmax_block_per_row', 'matmul_tiled', 'spilling']);
    const of = (name: string): unknown => launches[0]!.metrics.find((m) => m.name === name)?.quantity;
    expect(of('Duration')).toEqual({ value: 40.54e-6, unit: 's' });
    expect(of('Elapsed Cycles')).toEqual({ value: 78_844, unit: 'cycle' });
    expect(of('DRAM Throughput')).toEqual({ value: 57.94, unit: '%' });
  });

  it('gives the rules with type, text and estimated speedup', () => {
    const { rules } = launches[0]!;
    expect(rules).toContainEqual(
      expect.objectContaining({ name: 'CPIStall', type: 'OPT', speedup: { scope: 'local', percent: 39.51 } }),
    );
    const information = rules.find((r) => r.name === 'SOLBottleneck');
    expect(information?.text).toContain('well-balanced');
    expect(information).not.toHaveProperty('speedup');
  });

  it('never throws on what was cut or changed', () => {
    const whole = fixture('details.csv').slice(0, 20_000);
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(200), fc.string(), (at, cut, other) => {
        for (const { metrics } of readDetails(whole.slice(0, at) + other + whole.slice(at + cut)))
          for (const { quantity } of metrics) expect(Number.isFinite(quantity.value)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

describe('ncu --page source', () => {
  const lines = readLineSource(fixture('source-cuda-sass.csv'));
  const [sass] = readSassSource(fixture('source-sass.csv'));

  it('gives lines by file, also of headers that were inlined', () => {
    expect(lines.map((t) => [t.file, t.kernel.base])).toEqual([
      ['/build/kernels/softmax.cu', 'softmax_block_per_row'],
      ['/usr/local/cuda/targets/x86_64-linux/include/sm_30_intrinsics.hpp', 'softmax_block_per_row'],
    ]);
    const first = lines[0]!.lines[0]!;
    expect(first.line).toBe(17);
    expect(counter(lines[0]!, first, '# Samples')).toBe(32);
    expect(first.instructions.map((i) => [i.offset, i.sass])).toEqual([[0, 'LDC R1, c[0x0][0x28]']]);
  });

  it('adds up: the lines of the file that calls have all samples, those of a header some of them once more', () => {
    const sum = (values: (number | undefined)[]): number => values.reduce<number>((a, b) => a + (b ?? 0), 0);
    for (const name of ['# Samples', 'Warp Stall Sampling (Not-issued Samples)', 'stall_long_sb']) {
      const [ofLines, ofHeader] = lines.map((t) => sum(t.lines.map((l) => counter(t, l, name))));
      const ofSass = sum(sass!.instructions.map((i) => counter(sass!, i, name)));
      expect([name, ofLines]).toEqual([name, ofSass]);
      expect(ofSass).toBeGreaterThan(0);
      expect(ofHeader).toBeLessThan(ofSass);
    }
  });

  it('gives every instruction at its offset, with what memory it touches', () => {
    expect(sass!.instructions).toHaveLength(600);
    sass!.instructions.forEach((instruction, i) => expect(instruction.offset).toBe(16 * i));
    const loads = sass!.instructions.filter(
      (i) => i.operation?.startsWith('Load') && i.addressSpace?.includes('Global'),
    );
    expect(loads.length).toBeGreaterThan(0);
    expect(loads.every((i) => i.sass.includes('LDG'))).toBe(true);
    const texts = new Map(sass!.instructions.map((i) => [i.offset, i.sass]));
    for (const { lines: rows } of lines)
      for (const { instructions } of rows) for (const i of instructions) expect(texts.get(i.offset)).toBe(i.sass);
  });

  it('never throws on what was cut or changed', () => {
    const whole = fixture('source-cuda-sass.csv').slice(0, 9000);
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(300), fc.string(), (at, cut, other) => {
        const text = whole.slice(0, at) + other + whole.slice(at + cut);
        readSassSource(text);
        for (const { lines: rows } of readLineSource(text))
          for (const { values } of rows)
            for (const v of values) expect(v === undefined || Number.isFinite(v)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

describe('what ncu says', () => {
  it('of a run that went well', () => {
    const said = readNcuMessages(fixture('ncu-stdout.txt'));
    expect(said.profiled).toEqual([
      { kernel: 'softmax_block_per_row', passes: 38 },
      { kernel: 'matmul_tiled', passes: 38 },
      { kernel: 'spilling', passes: 38 },
    ]);
    expect(said.missingMetrics).toHaveLength(6);
    expect(said).toMatchObject({ clocksUnmodified: true, troubles: [] });
  });

  it.each([
    [
      'fixtures/nvidia/ncu-no-kernel-matched.txt',
      { kind: 'no-match', available: ['matmul_tiled', 'softmax_block_per_row', 'spilling'] },
    ],
    ['fixtures/nvidia/ncu-no-target.txt', { kind: 'no-program', path: './nonexistent' }],
    ['cases/21-ncu-not-permitted/no-permission.txt', { kind: 'not-permitted', device: 1 }],
    ['cases/21-ncu-not-permitted/failed-to-prepare.txt', { kind: 'failed-kernel', kernel: 'gather_rows' }],
  ])('%s: the cause alone', (file, trouble) => {
    const said = readNcuMessages(read(file));
    expect(said.troubles).toEqual([trouble]);
    expect(said.profiled).toEqual([]);
  });

  it('never takes a line of the application for one of the profiler', () => {
    fc.assert(
      fc.property(fc.array(fc.string().filter((s) => !/^==|[\r\n]/.test(s))), (output) => {
        expect(readNcuMessages(output.join('\n'))).toEqual(readNcuMessages(''));
      }),
    );
  });
});
