// What a task file may say, and that every error names path, value and remedy.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseTask, requireTask, validateTask } from './parse.js';
import { durationMs } from './schema.js';

const softmax = {
  source: 'softmax.cu',
  entry: 'softmax',
  arguments: [
    { name: 'x', type: 'const float*', shape: ['rows', 'cols'], fill: 'normal' },
    { name: 'y', type: 'float*', shape: ['rows', 'cols'], role: 'output' },
    { name: 'rows', type: 'int' },
    { name: 'cols', type: 'int' },
  ],
  scenarios: [{ rows: 3, cols: 16384 }],
};

/** Errors as `path: message` of a task made from softmax with changes. */
function errorsOf(changes: Record<string, unknown>): string[] {
  const parsed = validateTask({ ...softmax, ...changes });
  return parsed.ok ? [] : parsed.errors.map((e) => e.message);
}

describe('parseTask', () => {
  it('reads comments, trailing commas and a BOM, and fills in defaults', () => {
    const text = `\uFEFF{ // what\n "source": "a.cu", "entry": "ns::run", /* none */ "arguments": [
      {"name":"y","type":"T*","shape":["n"],"role":"output"},], "scenarios": [{"n": 4, "T": "half"}] }`;
    const task = requireTask(parseTask(text, 'a.task.json'));
    expect(task.sources).toEqual(['a.cu']);
    expect(task.build).toMatchObject({ arch: 'auto', std: 'c++17', flags: ['-O3'], timeout: '10m' });
    expect(task.timeout).toBe('60s');
    expect(task.objective.noScenarioBelow).toBe(0.98);
    expect(task.measure.cache).toBe('cold');
  });

  it('says line and column of broken JSON', () => {
    const parsed = parseTask('{ "source": "a.cu"\n  "entry": 1 }', 'a.task.json');
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.errors[0]?.message).toBe('$: a.task.json:2:3: not valid JSON: comma expected');
  });

  it('gives an answer that is valid again', () => {
    const first = requireTask(validateTask(softmax));
    expect(requireTask(validateTask(JSON.parse(JSON.stringify(first))))).toEqual(first);
  });
});

