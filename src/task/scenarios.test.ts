// Scenarios, arguments, launches: what a task means in each of its points.
import { describe, expect, it } from 'vitest';
import { resolveArguments } from './arguments.js';
import { resolveLaunch } from './launch.js';
import { requireTask, validateTask } from './parse.js';
import { expandScenarios, MAX_SCENARIOS } from './scenarios.js';
import type { TaskFile } from './schema.js';

const base = { source: 'a.cu', entry: 'run' };
const output = { name: 'y', type: 'float*', shape: ['n'], role: 'output' };
const parse = (fields: Record<string, unknown>): TaskFile =>
  requireTask(validateTask({ ...base, arguments: [output], scenarios: [{ n: 4 }], ...fields }));
const errorsOf = (fields: Record<string, unknown>): string[] => {
  const parsed = validateTask({ ...base, arguments: [output], scenarios: [{ n: 4 }], ...fields });
  return parsed.ok ? [] : parsed.errors.map((e) => e.message);
};

describe('expandScenarios', () => {
  it('sorts variables into ids and resolves dtype aliases', () => {
    const task = parse({ scenarios: [{ n: 4, T: 'bf16', a: true }], heldOut: [{ n: 5, T: 'half', a: false }] });
    expect(expandScenarios(task)).toEqual([
      { id: 'T=__nv_bfloat16,a=true,n=4', variables: { n: 4, T: '__nv_bfloat16', a: true }, weight: 1, heldOut: false },
      { id: 'T=half,a=false,n=5', variables: { n: 5, T: 'half', a: false }, weight: 1, heldOut: true },
    ]);
  });

  it('multiplies grids out, narrowed by where', () => {
    const grid = { s: [128, 1000], T: ['half', 'float'] };
    const task = parse({ scenarios: [{ grid, n: 1, where: 's < 500 || T == "half"', weight: 2 }] });
    expect(expandScenarios(task).map((s) => [s.id, s.weight])).toEqual([
      ['T=half,n=1,s=128', 2],
      ['T=float,n=1,s=128', 2],
      ['T=half,n=1,s=1000', 2],
    ]);
  });

  it.each([
    [{ scenarios: [{ n: 4 }, { n: 4 }] }, '$.scenarios[1]: scenario n=4 is already in $.scenarios[0]'],
    [{ scenarios: [{ n: 4 }], heldOut: [{ n: 4 }] }, '$.heldOut[0]: scenario n=4 is already in'],
    [{ scenarios: [{ n: 4, T: 'hlaf' }] }, '$.scenarios[0].T: "hlaf" is not a dtype: did you mean "half"?'],
    [{ scenarios: [{ n: 4, where: 'n > 1' }] }, '$.scenarios[0].where: narrows a "grid"'],
    [{ scenarios: [{ grid: { n: [1] }, n: 4 }] }, '$.scenarios[0].grid.n: stands also beside the grid'],
    [{ scenarios: [{ grid: { n: [1, 2] }, where: 'n > 2' }] }, '$.scenarios[0].where: "n > 2" leaves no scenario'],
    [
      { scenarios: [{ grid: { n: [1, 2] }, where: 'm > 2' }] },
      '$.scenarios[0].where: "m > 2" column 1: unknown variable',
    ],
    [{ scenarios: [{ 'n-1': 4 }] }, '$.scenarios[0]["n-1"]: is not a variable name'],
  ])('%j is an error with a remedy', (fields, message) => {
    expect(errorsOf(fields)[0]).toContain(message);
  });

  it('bounds the number of scenarios', () => {
    const axis = Array.from({ length: 100 }, (_, i) => i + 1);
    const error = `makes more than ${MAX_SCENARIOS} scenarios`;
    expect(errorsOf({ scenarios: [{ grid: { n: axis, m: axis } }] })[0]).toContain(error);
    expect(errorsOf({ scenarios: [{ grid: { n: axis, m: axis, k: axis, l: axis } }] })[0]).toContain(error);
  });
});

