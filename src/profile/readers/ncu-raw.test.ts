import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isKernel } from './demangled.js';
import { readRaw } from './ncu-raw.js';

const root = path.resolve(__dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, 'test', file), 'utf8');

describe('ncu --page raw', () => {
  const printed = readRaw(read('fixtures/nvidia/raw.csv'));
  const base = readRaw(read('fixtures/nvidia/raw-base-units.csv'));

  it('gives every launch with what identifies it', () => {
    expect(printed.map((l) => [l.id, l.kernel.base, l.grid, l.block, l.device])).toEqual([
      [0, 'softmax_block_per_row', [4096, 1, 1], [256, 1, 1], 0],
      [1, 'matmul_tiled', [64, 64, 1], [32, 32, 1], 0],
      [2, 'spilling', [1024, 1, 1], [1024, 1, 1], 0],
    ]);
    expect(printed[1]!.kernel.templateArguments).toBe('32');
    expect(printed[0]!.texts.get('device__attribute_display_name')).toBe('NVIDIA H200');
  });

  it('means the same in printed and in base units, to the digits that were printed', () => {
    let compared = 0;
    printed.forEach((launch, i) => {
      for (const [name, { value, unit }] of launch.metrics) {
        const other = base[i]!.metrics.get(name);
        if (!other) continue;
        expect([name, unit]).toEqual([name, other.unit]);
        // Two digits behind the point are printed.
        const scale = value === 0 ? 1 : Math.abs(other.value / value);
        if (Math.abs(value) > 1) expect(scale, name).toBeCloseTo(1, 1);
        compared += 1;
      }
    });
    expect(compared).toBeGreaterThan(3000);
  });

  it('keeps what it does not know, and gives no number where there is none', () => {
    expect(printed[0]!.metrics.size).toBeGreaterThan(1000);
    expect(printed[0]!.metrics.has('derived_tempMetric4')).toBe(false);
    for (const { metrics } of printed)
      for (const { value } of metrics.values()) expect(Number.isFinite(value)).toBe(true);
  });

  it('takes units from the second row, tells launches and devices apart, and leaves out what is missing', () => {
    const launches = readRaw(read('cases/17-ncu-units-row/raw.csv'));
    const value = (name: string): (number | undefined)[] => launches.map((l) => l.metrics.get(name)?.value);
    expect(launches.map((l) => [l.id, l.device, l.stream])).toEqual([
      [0, 0, 7],
      [1, 0, 7],
      [2, 1, 13],
    ]);
    expect(value('gpu__time_duration.sum')).toEqual([40.544e-6, 2.304e-6, 1856.192e-6]);
    expect(value('dram__bytes_read.sum')).toEqual([67_524_608, 131_072, 499_272_448]);
    expect(value('sass__inst_executed_register_spilling')).toEqual([0, 0, 36_405_248]);
    expect(value('sass__inst_executed_register_spilling_mem_shared')).toEqual([undefined, undefined, undefined]);
    expect(value('derived_tempMetric1')).toEqual([undefined, undefined, undefined]);
    expect(value('smsp__inst_executed.sum')).toEqual([1_234_567, 2408, 98_765_432]);
    expect(value('smsp__cycles_active.avg')).toEqual([70_688.840909, 3611.5, 3_611_665.3]);
    expect(value('lts__average_gcomp_input_sector_success_rate.pct')).toEqual([undefined, undefined, 0]);
    expect(launches[0]!.metrics.get('dram__bytes_read.sum')?.unit).toBe('byte');
  });

  it('finds a kernel by its own name, not by a word in a template argument', () => {
    const launches = readRaw(read('cases/19-ncu-kernel-name-match/raw.csv'));
    expect(launches.map((l) => l.kernel.base)).toEqual(
      'dispatch combine combine dispatch_v2 apply dispatch dispatch tagged'.split(' '),
    );
    const found = (name: string): number[] => launches.filter((l) => isKernel(l.kernel, name)).map((l) => l.id);
    expect(found('dispatch')).toEqual([0]);
    expect(found('ns::dispatch')).toEqual([6]);
    expect(found('<unnamed>::dispatch')).toEqual([5]);
    expect(found('combine')).toEqual([1, 2]);
    expect(found('combine<(Layout)1, DispatchTag>')).toEqual([1]);
    expect(found('apply')).toEqual([4]);
    expect(launches[7]!.kernel.text).toBe('void tagged<Name<(char)34, (char)44>>("odd, name" *)');
    const [time, registers] = ['gpu__time_duration.sum', 'launch__registers_per_thread'];
    expect(launches[0]!.metrics.get(time!)).toEqual({ value: 16.1e-6, unit: 's' });
    expect(launches[0]!.metrics.get(registers!)).toEqual({ value: 20, unit: 'register/thread' });
  });

  it('reads a table between lines of the application and the profiler', () => {
    const lines = read('cases/17-ncu-units-row/raw.csv').split('\n');
    const noisy = lines.flatMap((line) => [
      '==PROF== Profiling "x" - 0: 0%....100% - 1 pass',
      'max error 0.0, ok',
      '"',
      line,
    ]);
    expect(readRaw(noisy.join('\r\n'))).toEqual(readRaw(lines.join('\n')));
  });

  it('never throws and never shows a number that was not printed, whatever was cut or changed', () => {
    const whole = read('cases/17-ncu-units-row/raw.csv');
    const known = new Set(readRaw(whole).flatMap((l) => [...l.metrics].map(([name, q]) => `${name} ${q.value}`)));
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(40), (from, length) => {
        for (const launch of readRaw(whole.slice(0, from) + whole.slice(from + length))) {
          for (const q of launch.metrics.values()) expect(Number.isFinite(q.value)).toBe(true);
        }
        // A row that is cut short loses its last cells, and changes none of the others.
        const rows = whole.slice(0, from).split('\n').slice(0, -1).join('\n');
        for (const launch of readRaw(rows)) {
          for (const [name, q] of launch.metrics) expect(known.has(`${name} ${q.value}`)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
    fc.assert(fc.property(fc.string(), (text) => void readRaw(`${whole}${text}`)));
  });
});
