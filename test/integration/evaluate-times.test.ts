// Times and comparisons: what the candidate's process tells is not believed, and an incumbent is timed beside the candidate.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** Rewrites the code of the clock it is timed with, so that every call takes a tenth of a microsecond. */
const liar = `#include <sys/mman.h>
#include <string.h>
__attribute__((constructor)) static void lie() {
  unsigned char* code = (unsigned char*)(void*)&cudaEventElapsedTime;
  const float ms = 1e-4f;
#if defined(__x86_64__)
  unsigned char mine[] = {0xc7, 0x07, 0, 0, 0, 0, 0x31, 0xc0, 0xc3};  // mov dword [rdi], ms; xor eax, eax; ret
  memcpy(mine + 2, &ms, 4);
#else
#error another machine's code is wanted here
#endif
  unsigned long long page = (unsigned long long)code & ~4095ull;
  mprotect((void*)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy(code, mine, sizeof mine);
}
`;

describe('times that the candidate’s process makes up', { timeout: 180_000 }, () => {
  it.skipIf(process.arch !== 'x64')('are not confirmed by the keeper’s clock', async () => {
    const verdict = await evaluations.evaluate(task, sources(original + liar), { mode: 'confirm' });
    expect(verdict.status, verdict.message).toBe('finding');
    expect(verdict.findings.map((f) => f.code)).toContain('time_unconfirmed');
    expect(verdict.faster).toBeUndefined();
  });
});

describe('an incumbent', { timeout: 180_000 }, () => {
  const work = (n: number): string =>
    original.replace(
      'if (i < n) y[i]',
      `float s = 0; for (int k = 0; i < n && k < ${n}; ++k) s += sinf(x[i] + k);\n  if (s < 1e9f && i < n) y[i]`,
    );

  it('is timed in the same rounds, and a challenger is told whether it beats it', async () => {
    const slow = { ...task, wire: { ...task.wire, original: sources(work(200)) } };
    const incumbent = sources(original);
    const worse = await evaluations.evaluate(slow, sources(work(20)), { mode: 'confirm', incumbent });
    expect(worse.status, worse.message).toBe('correct');
    expect(worse.faster).toBe(true);
    expect(worse.overIncumbent!.high).toBeLessThan(1);
    expect(worse.provenance?.incumbentSha256).toMatch(/^[0-9a-f]{64}$/);
    const timing = worse.scenarios[0]!.timing!;
    expect(timing.incumbentMs).toBeGreaterThan(0);
    expect(timing.overIncumbent!.value).toBeLessThan(timing.speedup.value);
    const better = await evaluations.evaluate(slow, incumbent, { incumbent: sources(work(20)) });
    expect(better.overIncumbent!.low, better.message).toBeGreaterThan(1);
  });

  it('that does not build, or does not fit, is named', async () => {
    const broken = await evaluations.evaluate(task, undefined, { incumbent: sources('int') });
    expect(broken.status).toBe('task_error');
    expect(broken.message).toMatch(/the incumbent does not compile/);
    const other = await evaluations.evaluate(task, undefined, { incumbent: [{ path: 'other.cu', text: '' }] });
    expect(other.status).toBe('task_error');
    expect(other.message).toMatch(/incumbent/);
  });
});

it('times a candidate that is clearly slower with the fewest pairs, and says so', async () => {
  const slow = original.replace(
    'if (i < n) y[i]',
    'float s = 0; for (int k = 0; i < n && k < 100; ++k) s += sinf(x[i] + k);\n  if (s < 1e9f && i < n) y[i]',
  );
  const verdict = await evaluations.evaluate(task, sources(slow));
  expect(verdict.status, verdict.message).toBe('correct');
  expect(verdict.scenarios.map((s) => s.timing?.pairs)).toEqual(verdict.scenarios.map(() => 7));
  expect(verdict.warnings.join()).toMatch(/clearly slower/);
});
