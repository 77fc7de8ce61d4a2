// Every way a kernel can be called, from task file to verdict, on the CPU target.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareTask } from '../../src/runner/prepare.js';
import { callTasks, callTaskText } from '../support/calls.js';
import { Evaluations, root } from '../support/evaluations.js';
import { testParser } from '../support/grammar.js';

let evaluations: Evaluations;
beforeAll(async () => {
  evaluations = await Evaluations.create();
});
afterAll(() => evaluations.close());

describe('a kernel called as', () => {
  const task = path.join(root, 'test/calls/calls.task.json');
  for (const name of Object.keys(callTasks)) {
    it(name, async () => {
      const prepared = await prepareTask(task, { parser: testParser, root, overlay: { [task]: callTaskText(name) } });
      const verdict = await evaluations.evaluate(prepared);
      expect(verdict.status, `${verdict.message}\n${verdict.output}`).toBe('correct');
      expect(verdict.scenarios.every((s) => s.outputs.length > 0 && s.timing)).toBe(true);
      expect(verdict.warnings).toEqual([]);
      // The same sources, but each with one result off by a little: what is judged is really what was called.
      const original = prepared.wire.original[0]!;
      const text = original.text
        .replace('* factor)', '* (factor + 0.05f))')
        .replace('y[i] = sum;', 'y[i] = sum + (i == 3);')
        .replace('? 1.5', '? 1.5000001');
      const off = await evaluations.evaluate(prepared, [{ path: original.path, text }]);
      expect(off.status, off.message).toBe('wrong');
    });
  }
});
