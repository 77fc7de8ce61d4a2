import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSassSource } from './ncu-source.js';
import { readResourceUsage } from './res-usage.js';
import { readSass } from './sass.js';

const fixture = (file: string): string =>
  readFileSync(path.resolve(__dirname, '../../../test/fixtures/nvidia', file), 'utf8');

describe('cuobjdump -sass', () => {
  const functions = readSass(fixture('app.sass'));

  it('gives the instructions of each function', () => {
    expect(functions.map((f) => [f.name, f.arch])).toEqual([['_Z21softmax_block_per_rowPKfPfii', 'sm_90']]);
    expect(functions[0]!.instructions[0]).toEqual({ offset: 0, text: 'LDC R1, c[0x0][0x28]', places: [] });
    functions[0]!.instructions.forEach((instruction, i) => expect(instruction.offset).toBe(16 * i));
  });

  it('agrees with what the profiler shows of the same kernel', () => {
    const [profiled] = readSassSource(fixture('source-sass.csv'));
    const opcode = (text: string): string | undefined => /^(?:@!?U?P\w+ )?[\w.]+/.exec(text)?.[0];
    const ofProfiler = profiled!.instructions.map((i) => opcode(i.sass));
    expect(functions[0]!.instructions.map((i) => opcode(i.text)).slice(0, ofProfiler.length)).toEqual(ofProfiler);
  });

  it('never throws', () => {
    const whole = fixture('app.sass').slice(0, 8000);
    fc.assert(
      fc.property(
        fc.nat(whole.length),
        fc.string(),
        (at, other) => void readSass(whole.slice(0, at) + other + whole.slice(at)),
      ),
      { numRuns: 100 },
    );
  });
});

describe('nvdisasm', () => {
  it('gives the line of every instruction, and the whole chain where a function was inlined', () => {
    const [softmax] = readSass(fixture('nvdisasm-gi.txt'));
    expect(softmax).toMatchObject({ name: '_Z21softmax_block_per_rowPKfPfii', arch: 'sm_90a' });
    const at = (offset: number) => softmax!.instructions.find((i) => i.offset === offset)!;
    expect(at(0).places).toEqual([{ file: '/build/kernels/softmax.cu', line: 17 }]);
    expect(at(0x860).text).toBe('SHFL.BFLY PT, R3, R4, 0x10, 0x1f');
    expect(at(0x860).places).toEqual([
      { file: '/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp', line: 449 },
      { file: '/build/kernels/softmax.cu', line: 23 },
    ]);
    expect(at(0x870).places).toEqual([{ file: '/build/kernels/softmax.cu', line: 32 }]);
  });

  it('gives live registers', () => {
    const [softmax] = readSass(fixture('nvdisasm-lrm.txt'));
    expect(softmax!.instructions[0]!.live).toEqual({ registers: 2, predicates: 0, uniform: 0 });
    expect(softmax!.instructions.find((i) => i.offset === 0x60)!.live).toEqual({
      registers: 5,
      predicates: 1,
      uniform: 2,
    });
  });
});

describe('cuobjdump -res-usage', () => {
  it('gives the resources of each function, and nothing for files without one', () => {
    const found = readResourceUsage(fixture('res-usage.txt'));
    expect(found.map((f) => [f.name, f.arch, f.registers, f.stackBytes, f.sharedBytes])).toEqual([
      ['_Z21softmax_block_per_rowPKfPfii', 'sm_90', 31, 0, 1152],
      ['_Z22softmax_thread_per_rowPKfPfii', 'sm_90', 31, 0, 0],
      ['_Z12matmul_tiledILi32EEvPKfS1_Pfi', 'sm_90', 32, 0, 9216],
      ['_Z8spillingPKfPfi', 'sm_90', 32, 1040, 0],
    ]);
    expect(found[0]!.constantBytes).toBe(552);
  });
});