describe('resolveArguments', () => {
  it('resolves dtypes, shapes, defaults and scalars', () => {
    const task = parse({
      arguments: [
        { name: 'q', type: 'const T* __restrict__', shape: ['b', 's * 2'] },
        { name: 'ids', type: 'const int32_t *', shape: ['b'], fill: { integers: [0, 's - 1'] } },
        { name: 'o', type: 'T*', shape: ['b'], role: 'output', rtol: 0.5, align: 16 },
        { name: 'tmp', type: 'uint8_t*', shape: ['s'], role: 'workspace' },
        { name: 'b', type: 'int' },
        { name: 'big', type: 'int64_t', value: '9223372036854775807' },
        { name: 'scale', type: 'float', value: '1.0 / s' },
        { name: 'low', type: 'double', value: '-inf' },
        { name: 'flag', type: 'bool', value: true },
        { name: 'stream', type: 'cudaStream_t' },
      ],
      scenarios: [{ b: 2, s: 4, T: 'half' }],
    });
    const [scenario] = expandScenarios(task);
    if (!scenario) throw new Error('no scenario');
    const resolved = resolveArguments(task, scenario);
    expect(resolved.map((a) => a.name)).toEqual(['q', 'ids', 'o', 'tmp', 'b', 'big', 'scale', 'low', 'flag']);
    expect(resolved[0]).toEqual({
      kind: 'buffer',
      name: 'q',
      dtype: 'half',
      isConst: true,
      role: 'input',
      shape: [2, 8],
      strides: [8, 1],
      offset: 0,
      span: 16,
      align: 256,
      fill: { kind: 'normal' },
      compare: 'close',
      tolerance: { rtol: 2e-3, atol: 1e-3 },
    });
    expect(resolved[1]).toMatchObject({ dtype: 'int', fill: { kind: 'integers', low: 0, high: 3 }, compare: 'exact' });
    expect(resolved[2]).toMatchObject({ align: 16, tolerance: { rtol: 0.5, atol: 1e-3 } });
    expect(resolved[3]).toMatchObject({ dtype: 'unsigned char', role: 'workspace' });
    expect(resolved.slice(4)).toEqual([
      { kind: 'scalar', name: 'b', dtype: 'int', value: 2 },
      { kind: 'scalar', name: 'big', dtype: 'long long', value: 9223372036854775807n },
      { kind: 'scalar', name: 'scale', dtype: 'float', value: 0.25 },
      { kind: 'scalar', name: 'low', dtype: 'double', value: -Infinity },
      { kind: 'scalar', name: 'flag', dtype: 'bool', value: true },
    ]);
  });

  it('spans strides and offsets, and keeps integers exact under a general tolerance', () => {
    const task = parse({
      arguments: [
        { name: 'x', type: 'const float*', shape: [3, 4], strides: [10, 2], offset: 5 },
        { name: 'count', type: 'int*', shape: [2], role: 'output' },
        { name: 'level', type: 'int*', shape: [2], role: 'output', atol: 1 },
      ],
      tolerance: { rtol: 0.1, atol: 0.2 },
    });
    const resolved = resolveArguments(task, { variables: { n: 1 } });
    expect(resolved[0]).toMatchObject({ span: 5 + 2 * 10 + 3 * 2 + 1 });
    expect(resolved[1]).toMatchObject({ compare: 'exact', tolerance: { rtol: 0, atol: 0 } });
    expect(resolved[2]).toMatchObject({ compare: 'close', tolerance: { rtol: 0, atol: 1 } });
  });

  const y = output;
  it.each([
    [[y, { name: 'm', type: 'int' }], '$.arguments[1]: "m" has no value: set a variable "m" in every scenario'],
    [[{ ...y, shape: ['n - 4'] }], '$.arguments[0].shape[0]: "n - 4" = 0 must be a whole number of at least 1'],
    [[{ ...y, shape: ['k'] }], '$.arguments[0].shape[0]: "k" column 1: unknown variable "k"'],
    [[{ ...y, shape: ['pow(2, 50)'] }], '$.arguments[0].shape: spans'],
    [[{ ...y, strides: [0] }], '$.arguments[0].strides: [0] let elements overlap'],
    [[y, { name: 'c', type: 'unsigned char', value: 256 }], '$.arguments[1].value: 256 does not fit unsigned char'],
    [[y, { name: 'c', type: 'int', value: 0.5 }], '$.arguments[1].value: 0.5 is not a whole number'],
    [
      [y, { name: 'i', type: 'const int*', shape: [1], fill: 'normal' }],
      '$.arguments[1].fill: "normal" is for floating',
    ],
    [
      [y, { name: 'i', type: 'const int*', shape: [1], fill: { integers: [3, 1] } }],
      'the lowest value, then the highest',
    ],
    [[y, { name: 'i', type: 'const bool*', shape: [1], fill: { integers: [0, 2] } }], 'does not fit bool'],
    [[y, { name: 'i', type: 'const float*', shape: [1], fill: { offsets: 3 } }], 'needs an integer type'],
  ])('%j is an error', (args, message) => {
    expect(errorsOf({ arguments: args })[0]).toContain(message);
  });
});

it('resolves launches of bare kernels', () => {
  const kernel = { entry: undefined, kernel: 'k<128>' };
  const task = parse({ ...kernel, launch: { grid: ['ceil_div(n, 3)', 'n'], block: 128, shared: 'n * 4' } });
  if (!task.launch) throw new Error('no launch');
  expect(resolveLaunch(task.launch, { n: 4 })).toEqual({ grid: [2, 4, 1], block: [128, 1, 1], shared: 16 });
  expect(errorsOf({ ...kernel, launch: { grid: ['n - 4'], block: [1] } })[0]).toContain('$.launch.grid[0]');
});
