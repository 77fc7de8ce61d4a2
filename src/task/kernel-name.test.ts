import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readKernels } from '../kernel/reader.js';
import { testParser } from '../../test/support/grammar.js';
import { resolveKernel } from './kernel-name.js';
import type { TaskArgument } from './schema.js';

const file = path.resolve(__dirname, '../../test/cases/07-overloads-namespaces/overloads.cu');
const kernels = readKernels(await testParser(), readFileSync(file, 'utf8')).kernels;
const check = (kernel: string, ...types: string[]): void => {
  const args = types.map((type, i): TaskArgument => ({ name: `a${i}`, type }));
  resolveKernel({ kernel, arguments: args }, kernels, false);
};

describe('case 07: one name, four kernels', () => {
  it('is an error that lists the four where the arguments do not tell', () => {
    const all = kernels.map((k) => k.signature);
    expect(all).toHaveLength(4);
    for (const wrong of [() => check('scale'), () => check('scale', 'short*', 'int')]) {
      expect(wrong).toThrow('$.kernel');
      for (const signature of all) expect(wrong).toThrow(signature);
    }
  });

  it('is settled by arguments and namespace', () => {
    check('scale', 'float*', 'float', 'int');
    check('scale', 'double*', 'double', 'int');
    check('outer::inner::scale<float>', 'float*', 'int');
    check('::outer::inner::scale<float, outer::inner::Mode::Plain>', 'float*', 'int');
  });

  it('names what is near, or what there is', () => {
    expect(() => check('scael', 'float*')).toThrow('did you mean "scale"?');
    expect(() => resolveKernel({ kernel: 'elsewhere', arguments: [] }, kernels, true)).not.toThrow();
  });
});

describe('parameters of types that no dtype is', () => {
  it('are cast', async () => {
    const text = '__global__ void k(const float4* p, char* s, float* y, long* n) {}';
    const types = ['const float*', 'char*', 'float*', 'int64_t*'];
    const task = { kernel: 'k', arguments: types.map((type, i): TaskArgument => ({ name: `a${i}`, type })) };
    expect(resolveKernel(task, readKernels(await testParser(), text).kernels, false)).toBe(
      'k(reinterpret_cast<const float4*>(a0), reinterpret_cast<char*>(a1), a2, reinterpret_cast<long*>(a3))',
    );
  });
});
