// The text of a proposed task: the same JSON whatever the comments, each comment at its place.
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { taskText } from './task-text.js';

const TASK = {
  source: 'a.cu',
  entry: 'run',
  arguments: [
    { name: 'x', type: 'const float*', shape: ['rows', 'cols'] },
    {
      name: 'y',
      type: 'float*',
      shape: ['rows', 'cols'],
      role: 'output',
      tolerance: { rtol: 1e-5, atol: 1e-8 },
      align: 16,
    },
  ],
  scenarios: [{ rows: 3, cols: 5 }],
};

test('comments stand above what they are about, and name it where it is inside a line', () => {
  const text = taskText(
    {
      task: TASK,
      guesses: [{ path: '$.arguments[0].shape', why: 'from the names\nof the sizes' }],
      missing: [{ path: '$.launch.grid', what: 'write it' }],
    },
    { '$.arguments[1].tolerance': 'measured' },
  );
  expect(text).toBe(`// launch.grid: MISSING write it
{
  "source": "a.cu",
  "entry": "run",
  "arguments": [
    // shape: guessed: from the names of the sizes
    { "name": "x", "type": "const float*", "shape": ["rows", "cols"] },
    {
      "name": "y",
      "type": "float*",
      "shape": ["rows", "cols"],
      "role": "output",
      // measured
      "tolerance": { "rtol": 0.00001, "atol": 1e-8 },
      "align": 16
    }
  ],
  "scenarios": [
    { "rows": 3, "cols": 5 }
  ]
}
`);
});

test('comments never change the JSON, and none is lost', () => {
  const key = fc.stringMatching(/^[a-z]{1,6}$/);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const path = fc
    .array(
      fc.oneof(
        key.map((k) => `.${k}`),
        fc.nat(3).map((i) => `[${i}]`),
      ),
      { maxLength: 4 },
    )
    .map((steps) => `$${steps.join('')}`);
  fc.assert(
    fc.property(
      fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }),
      fc.array(path, { maxLength: 5 }),
      fc.string(),
      (task, paths, words) => {
        const text = taskText({
          task,
          guesses: paths.map((p, i) => ({ path: p, why: `note-${i} ${words}` })),
          missing: [],
        });
        expect(parse(text)).toEqual(task);
        const comments = text.split('\n').filter((line) => line.trimStart().startsWith('//'));
        for (const i of paths.keys()) expect(comments.filter((line) => line.includes(`note-${i} `))).toHaveLength(1);
      },
    ),
  );
});