describe('validateTask', () => {
  it('collects every error, each with its path', () => {
    const errors = errorsOf({ entyr: 'x', scenarios: 'no', timeout: '60 days', objective: { targt: 2 } });
    expect(errors).toEqual([
      '$.objective.targt: unknown name "targt": did you mean "target"?',
      '$.entyr: unknown name "entyr": did you mean "entry"?',
      '$.scenarios: "no" is the wrong type: must be an array',
      '$.timeout: "60 days" must be a duration such as "30s", "10m" or "1h"',
    ]);
  });

  it('suggests the nearest name of an argument', () => {
    const [error] = errorsOf({ arguments: [...softmax.arguments, { name: 'z', type: 'int', valeu: 3 }] });
    expect(error).toBe('$.arguments[4].valeu: unknown name "valeu": did you mean "value"?');
  });

  it('does not call missing what a misspelt name means', () => {
    const launch = { grd: ['rows'], block: [128] };
    expect(errorsOf({ scenarios: undefined, scenaros: [] })).toEqual([
      '$.scenaros: unknown name "scenaros": did you mean "scenarios"?',
    ]);
    expect(errorsOf({ entry: undefined, entyr: 'softmax', arguments: undefined })).toEqual([
      '$.entyr: unknown name "entyr": did you mean "entry"?',
      '$.arguments: is missing: add an array',
    ]);
    expect(errorsOf({ entry: undefined, kernel: 'k', launch })).toEqual([
      '$.launch.grd: unknown name "grd": did you mean "grid"?',
    ]);
    // One that is there is not what was meant.
    expect(errorsOf({ scenarios: 1, scenaros: [] })).toEqual([
      '$.scenaros: unknown name "scenaros": did you mean "scenarios"?',
      '$.scenarios: 1 is the wrong type: must be an array',
    ]);
  });

  it('names what a proposal left open', () => {
    const bare = (launch: object) => errorsOf({ entry: undefined, kernel: 'k', launch });
    expect(bare({ grid: [], block: [] })).toEqual([
      '$.launch.grid: is missing: give 1 to 3 expressions',
      '$.launch.block: is missing: give 1 to 3 expressions',
    ]);
    expect(bare({ grid: [1, 2, 3, 4], block: '' })).toEqual([
      '$.launch.grid: [1,2,3,4] must be an expression or an array of 1 to 3 expressions',
      '$.launch.block: is missing: give a number or an expression',
    ]);
    expect(bare({ grid: [1], block: [1], shared: '' })).toEqual([
      '$.launch.shared: is missing: give a number or an expression',
    ]);
    const output = { name: 'y', type: 'float*', shape: [], role: 'output' };
    expect(errorsOf({ arguments: [output] })).toEqual(['$.arguments[0].shape: is missing: give 1 to 8 expressions']);
    const task = validateTask({ source: 'a.cu' });
    expect(task.ok ? [] : task.errors.map((e) => e.message)).toEqual([
      expect.stringMatching(/^\$: has no "entry": name the host function/) as string,
      '$.arguments: is missing: add an array',
      '$.scenarios: is missing: add an array',
    ]);
  });

  it('counts elements in words', () => {
    expect(errorsOf({ sources: [] })).toEqual(['$.sources: [] needs at least 1 element']);
    expect(errorsOf({ arguments: Array(65).fill(softmax.arguments[0]) })[0]).toMatch(/ may have at most 64 elements$/);
  });

  it('demands one way to start', () => {
    expect(errorsOf({ entry: undefined })[0]).toContain('has no "entry"');
    expect(errorsOf({ kernel: 'k' })[0]).toContain('$.kernel: stands beside "entry"');
    expect(errorsOf({ entry: undefined, kernel: 'k' })[0]).toContain('$.launch: is missing');
    expect(errorsOf({ entry: undefined, kernel: 'k<128>', launch: { grid: ['rows'], block: [128] } })).toEqual([]);
    expect(errorsOf({ entry: undefined, call: 'softmax(x, y, rows, cols, stream)' })).toEqual([]);
  });

  it('lets nothing decide that may be edited', () => {
    expect(errorsOf({ reference: 'ref.cu' })).toEqual([]);
    expect(errorsOf({ reference: './softmax.cu' })[0]).toMatch(/^\$\.reference: .* is one of the sources/);
  });

  it('refuses what it cannot do yet instead of ignoring it', () => {
    expect(errorsOf({ compare: [{ name: 'lib', sources: ['l.cu'] }] })[0]).toMatch(
      /^\$\.compare: is not supported yet/,
    );
    const output = { name: 'y', type: 'float*', shape: ['rows'], role: 'output' };
    expect(errorsOf({ arguments: [{ ...output, type: '__nv_fp8_e4m3*' }] })[0]).toContain('not supported yet');
  });

  it.each([
    ['-o/etc/passwd'],
    ['-o', 'x'],
    ['-I/etc'],
    ['-Xcompiler', '-fplugin=x.so'],
    ['-include', '/etc/passwd'],
    ['@file'],
    ['-ccbin', 'sh'],
    ['--options-file', 'x'],
    ['-L/tmp'],
    ['-lcuda'],
    ['-Xptxas', '--output-file=x'],
    ['-Xptxas=-v,--input-as-string'],
    ['-Xptxas'],
    ['-DX=1'],
    ['-G'],
    ['--std=c++20'],
    ['-include', 'planted.h'],
    ['-includeplanted.h'],
    ['--pre-include=planted.h'],
    ['@flags.txt'],
    ['-Xlinker', '--version-script=x'],
    ['-Xlinker=-T,x.ld'],
    ['-Wl,-rpath,/tmp'],
    ['-specs=x.specs'],
    ['--specs', 'x.specs'],
    ['-fplugin=x.so'],
    ['-Xcompiler=-fplugin=x.so'],
    ['-B/tmp'],
    ['-B', '.'],
    ['-wrapper', 'sh,-c'],
    ['--compiler-bindir=.'],
    ['--output-directory=x'],
    ['-ox'],
    ['-x', 'c'],
    ['-keep-dir=/tmp'],
    ['--run'],
    ['-idp=/'],
    ['-ldir=/tmp'],
    ['-cudart=shared'],
    ['-Xnvlink=x'],
    ['-Xptxas=@file'],
    ['-Xptxas', '-o'],
    ['-Xptxas=--options-file=x'],
    ['-O3\n-ox'],
    ['$HOME'],
    ['-O$((3))'],
    ['${IFS}-ox'],
    ['`id`'],
    [''],
    ['-O3 -o x'],
    ['--use_fast_math;id'],
  ])('refuses the flags %s %s', (...flags) => {
    expect(errorsOf({ build: { flags } })[0]).toMatch(/^\$\.build\.flags\[\d\]: /);
  });

  it.each(['$(id)', '`id`', '"; id; "', "'", 'a\\b', '${HOME}', '$HOME', 'a\nb', '\0'])(
    'refuses a macro of the value %j, whatever the shell is that a compiler hands it to',
    (value) => {
      expect(errorsOf({ build: { define: { X: value } } })[0]).toMatch(/^\$\.build\.define\.X: /);
      expect(errorsOf({ build: { include: [`a/${value}`] } })[0]).toMatch(/^\$\.build\.include\[0\]: /);
    },
  );

  it('takes macros that are expressions, types and names, however they look to a shell', () => {
    const define = { A: 'x < 3 && y > 4 || !z', T: 'unsigned long', V: '{1, 2}; x', AT: '@file', O: '-o x', E: '' };
    expect(errorsOf({ build: { define, include: ['a b', '../include', 'x;y'] } })).toEqual([]);
  });

  it.each(['X=1 -o x', 'X(y)', '-o', '@x', 'X;id'])('refuses a macro of the name %j', (name) => {
    expect(errorsOf({ build: { define: { [name]: 1 } } })[0]).toMatch(/^\$\.build\.define/);
  });

  it.each([':libx.a', '-o', '@x', '/x', '../x', 'x y', '$x'])('refuses to link %j', (name) => {
    expect(errorsOf({ build: { link: [name] } })[0]).toMatch(/^\$\.build\.link\[0\]: /);
  });

  it('accepts the flags that change code generation', () => {
    const flags = ['-O3', '--use_fast_math', '-maxrregcount=64', '--fmad=false', '-lineinfo', '-Xptxas', '-v'];
    expect(errorsOf({ build: { flags: [...flags, '-Xptxas=-dlcm=ca,-warn-spills', '--extended-lambda'] } })).toEqual(
      [],
    );
  });

  it.each(['/etc/passwd', 'C:\\x', 'c:/x', '~/x', '-x', 'a\\b', 'a\0b', ''])('refuses the path %j', (source) => {
    expect(errorsOf({ source })[0]).toMatch(/^\$\.source: /);
    expect(errorsOf({ files: [source] })[0]).toMatch(/^\$\.files\[0\]: /);
    expect(errorsOf({ build: { include: [source] } })[0]).toMatch(/^\$\.build\.include\[0\]: /);
  });

  it('checks arguments against their type and role', () => {
    const withArgument = (a: Record<string, unknown>) => errorsOf({ arguments: [...softmax.arguments, a] });
    expect(withArgument({ name: 'z', type: 'float*', shape: ['n'] })[0]).toContain('$.arguments[4].role: is missing');
    expect(withArgument({ name: 'z', type: 'const float*', shape: [1], role: 'output' })[0]).toContain('remove const');
    expect(withArgument({ name: 'z', type: 'const float*' })[0]).toContain('$.arguments[4].shape: is missing');
    expect(withArgument({ name: 'z', type: 'int', shape: [1] })[0]).toContain('belongs to buffers');
    expect(withArgument({ name: 'z', type: 'float**', shape: [1] })[0]).toContain('give "call"');
    expect(withArgument({ name: 'z', type: 'flaot*', shape: [1], role: 'output' })[0]).toContain(
      'did you mean "float"?',
    );
    expect(withArgument({ name: 'x', type: 'int' })[0]).toContain('already argument 0');
    expect(withArgument({ name: 'class', type: 'int' })[0]).toContain('C++ keyword');
    expect(withArgument({ name: 'stream', type: 'int' })[0]).toContain('reserved');
    expect(withArgument({ name: 'stream', type: 'cudaStream_t' })).toEqual([]);
    expect(errorsOf({ arguments: softmax.arguments.filter((a) => a.name !== 'y') })[0]).toContain('has no output');
  });

  it('survives any JSON value', () => {
    for (const value of [null, 1, 'x', [], [1], { arguments: [null] }, { scenarios: [{ grid: { n: [] } }] }]) {
      expect(validateTask(value).ok).toBe(false);
    }
  });
});

it('reads durations', () => {
  expect([durationMs('10m'), durationMs('1.5 s'), durationMs('250ms'), durationMs('1h')]).toEqual([
    600_000, 1500, 250, 3_600_000,
  ]);
});

it('reads the example of the documentation', async () => {
  const page = await readFile('docs/task-file.md', 'utf8');
  const example = /```jsonc\n(.*?)```/s.exec(page)?.[1] ?? '';
  const parsed = parseTask(example, 'task-file.md');
  expect(parsed.ok ? [] : parsed.errors.map((e) => e.message)).toEqual([]);
});
