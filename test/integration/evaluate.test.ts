// Verdicts of the CPU target, with real compilers, workers and keeper: faults, cases from the field, original against itself.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PreparedTask } from '../../src/runner/prepare.js';
import { Evaluations } from '../support/evaluations.js';
import { faults } from '../support/faults.js';

let evaluations: Evaluations;
beforeAll(async () => {
  evaluations = await Evaluations.create();
});
afterAll(() => evaluations.close());

const replaced = (task: PreparedTask, text: string): { path: string; text: string }[] => [
  { path: task.wire.original[0]!.path, text },
];

describe('a candidate that goes wrong', () => {
  for (const fault of faults) {
    it(`${fault.name}: ${fault.cpu.join(' or ')}`, async () => {
      const task = await evaluations.prepare('test/faults/affine.task.json');
      const verdict = await evaluations.evaluate(task, replaced(task, fault.source));
      expect(fault.cpu, verdict.message).toContain(verdict.status);
      if (fault.says) expect(verdict.message).toMatch(fault.says);
      expect(verdict.output?.length ?? 0).toBeLessThan(20_000);
    });
  }

  it('does not keep the next one from running', async () => {
    const task = await evaluations.prepare('test/faults/affine.task.json');
    const verdict = await evaluations.evaluate(task);
    expect(verdict.status, verdict.message).toBe('correct');
    expect(verdict.emulated).toBe(true);
    expect(verdict.scenarios.map((s) => s.id)).toEqual(['n=1001', 'n=100000']);
    for (const s of verdict.scenarios) expect(s.timing?.pairs).toBeGreaterThanOrEqual(7);
    expect(verdict.speedup!.low).toBeLessThanOrEqual(verdict.speedup!.value);
  });

  it('leaves no process, segment or folder behind', async () => {
    const leftovers = readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .filter((pid) => {
        try {
          return (
            /\/(host-cpu|keeper)-[0-9a-f]{24}/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')) &&
            readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(evaluations.folder)
          );
        } catch {
          return false;
        }
      });
    expect(leftovers).toEqual([]);
    // Other tests make segments meanwhile, each of which has a name for a moment only.
    const named = readdirSync('/dev/shm').filter((n) => n.startsWith('kernelseek-'));
    await expect.poll(() => readdirSync('/dev/shm').filter((n) => named.includes(n)), { timeout: 10_000 }).toEqual([]);
  });
});

describe('case 24: an output of zeros is within the tolerance', () => {
  const folder = 'test/cases/24-zeros-within-tolerance';
  it('leaves the original correct and says so, refuses candidates', async () => {
    const task = await evaluations.prepare(`${folder}/softmax.task.json`);
    const original = await evaluations.evaluate(task);
    expect(original.status).toBe('correct');
    expect(original.warnings.join()).toMatch(/does not tell it from zeros/);
    const zeros = await evaluations.evaluate(task, `${folder}/zeros.cu`);
    expect(zeros.status).toBe('task_error');
    expect(zeros.message).toMatch(/\$\.tolerance\.atol/);
  });
  it('with a tolerance that tells: zeros are wrong at nearly every index', async () => {
    const task = await evaluations.prepare(`${folder}/softmax.task.json`);
    const tight = { ...task, wire: { ...task.wire, task: { ...task.task, tolerance: { rtol: 1e-5, atol: 1e-8 } } } };
    expect((await evaluations.evaluate(tight)).status).toBe('correct');
    const zeros = await evaluations.evaluate(tight, `${folder}/zeros.cu`);
    expect(zeros.status).toBe('wrong');
    const { mismatches, elements } = zeros.scenarios[0]!.outputs[0]!;
    expect(mismatches / elements).toBeGreaterThan(0.99);
  });
});

describe('an original that says little', () => {
  it('gives only NaN: candidates are refused; only zeros: it is said', async () => {
    const task = await evaluations.prepare('test/faults/affine.task.json');
    const text = task.wire.original[0]!.text;
    const having = (value: string): PreparedTask => ({
      ...task,
      wire: { ...task.wire, original: replaced(task, text.replace('a * x[i] + 1.f', value)) },
    });
    const original = await evaluations.evaluate(having('x[i] / 0.f * 0.f'));
    expect(original.status).toBe('correct');
    expect(original.warnings.join()).toMatch(/nothing but NaN in y/);
    const refused = await evaluations.evaluate(
      having('x[i] / 0.f * 0.f'),
      replaced(task, text.replace('a * x[i] + 1.f', 'NAN')),
    );
    expect(refused.status).toBe('task_error');
    const zeros = await evaluations.evaluate(having('0.f'));
    expect(zeros.warnings.join()).toMatch(/nothing but zeros in y/);
  });
});

