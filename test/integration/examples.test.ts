// The examples: each correct on the CPU target, each with a twin of GPU sizes, none that lets a planted fault through.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Evaluations, root } from '../support/evaluations.js';

const names = readdirSync(path.join(root, 'examples'))
  .filter((file) => file.endsWith('.cu'))
  .map((file) => path.basename(file, '.cu'));

/** A slip that leaves most of the output right: what stands in the source, and what it becomes. */
const slips: Record<string, [right: string, wrong: string]> = {
  attention: ['row[j] /= sum', 'row[j] /= sum + 0.01f'],
  conv2d: ['col < width)', 'col < width - 1)'],
  matmul: ['i < TILE; ++i', 'i < TILE - (start + TILE >= k); ++i'],
  reduce: ['i < n;', 'i < n - 100;'],
  softmax: ['expf(in[c] - largest) / sum', 'expf(in[c] - largest) / (sum + 0.001f)'],
};

let evaluations: Evaluations;
beforeAll(async () => {
  evaluations = await Evaluations.create();
});
afterAll(() => evaluations.close());

describe.each(names)('%s', (name) => {
  test('is correct on the CPU target; a slip in it is not', async () => {
    const task = await evaluations.prepare(`examples/${name}.task.json`);
    const original = await evaluations.evaluate(task);
    expect(original.status, original.message).toBe('correct');
    expect(original.warnings).toEqual([]);
    const slip = slips[name] ?? ['', ''];
    const file = `examples/${name}.cu`;
    const text = await readFile(path.join(root, file), 'utf8');
    expect(text).toContain(slip[0] || 'a slip of this example');
    const wrong = await evaluations.evaluate(task, [{ path: file, text: text.replace(...slip) }]);
    expect(wrong.status, wrong.message).toBe('wrong');
  });

  test('has the same task for a GPU, with other sizes', async () => {
    const { task: small } = await evaluations.prepare(`examples/${name}.task.json`);
    const { task: large } = await evaluations.prepare(`examples/${name}.gpu.task.json`);
    const of = (task: typeof small) => [task.sources, task.entry, task.work, task.arguments.map((a) => a.name)];
    expect(of(large)).toEqual(of(small));
    expect(large.scenarios).not.toEqual(small.scenarios);
  });
});
