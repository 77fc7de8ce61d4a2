// What a candidate may call: by default no more ways out of its sources than the original takes.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PreparedTask } from '../../src/runner/prepare.js';
import { Evaluations } from '../support/evaluations.js';

let evaluations: Evaluations;
let task: PreparedTask;
let original: string;
beforeAll(async () => {
  evaluations = await Evaluations.create();
  task = await evaluations.prepare('test/faults/affine.task.json');
  original = task.wire.original[0]!.text;
});
afterAll(() => evaluations.close());

const sources = (text: string): { path: string; text: string }[] => [{ path: task.wire.original[0]!.path, text }];
const withTask = (more: object): PreparedTask => ({
  ...task,
  wire: { ...task.wire, task: { ...(task.wire.task as object), ...more } },
});
const opens = `#include <dlfcn.h>\nvoid* opened() { return dlopen("libm.so.6", RTLD_NOW); }\n`;

it('a library opened by name is a finding, unless the original opens one too', async () => {
  const verdict = await evaluations.evaluate(task, sources(opens + original));
  expect(verdict.status, verdict.message).toBe('finding');
  expect(verdict.findings).toEqual([expect.objectContaining({ code: 'forbidden_call' })]);
  expect(verdict.message).toMatch(/dlopen/);
  const both = { ...task, wire: { ...task.wire, original: sources(opens + original) } };
  const alike = await evaluations.evaluate(both, sources(`${opens}${original}// changed\n`));
  expect(alike.status, alike.message).toBe('correct');
});

it('what the task forbids is a finding: a function that is called, a library whose header is included', async () => {
  const calls = '#include <cmath>\n#include <cstdlib>\nint chance() { return rand(); }\n';
  expect((await evaluations.evaluate(task, sources(calls + original))).status).toBe('correct');
  const called = await evaluations.evaluate(withTask({ forbid: ['rand'] }), sources(calls + original));
  expect(called.status, called.message).toBe('finding');
  expect(called.message).toMatch(/rand/);
  const included = await evaluations.evaluate(withTask({ forbid: ['cstd'] }), sources(calls + original));
  expect(included.findings).toEqual([expect.objectContaining({ code: 'forbidden_call', line: 2 })]);
});
