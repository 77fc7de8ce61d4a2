// The formats of recorded spaces: one space written in each gives one space; what is wrong with a file is said.
import { describe, expect, test } from 'vitest';
import { readRecordedSpace } from './recorded.js';

const configurations = [
  { BLOCK: 64, LAYOUT: 'row' },
  { BLOCK: 128, LAYOUT: 'row' },
  { BLOCK: 64, LAYOUT: 'column' },
];
const times = [2, 1.5, null];

const rows = {
  kernel: 'scale',
  gpu: 'X',
  parameters: { BLOCK: [64, 128], LAYOUT: ['row', 'column'] },
  rows: configurations.map(({ BLOCK, LAYOUT }, i) => [BLOCK, LAYOUT, times[i]]),
};
const cache = {
  device_name: 'X',
  kernel_name: 'scale',
  tune_params_keys: ['BLOCK', 'LAYOUT'],
  objective: 'time',
  cache: Object.fromEntries(
    configurations.map((c, i) => [`${c.BLOCK},${c.LAYOUT}`, { ...c, time: times[i] ?? 'CompilationFailedConfig' }]),
  ),
};
const t4 = {
  schema_version: '1.0.0',
  metadata: { kernel: 'scale', device: 'X' },
  results: [
    ...configurations.map((configuration, i) => ({
      configuration,
      invalidity: times[i] === null ? 'compile' : 'correct',
      measurements: [
        { name: 'power', value: 9, unit: 'W' },
        { name: 'time', value: times[i] ?? '', unit: 'ms' },
      ],
      objectives: ['time'],
    })),
    { configuration: { BLOCK: 128, LAYOUT: 'column' }, invalidity: 'constraints', objectives: ['time'] },
  ],
};

describe.each(Object.entries({ rows, cache, t4 }))('%s', (_name, json) => {
  test('gives space, outcomes and optimum', () => {
    const recorded = readRecordedSpace(JSON.stringify(json), 'file');
    expect([recorded.kernel, recorded.device, recorded.best]).toEqual(['scale', 'X', 1.5]);
    expect(recorded.costs).toEqual([1.5, 2, Infinity]);
    expect(configurations.map((c) => recorded.outcome(c))).toEqual([
      { kind: 'value', value: 2 },
      { kind: 'value', value: 1.5 },
      { kind: 'invalid' },
    ]);
    const outside = { BLOCK: 128, LAYOUT: 'column' };
    expect(recorded.space.contains(outside)).toBe(false);
    expect(() => recorded.outcome(outside)).toThrow('does not record');
    expect(recorded.space.dimensions.map((d) => d.kind)).toEqual(['ordinal', 'categorical']);
  });
});

test('a cache file whose tuner was stopped lacks its closing braces', () => {
  const text = JSON.stringify(cache).slice(0, -2);
  for (const torn of [text, `${text},\n`]) expect(readRecordedSpace(torn, 'file').costs).toHaveLength(3);
});

test('wrong answers are failures, not invalid', () => {
  const wrong = { configuration: { BLOCK: 256, LAYOUT: 'row' }, invalidity: 'correctness' };
  const recorded = readRecordedSpace(JSON.stringify({ ...t4, results: [...t4.results, wrong] }), 'file');
  expect(recorded.outcome(wrong.configuration)).toEqual({ kind: 'failed' });
});

test.each([
  ['{', 'a.json is no JSON'],
  ['{"rows": []}', 'a.json is none of the formats'],
  [
    JSON.stringify({ ...rows, rows: [[64, 'row']] }),
    'a.json: row 1 needs one value for each of BLOCK, LAYOUT and a time',
  ],
  [JSON.stringify({ ...rows, rows: [[64, 'row', null]] }), 'a.json records no configuration that worked'],
  [JSON.stringify({ ...rows, rows: [] }), 'a.json records no configuration'],
  [JSON.stringify({ ...cache, tune_params_keys: ['TILE'] }), 'an entry of the cache has no value for TILE'],
])('%s', (text, message) => {
  expect(() => readRecordedSpace(text, 'a.json')).toThrow(message);
});
