// What nvcc and ptxas really printed, read back.
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHostCompilerDiagnostics } from './host-compiler.js';
import { readNvccDiagnostics } from './nvcc.js';
import { readPtxas } from './ptxas.js';

const test = path.resolve(__dirname, '../../../test');
const read = (name: string): string => readFileSync(path.join(test, name), 'utf8');
const places = (name: string): string[] =>
  readNvccDiagnostics(read(name), 'main.cu').map((d) => `${d.file}:${d.line} ${d.severity} ${d.code ?? ''}`.trim());

describe('nvcc diagnostics', () => {
  it('reads front-end errors', () => {
    expect(readNvccDiagnostics(read('fixtures/nvidia/nvcc-errors.txt'), 'main.cu')).toEqual([
      { file: 'bad.cu', line: 2, severity: 'error', message: 'identifier "y" is undefined' },
      { file: 'bad.cu', line: 4, severity: 'error', message: 'identifier "undefined_fn" is undefined' },
      { file: 'bad.cu', line: 4, severity: 'error', message: 'expected a ";"' },
    ]);
  });

  it('reads a ptxas error among warnings, once each', () => {
    const found = readNvccDiagnostics(read('fixtures/nvidia/nvcc-ptxas-error.txt'), 'smem.cu');
    expect(found.filter((d) => d.severity === 'error')).toEqual([
      {
        file: 'smem.cu',
        line: 1,
        severity: 'error',
        code: 'ptxas',
        message: "Entry function '_Z3bigv' uses too much shared data (0x13880 bytes, 0xc000 max)",
      },
    ]);
    expect(found.filter((d) => d.severity === 'warning').map((d) => d.code)).toEqual([
      '68-D',
      '186-D',
      '550-D',
      '177-D',
    ]);
  });

  it('leaves missing includes and the linker to the host compiler’s reader', () => {
    for (const name of ['nvcc-missing-include.txt', 'nvcc-link-error.txt']) {
      const text = read(`fixtures/nvidia/${name}`);
      expect(readNvccDiagnostics(text, 'main.cu')).toEqual([]);
      expect(readHostCompilerDiagnostics(text).filter((d) => d.severity === 'error')).toHaveLength(1);
    }
  });

  it('case 10: one diagnostic in the header, with the path of instantiations', () => {
    const [found, ...more] = readNvccDiagnostics(read('cases/10-template-backtrace/expected-nvcc.txt'), 'use.cu');
    expect(more).toEqual([]);
    expect(found).toMatchObject({ file: 'sampler.cuh', line: 5, severity: 'warning', code: '1886-D' });
    expect(found?.related?.map((r) => `${r.file}:${r.line}`)).toEqual(['sampler.cuh:15', 'use.cu:5']);
    expect(places('cases/10-template-backtrace/expected-nvcc-werror.txt')).toEqual(['sampler.cuh:5 error 1886-D']);
  });

  it('case 12: warnings promoted to errors, and the host compiler in the same run', () => {
    const folder = 'cases/12-warnings-as-errors';
    expect(places(`${folder}/expected-nvcc.txt`)).toEqual(['unused.cu:4 error 177-D', 'unused.cu:10 error 177-D']);
    expect(places(`${folder}/expected-gcc.txt`)).toEqual(['unused.cu:4 warning 177-D', 'unused.cu:10 warning 177-D']);
    const host = readHostCompilerDiagnostics(read(`${folder}/expected-gcc.txt`)).filter((d) => d.severity === 'error');
    expect(host.map((d) => [d.file, d.line, d.column])).toEqual([
      ['unused.cu', 12, 7],
      ['unused.cu', 12, 25],
    ]);
  });
});

describe('ptxas -v', () => {
  it('reads registers, shared memory and spills', () => {
    const entries = readPtxas(read('fixtures/nvidia/ptxas-v.txt'));
    const of = (name: string) => entries.find((e) => e.entry === name);
    expect(of('_Z21softmax_block_per_rowPKfPfii')).toEqual({
      entry: '_Z21softmax_block_per_rowPKfPfii',
      arch: 'sm_90',
      registers: 31,
      barriers: 1,
      sharedBytes: 128,
      stackBytes: 0,
      spillStoreBytes: 0,
      spillLoadBytes: 0,
    });
    expect(of('_Z8spillingPKfPfi')).toMatchObject({ stackBytes: 1040, spillStoreBytes: 2172, spillLoadBytes: 2280 });
  });

  it('case 14: keeps two architectures apart, and cmem is not shared memory', () => {
    const entries = readPtxas(read('cases/14-two-architectures/expected-nvcc.txt'));
    expect(entries.map((e) => [e.arch, e.registers, e.barriers, e.sharedBytes]).sort()).toEqual([
      ['sm_80', 14, 1, 1048],
      ['sm_80', 18, 1, 1088],
      ['sm_90', 12, 1, 1048],
      ['sm_90', 17, 1, 1088],
    ]);
  });

  it('case 16: spills in three shapes', () => {
    const spills = readPtxas(read('cases/16-spills/expected-nvcc.txt'));
    expect(
      spills
        .map((e) => [
          /heavy|indexed|light/.exec(e.entry)?.[0],
          e.registers,
          e.stackBytes,
          e.spillStoreBytes,
          e.spillLoadBytes,
        ])
        .sort(),
    ).toEqual([
      ['heavy', 24, 672, 1308, 1400],
      ['indexed', 24, 128, 0, 0],
      ['light', expect.any(Number), 0, 0, 0],
    ]);
    expect(readPtxas(read('cases/16-spills/expected-werror.txt'))).toHaveLength(3);
    expect(places('cases/16-spills/expected-werror.txt').filter((p) => p.includes('error'))).toHaveLength(1);
    const [log] = readPtxas(read('cases/16-spills/nvrtc-style.txt'));
    expect(log).toMatchObject({
      registers: 24,
      stackBytes: 192,
      spillStoreBytes: 276,
      spillLoadBytes: 508,
      sharedBytes: 16,
    });
  });
});

it('never throws on damaged text', () => {
  const whole = read('fixtures/nvidia/ptxas-v.txt') + read('fixtures/nvidia/nvcc-errors.txt');
  fc.assert(
    fc.property(fc.nat(whole.length), fc.nat(200), fc.string(), (at, drop, insert) => {
      const text = whole.slice(0, at) + insert + whole.slice(at + drop);
      readNvccDiagnostics(text, 'x.cu');
      for (const e of readPtxas(text)) expect(e.registers).toBeGreaterThanOrEqual(0);
    }),
  );
});
