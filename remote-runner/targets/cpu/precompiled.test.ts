import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PrecompiledHeaders } from './precompiled.js';

let folder: string;
let compiled: string[][];
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-headers-'));
  compiled = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A compiler that writes down what it was asked for. */
const headers = (name: 'g++' | 'clang++', key = 'key'): PrecompiledHeaders =>
  new PrecompiledHeaders({ path: '/usr/bin/c++', name, version: '1' }, folder, key, async (args) => {
    compiled.push(args);
    await writeFile(args.at(-1)!, 'compiled');
  });

it('compiles the headers once for the same flags', async () => {
  const one = headers('g++');
  const [a, b] = await Promise.all([one.prefix(['-O3'], [], ''), one.prefix(['-O3'], ['-DN=1'], 'int x;')]);
  const c = await headers('g++').prefix(['-O3'], [], '');
  expect([b, c]).toEqual([a, a]);
  expect(compiled).toHaveLength(1);
  expect(a).toEqual(['-I', expect.stringContaining(folder), '-include', 'ks_prefix.h']);
  expect(await readFile(path.join(a[1]!, 'ks_prefix.h'), 'utf8')).toBe('#include <cuda_runtime.h>\n');
});

it('never shares them between flags, headers or compilers that differ', async () => {
  const g = headers('g++');
  const prefixes = [
    await g.prefix(['-O3'], [], ''),
    await g.prefix(['-O2'], [], ''),
    await g.prefix(['-O3', '-DKS_STRICT=1'], [], ''),
    await g.prefix(['-O3'], [], '#include <cuda_fp16.h>\n'),
    await headers('g++', 'other').prefix(['-O3'], [], ''),
    await headers('clang++').prefix(['-O3'], [], ''),
    await headers('clang++').prefix(['-O3'], ['-DNDEBUG='], ''),
  ];
  expect(new Set(prefixes.map((p) => p.join(' '))).size).toBe(prefixes.length);
  expect(compiled).toHaveLength(prefixes.length);
});

it('does without where they do not compile', async () => {
  const broken = new PrecompiledHeaders({ path: '/c++', name: 'g++', version: '1' }, folder, 'key', () =>
    Promise.reject(new Error('no space left')),
  );
  expect(await broken.prefix(['-O3'], [], '')).toEqual(['-include', 'cuda_runtime.h']);
});

it('keeps a bounded number of them', async () => {
  const g = headers('g++');
  const first = await g.prefix(['-D0'], [], '');
  for (let i = 1; i <= 12; i++) await g.prefix([`-D${i}`], [], '');
  await expect(access(first[1]!)).rejects.toThrow();
  const again = await g.prefix(['-D0'], [], '');
  expect(again).toEqual(first);
  await access(path.join(again[1]!, 'ks_prefix.h.gch'));
});
