// The kernels of the differential suite: each file says what it exercises, what it fills and how closely results agree.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { resolveDtype, sizeOf } from '../../src/task/dtype.js';
import type { Dtype } from '../../src/task/types.js';

/** How far a result may be from the recorded one. Integers are always exact. */
export type Agreement =
  | { kind: 'exact'; /** Rare elements between the samples may differ. */ onlySamples?: boolean }
  | { kind: 'ulp'; most: number }
  | { kind: 'close'; rtol: number; atol: number };

export interface Kernel {
  /** Name of the file without its ending, and of the namespace in it. */
  name: string;
  title: string;
  dtype: Dtype;
  count: number;
  bytes: number;
  agreement: Agreement;
  text: string;
  /** Of its own text and of the shared header's. */
  sha256: string;
}

export interface Suite {
  kernels: Kernel[];
  /** Text of input.h. */
  header: string;
}

/** @param folder the one with `kernels/` and `input.h` */
export function readSuite(folder: string): Suite {
  const header = readFileSync(path.join(folder, 'input.h'), 'utf8');
  const names = readdirSync(path.join(folder, 'kernels')).filter((n) => n.endsWith('.cu'));
  const kernels = names.sort().map((file) => {
    const text = readFileSync(path.join(folder, 'kernels', file), 'utf8');
    return readKernel(path.basename(file, '.cu'), text, header);
  });
  return { kernels, header };
}

/** Without lines that are comments: what is compiled. */
const code = (text: string): string => text.replace(/^\s*\/\/.*\n/gm, '');

function readKernel(name: string, text: string, header: string): Kernel {
  const tag = (word: string): string => {
    const value = new RegExp(`^// @${word} (.+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`${name}.cu has no // @${word}`);
    return value;
  };
  const [, type = '', count = ''] = /^(.+) (\d+)$/.exec(tag('output')) ?? [];
  const dtype = resolveDtype(type);
  if (dtype === undefined) throw new Error(`${name}.cu: unknown output type ${type}`);
  return {
    name,
    title: /^\/\/ (.+)$/m.exec(text)?.[1] ?? name,
    dtype,
    count: Number(count),
    bytes: Number(count) * sizeOf(dtype),
    agreement: readAgreement(name, tag('agreement')),
    text,
    sha256: createHash('sha256').update(code(header)).update('\0').update(code(text)).digest('hex'),
  };
}

function readAgreement(name: string, text: string): Agreement {
  if (text === 'exact') return { kind: 'exact' };
  if (text === 'exact in samples') return { kind: 'exact', onlySamples: true };
  const ulp = /^(\d+) ulp$/.exec(text)?.[1];
  if (ulp !== undefined) return { kind: 'ulp', most: Number(ulp) };
  const [, rtol, atol] = /^rtol (\S+) atol (\S+)$/.exec(text) ?? [];
  if (rtol === undefined) throw new Error(`${name}.cu: unknown agreement ${text}`);
  return { kind: 'close', rtol: Number(rtol), atol: Number(atol) };
}

export function describeAgreement(agreement: Agreement): string {
  switch (agreement.kind) {
    case 'exact':
      return agreement.onlySamples ? 'bit-exact in the samples' : 'bit-exact';
    case 'ulp':
      return `within ${agreement.most} ulp`;
    case 'close':
      return `relative ${agreement.rtol}, absolute ${agreement.atol}`;
  }
}
