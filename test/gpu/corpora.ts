// The cheat corpus and the honest corpus on a CUDA machine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { SourceFile, Verdict } from '../../remote-runner/protocol.js';
import { candidateFrom, type PreparedTask } from '../../src/runner/prepare.js';
import { type Cheat, cheats, getsThrough, whatItDoes } from '../support/cheats.js';
import { honest } from '../support/honest.js';

export interface Suite {
  root: string;
  /** What is printed at the end. */
  rows: string[];
  prepare(file: string, overlay?: Record<string, string>): Promise<PreparedTask>;
  /** With host code, unless `tier` leaves the choice to the runner. */
  evaluate(
    task: PreparedTask,
    candidate?: SourceFile[],
    mode?: 'first' | 'confirm',
    more?: { tier?: 'any' },
  ): Promise<Verdict>;
}

/** Scenarios in place of the task's own where those are too small for a GPU to tell times apart. */
const gpuScenarios: Record<string, object[]> = {
  'smooth-large': [{ n: 4_000_003 }],
  stream: [{ n: 4_000_000 }],
  gemm: [{ n: 1024 }],
};

/** Compilers run side by side while one candidate has the device. */
const concurrency = 4;

const brief = (v: Verdict): string => `${v.status} (${v.message.slice(0, 140)})`;

export function corpora(suite: Suite): void {
  const { root, rows } = suite;
  const taskOf = (name: string): Promise<PreparedTask> => {
    const file = path.join(root, 'test/cheats', `${name}.task.json`);
    const scenarios = gpuScenarios[name];
    if (!scenarios) return suite.prepare(file);
    const task = JSON.parse(readFileSync(file, 'utf8')) as object;
    return suite.prepare(file, { [file]: JSON.stringify({ ...task, scenarios }) });
  };

  const cheatTest = (cheat: Cheat): void => {
    const { name, cuda, uncaught } = cheat;
    if (!cuda) return;
    const file = path.join(root, 'test/cheats', `${name}.cu`);
    test(`cheat ${name}: ${whatItDoes(readFileSync(file, 'utf8'))}`, async () => {
      const task = await taskOf(cheat.task);
      const started = Date.now();
      const verdict = await suite.evaluate(task, await candidateFrom(task, file, '--source'), cheat.mode);
      rows.push(`cheat ${name}: ${brief(verdict)} in ${Date.now() - started} ms`);
      const through = getsThrough(verdict, cuda);
      if (uncaught?.cuda === undefined) assert.equal(through, undefined);
      else assert.ok(through, `caught now: it is no longer true that ${uncaught.cuda}`);
    });
    test(`cheat ${name}, as its text is launched`, async () => {
      const task = await taskOf(cheat.task);
      const verdict = await suite.evaluate(task, await candidateFrom(task, file, '--source'), cheat.mode, {
        tier: 'any',
      });
      rows.push(`cheat ${name}, tier ${verdict.tier}: ${brief(verdict)}`);
      // Without its host code a trick that lies there does nothing.
      if (verdict.tier === 1) assert.equal(getsThrough(verdict, [...cuda, 'correct']), undefined);
    });
  };
  // Those that disturb others run alone.
  const disturbs = (c: Cheat): boolean => c.mode === 'confirm' || c.task === 'smooth-large' || c.name === 'memory-hog';
  void describe('cheats', { concurrency }, () => cheats.filter((c) => !disturbs(c)).forEach(cheatTest));
  void describe('cheats, one by one', () => {
    cheats.filter(disturbs).forEach(cheatTest);
    test('after all cheats an original is correct', async () => {
      const verdict = await suite.evaluate(await taskOf('smooth'));
      assert.equal(verdict.status, 'correct', verdict.message);
    });
  });

  const honestTest = (name: string, fast: boolean, mode: 'first' | 'confirm'): void => {
    test(`honest ${name}${fast ? ', its faster version' : ''}, ${mode}`, async () => {
      const task = await suite.prepare(path.join(root, 'test/honest', `${name}.task.json`));
      const file = path.join(root, 'test/honest', `${name}.fast.cu`);
      const verdict = await suite.evaluate(task, fast ? await candidateFrom(task, file, '--source') : undefined, mode, {
        tier: 'any',
      });
      rows.push(`honest ${name}${fast ? ' fast' : ''} ${mode}, tier ${verdict.tier}: ${brief(verdict)}`);
      assert.equal(verdict.status, 'correct', `${verdict.message}\n${verdict.output ?? ''}`);
      assert.deepEqual(verdict.findings, []);
    });
  };
  void describe('honest kernels', { concurrency }, () => {
    for (const { name, confirm } of honest) {
      honestTest(name, false, 'first');
      honestTest(name, true, 'first');
      if (confirm) honestTest(name, true, 'confirm');
    }
  });
}
