// The parts of strict mode that need no compiler: fences in assembly, names of variables, places of instructions.
import { expect, test } from 'vitest';
import { withFences } from './strict-build.js';
import { readPlaces } from './strict-places.js';
import { sourceName } from './symbols.js';

test('every variable gets a fence behind it, code and the compiler’s own tables get none', () => {
  const assembly = [
    '\t.text',
    'f:',
    '\t.quad\t1',
    '\t.section\t.tbss,"awT",@nobits',
    '\t.type\t_ZZ1kE1s, @object',
    '\t.size\t_ZZ1kE1s, 256',
    '_ZZ1kE1s:',
    '\t.zero\t256',
    '\t.section\t.tbss._ZZ1kE1u,"awTG",@nobits,_ZZ1kE1u,comdat',
    '_ZZ1kE1u:',
    '\t.zero\t32',
    '\t.section\t.data.table,"aw"',
    'table:',
    '\t.long\t1',
    '\t.long\t2',
    '\t.zero\t8',
    '\t.section\t.data.rel.ro._ZTV1A,"aw"',
    '_ZTV1A:',
    '\t.quad\t0',
    '\t.section\t.data..Lubsan_type4,"aw"',
    '.Lubsan_type4:',
    '\t.value\t0',
    '\t.section\t.bss.x,"aw",@nobits',
    'x:',
    '\t.zero\t4',
  ];
  const fenced = withFences(assembly.join('\n')).split('\n');
  expect(fenced).toHaveLength(assembly.length + 4);
  const behind = (label: string, directives: number): string | undefined =>
    fenced[fenced.indexOf(`${label}:`) + directives + 1];
  expect(behind('_ZZ1kE1s', 1)).toBe('\t.zero\t256');
  expect(behind('_ZZ1kE1u', 1)).toBe('\t.zero\t256');
  expect(behind('table', 3)).toBe('\t.zero\t256');
  expect(behind('x', 1)).toBe('\t.zero\t256');
  expect(behind('f', 1)).toBe('\t.section\t.tbss,"awT",@nobits');
  expect(behind('_ZTV1A', 1)).toContain('.Lubsan_type4');
});

test.each([
  ['_ZZ4racePKfPfiE1s', 's'],
  ['_ZZ1kIfLi256EEvPT_E6buffer_1', 'buffer'],
  ['_ZL7counter', 'counter'],
  ['_ZN2ns5inner5tableE', 'table'],
  ['_ZN2nsL5tableE', 'table'],
  ['coef', 'coef'],
  [`_Z${'1a'.repeat(3000)}`, `_Z${'1a'.repeat(3000)}`.slice(0, 100)],
])('%s is %s in the source', (mangled, name) => {
  expect(sourceName(mangled)).toBe(name);
});

test('the place of an instruction is the innermost in the job’s own files, else the innermost', () => {
  const text = [
    '0x0000000000001356',
    '/opt/harness/include/ks/atomics.h:63',
    '/tmp/build/job/k.cu:11 (discriminator 2)',
    '/tmp/build/job/k.cu:20',
    '0x0000000000001400',
    '/opt/harness/include/ks/launch.h:45',
    '0x0000000000001500',
    '??:0',
    '',
  ].join('\n');
  const places = readPlaces(text, (file) => (file.endsWith('/job/k.cu') ? 'k.cu' : undefined));
  expect([...places]).toEqual([
    [0x1356, { file: 'k.cu', line: 11, isJob: true }],
    [0x1400, { file: 'launch.h', line: 45, isJob: false }],
  ]);
});