describe('an original that does not reproduce itself', () => {
  it('covers a difference of its own size, though no NaN', async () => {
    const task = await evaluations.prepare('test/faults/affine.task.json');
    const text = task.wire.original[0]!.text;
    const launch = /^.*<<<.*$/m.exec(text)![0];
    const moving = text.replace(launch, `static int calls; a += calls++ % 2 * 0.5f;\n${launch}`);
    const unsteady = { ...task, wire: { ...task.wire, original: replaced(task, moving) } };
    const original = await evaluations.evaluate(unsteady);
    expect(original.warnings.join()).toMatch(/does not reproduce y/);
    const steady = await evaluations.evaluate(unsteady, replaced(task, text));
    expect(steady.status, steady.message).toBe('inconclusive');
    const nan = text.replace(launch, `a = NAN;\n${launch}`);
    const wrong = await evaluations.evaluate(unsteady, replaced(task, nan));
    expect(wrong.status, wrong.message).toBe('wrong');
  });
});

describe('a workspace', () => {
  it('has bounds like a result', async () => {
    const task = await evaluations.prepare('test/faults/affine.task.json');
    const wire = JSON.parse(JSON.stringify(task.wire)) as PreparedTask['wire'] & { task: { arguments: unknown[] } };
    wire.task.arguments.push({ name: 'w', type: 'float*', shape: ['n'], role: 'workspace' });
    const having = (index: string): { path: string; text: string }[] =>
      replaced(
        task,
        `__global__ void k(const float* x, float* y, float a, int n, float* w) {
           int i = blockIdx.x * blockDim.x + threadIdx.x;
           if (i < n) { w[i + ${index}] = a * x[i]; y[i] = a * x[i] + 1.f; }
         }
         void affine(const float* x, float* y, float a, int n, float* w, cudaStream_t s) {
           k<<<(n + 255) / 256, 256, 0, s>>>(x, y, a, n, w);
         }`,
      );
    wire.original = having('0');
    wire.call = 'affine(x, y, a, n, w, stream)';
    const good = await evaluations.evaluate({ ...task, wire });
    expect(good.status, good.message).toBe('correct');
    const bad = await evaluations.evaluate({ ...task, wire }, having('2'));
    expect(bad.status, bad.message).toBe('finding');
    expect(bad.message).toMatch(/right after the end of w/);
  });
});

describe('case 27: infinities, signs and NaN', () => {
  const folder = 'test/cases/27-infinities-and-signs';
  const rows: [string, string, [number, unknown, unknown]?][] = [
    ['same', 'correct'],
    ['ternary-abs', 'wrong', [1, 'inf', '-inf']],
    ['finite-mask', 'wrong', [0, '-inf', -3.4028235e38]],
    ['nan-mask', 'wrong', [0, '-inf', 'nan']],
  ];
  for (const [name, status, first] of rows) {
    it(`${name}.cu is ${status}`, async () => {
      const task = await evaluations.prepare(`${folder}/recip.task.json`);
      const verdict = await evaluations.evaluate(task, `${folder}/${name}.cu`);
      expect(verdict.status, verdict.message).toBe(status);
      if (!first) return;
      const got = verdict.scenarios[0]!.outputs[0]!.first[0]!;
      expect([got.index, got.expected, got.got]).toEqual(first);
      expect(JSON.parse(JSON.stringify(verdict)).scenarios[0].outputs[0].first[0].got).toEqual(first[2]);
    });
  }
});

describe('confirmation', () => {
  it('calls neither the original nor a slower candidate faster, and a faster one is', async () => {
    const task = await evaluations.prepare('test/faults/affine.task.json');
    const original = task.wire.original[0]!.text;
    const slow = original.replace(
      'if (i < n) y[i]',
      'float s = 0; for (int k = 0; i < n && k < 300; ++k) s += sinf(x[i] + k);\n  if (s < 1e9f && i < n) y[i]',
    );
    expect(slow).not.toBe(original);
    const down = await evaluations.evaluate(task, replaced(task, slow), { mode: 'confirm' });
    expect(down.status, down.message).toBe('correct');
    expect(down.faster).toBe(false);
    const reversed = { ...task, wire: { ...task.wire, original: replaced(task, slow) } };
    const up = await evaluations.evaluate(reversed, replaced(task, original), { mode: 'confirm' });
    expect(up.faster, up.message).toBe(true);
    expect(up.speedup!.low).toBeGreaterThan(1);
    expect(up.scenarios[0]!.timing!.processes).toBeGreaterThanOrEqual(4);
  });
});

describe('cancellation', () => {
  it('rejects at once and kills what runs', async () => {
    const task = await evaluations.prepare('test/faults/affine.task.json');
    const endless = faults.find((f) => f.name === 'loops for ever while it is loaded')!;
    const controller = new AbortController();
    const work = evaluations.evaluate(task, replaced(task, endless.source), { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('cancelled by the user')), 2500);
    await expect(work).rejects.toThrow('cancelled by the user');
  });
});
