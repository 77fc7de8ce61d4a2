// Expressions of host code give what a C++ compiler gives, or nothing: a launch is only as right as its arithmetic.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findCpuCompiler } from '../../remote-runner/targets/cpu/compiler.js';
import { testParser } from '../support/grammar.js';
import { Budget } from '../../src/kernel/host/budget.js';
import { evaluateCode } from '../../src/kernel/host/evaluate.js';
import { Frame } from '../../src/kernel/host/frame.js';
import { Refusal } from '../../src/kernel/host/refusal.js';
import { HostSources } from '../../src/kernel/host/sources.js';
import { bitsOf, convert, SCALARS } from '../../src/kernel/host/values.js';

const variables: Record<string, [type: string, value: bigint | number]> = {
  n: ['int', 1000003n],
  m: ['int', -7n],
  u: ['unsigned int', 4000000000n],
  b: ['unsigned char', 200n],
  s: ['short', -300n],
  l: ['long long', 5000000000n],
  z: ['unsigned long', 48n],
  t: ['bool', 1n],
  f: ['float', 0.1],
  d: ['double', 2.5],
};

const leaf = fc.oneof(
  fc.constantFrom(...Object.keys(variables)),
  fc.constantFrom('0', '1', '7', '32', '256', '48u', '0x1f', '2147483648', '3ull', '1.5f', '0.25', '1e3', 'true'),
  fc.constantFrom('sizeof(float)', 'sizeof(unsigned long long)', 'sizeof(double*)'),
);
const type = fc.constantFrom(
  'int',
  'unsigned',
  'float',
  'double',
  'long long',
  'size_t',
  'unsigned char',
  'bool',
  'short',
);
const operator = fc.constantFrom(
  ...['+', '-', '*', '/', '%', '<<', '>>', '<', '>', '<=', '>=', '==', '!=', '&', '|', '^', '&&', '||'],
);
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, depthSize: 'medium', withCrossShrink: true },
    leaf,
    fc.tuple(tie('expression'), operator, tie('expression')).map(([a, op, c]) => `(${a}) ${op} (${c})`),
    // Without brackets the levels of the operators decide.
    fc.tuple(leaf, operator, leaf, operator, leaf).map((all) => all.join(' ')),
    fc.tuple(tie('expression'), tie('expression'), tie('expression')).map(([a, c, e]) => `(${a}) ? (${c}) : (${e})`),
    fc.tuple(fc.constantFrom('-', '!', '~', '+'), tie('expression')).map(([op, a]) => `${op}(${a})`),
    fc.tuple(type, tie('expression')).map(([to, a]) => `(${to})(${a})`),
    fc.tuple(type, tie('expression')).map(([to, a]) => `static_cast<${to}>(${a})`),
    fc.tuple(fc.constantFrom('ceil', 'floor', 'std::sqrt', 'ceilf'), tie('expression')).map(([f, a]) => `${f}(${a})`),
  ),
}));

test('what is not refused is what the compiler computes, to the last bit and with its type', async () => {
  const sources = new HostSources(await testParser(), ['']);
  const frame = new Frame(sources, new Budget());
  for (const [name, [of, value]] of Object.entries(variables)) {
    const written = { base: of, pointers: 0, isReference: false, isConst: false };
    frame.declare(name, written, convert(value, SCALARS.get(of)!));
  }
  const texts = [...new Set(fc.sample(expression, { numRuns: 1500, seed: 20261201 }))];
  const known = texts.flatMap((text) => {
    try {
      const value = evaluateCode(sources.text(text), frame, () => {
        throw new Refusal('calls something');
      });
      return value.kind === 'number' ? [{ text, value }] : [];
    } catch (error) {
      if (error instanceof Refusal) return [];
      throw error;
    }
  });
  expect(known.length).toBeGreaterThan(400);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-arithmetic-'));
  try {
    const compiler = (await findCpuCompiler(process.env))!.path;
    const tool = (file: string, ...args: string[]) => spawnSync(file, args, { cwd: folder, encoding: 'utf8' });
    const write = (texts: string[]): void => writeFileSync(path.join(folder, 'a.cpp'), programOf(texts));
    write(known.map((k) => k.text));
    // In a branch that is not taken there may stand what is no C++: those are left out.
    const faults = tool(compiler, '-w', '-fsyntax-only', '-fmax-errors=0', 'a.cpp').stderr;
    const wrong = new Set([...faults.matchAll(/a\.cpp:(\d+):\d+: error/g)].map((m) => Number(m[1]) - FIRST_LINE));
    const sound = known.filter((_, i) => !wrong.has(i));
    expect(sound.length).toBeGreaterThan(400);
    write(sound.map((k) => k.text));
    const built = tool(compiler, '-w', '-O0', '-ffp-contract=off', 'a.cpp', '-o', 'a');
    expect(built.stderr).toBe('');
    const printed = tool(path.join(folder, 'a')).stdout.trim().split('\n');
    const got = sound.map(({ text, value }) => `${text} → ${value.type.name} ${bitsOf(value).toString(16)}`);
    // Which NaN it is says nothing.
    const plain = (line: string): string => line.replace(/ (float [7f]f[c8]\w{5}|double [7f]ff8\w{12}) *$/, ' NaN');
    expect(got.map(plain)).toEqual(sound.map(({ text }, i) => plain(`${text} → ${printed[i]}`)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

const preamble = [
  '#include <cmath>',
  '#include <cstdint>',
  '#include <cstdio>',
  '#include <cstring>',
  'using namespace std;',
  'template <typename T> const char* name();',
  ...[...SCALARS.keys()].map((t) => `template <> const char* name<${t}>() { return "${t}"; }`),
  'template <typename T> void show(T v) {',
  '  uint64_t bits = 0; memcpy(&bits, &v, sizeof v); printf("%s %llx\\n", name<T>(), (unsigned long long)bits);',
  '}',
  'int main() {',
  // Nothing is folded away.
  ...Object.entries(variables).map(
    ([name, [of, value]]) => `volatile ${of} v_${name} = ${value}; ${of} ${name} = v_${name};`,
  ),
];
const FIRST_LINE = preamble.length + 1;
const programOf = (texts: string[]): string => [...preamble, ...texts.map((t) => `show(${t});`), '}', ''].join('\n');
