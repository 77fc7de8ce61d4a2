// Strict mode of the CPU target: faults that leave the results right, and honest code that looks like one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PreparedTask } from '../../src/runner/prepare.js';
import { Evaluations } from '../support/evaluations.js';
import { honestStrict } from '../support/honest-strict.js';
import { planted } from '../support/planted.js';

let evaluations: Evaluations;
let affine: PreparedTask;
beforeAll(async () => {
  evaluations = await Evaluations.create();
  affine = await evaluations.prepare('test/faults/affine.task.json');
  // The runtime is compiled by the first.
  await evaluations.evaluate(affine);
}, 240_000);
afterAll(() => evaluations.close());

const candidate = (text: string): { path: string; text: string }[] => [{ path: affine.wire.original[0]!.path, text }];

for (const fault of planted) {
  test(`${fault.name}: ${fault.cpu ?? 'correct'}`, async () => {
    const verdict = await evaluations.evaluate(affine, candidate(fault.source));
    if (fault.cpu === undefined) {
      // A mask without the lane ends the kernel in any mode.
      const status = fault.source.includes('__syncwarp(0x0000ffffu)') ? 'crash' : 'correct';
      expect(verdict, verdict.message).toMatchObject({ status, findings: [] });
      return;
    }
    expect(verdict.findings[0] ?? verdict, verdict.message).toMatchObject({
      code: fault.cpu,
      file: affine.wire.original[0]!.path,
    });
    expect(fault.lines).toContain(verdict.findings[0]?.line);
    expect(verdict.status).toBe('finding');
    if (fault.says) expect(verdict.message).toMatch(fault.says);
  }, 60_000);
}

for (const [name, { source, warns }] of Object.entries(honestStrict)) {
  test(`${name}: no finding`, async () => {
    const verdict = await evaluations.evaluate(affine, candidate(source));
    expect(verdict, verdict.message).toMatchObject({ status: 'correct', findings: [] });
    expect(verdict.sanitized).toEqual([{ scenario: 'n=1001', covered: ['strict mode'], notCovered: [] }]);
    const notes = verdict.warnings.filter((w) => w.startsWith('scenario n=1001: '));
    if (warns) expect(notes.join('\n')).toMatch(warns);
    else expect(notes).toEqual([]);
  }, 60_000);
}

test('case 33: a misaligned vector load is found at its line, the scalar one is none', async () => {
  const task = await evaluations.prepare('test/cases/33-misaligned-float4/shift.task.json');
  const plain = await evaluations.evaluate(task);
  expect(plain, plain.message).toMatchObject({ status: 'correct', findings: [] });
  const vector = await evaluations.evaluate(task, 'test/cases/33-misaligned-float4/vector.cu');
  expect(['crash', 'finding']).toContain(vector.status);
  expect(vector.findings[0]).toMatchObject({ code: 'misaligned', line: 4 });
  expect(vector.message).toContain('shift.cu:4');
}, 60_000);
