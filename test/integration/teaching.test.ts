// Kernels as people publish them: what init proposes for each is evaluated, and a slip in it is noticed. On the CPU target.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draftTask } from '../../src/runner/draft.js';
import { prepareTask, type PreparedTask } from '../../src/runner/prepare.js';
import { taskText } from '../../src/task/task-text.js';
import { Evaluations, root } from '../support/evaluations.js';
import { testParser } from '../support/grammar.js';

let evaluations: Evaluations;
beforeAll(async () => {
  evaluations = await Evaluations.create();
});
afterAll(() => evaluations.close());

/** What init writes, read again; nothing is written to disk. */
async function proposed(name: string): Promise<PreparedTask> {
  const source = path.join(root, 'test/teaching', name);
  const { proposal, taskFile } = await draftTask(source, { parser: testParser, root });
  expect(proposal.missing).toEqual([]);
  return prepareTask(taskFile, { parser: testParser, root, overlay: { [taskFile]: taskText(proposal) } });
}

/** File → a slip: text and what it becomes. */
const slips: Readonly<Record<string, readonly [string, string]>> = {
  'attention.cu': ['col <= row', 'col < row + 2'],
  'bias-relu-half.cu': ['k < n; ++k', 'k < n - 1; ++k'],
  'bodies-main.cu': ['t < 256', 't < 192'],
  'heat3d.cu': ['before[at + n * n]', 'before[at + n]'],
  'letters-main.cu': ['counts[threadIdx.x], own', 'counts[threadIdx.x + 1], own'],
  'mandelbrot-main.cu': ['2.0f * x * y', '2.0f * x + y'],
  'matmul-main.cu': ['k < TILE', 'k < TILE - 1'],
  'rmsnorm.cu': ['lanes = 16', 'lanes = 8'],
  'sum-groups.cu': ['group.sync();\n    if', 'if'],
  'sum-unrolled.cu': ['(i + size < n', '(i + size + 1 < n'],
  'tokens4.cu': ['a.w + b.w', 'a.w + b.z'],
  'transpose.cu': ['__syncthreads();', ''],
};

describe('a published kernel', () => {
  for (const [name, [right, slip]] of Object.entries(slips)) {
    it(name, { timeout: 60_000 }, async () => {
      const task = await proposed(name);
      const verdict = await evaluations.evaluate(task);
      expect(verdict.status, `${verdict.message}\n${verdict.output}`).toBe('correct');
      expect(verdict.diagnostics).toEqual([]);
      const [original] = task.wire.original;
      const text = original?.text.replace(right, slip) ?? '';
      expect(text).not.toBe(original?.text);
      const off = await evaluations.evaluate(task, [{ path: original?.path ?? '', text }]);
      expect(['wrong', 'finding', 'nondeterministic'], off.message).toContain(off.status);
    });
  }
});
