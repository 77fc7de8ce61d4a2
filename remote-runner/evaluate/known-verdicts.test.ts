// Duplicates are answered from the store: the same content on the same device, and nothing that another run could turn.
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bareVerdict, type EvaluateParams, STATUSES, type Status, type Verdict } from '../protocol.js';
import type { Toolchain } from '../targets/toolchain.js';
import { KnownVerdicts } from './known-verdicts.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ks-known-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const device = (id: string, identity = 'g++ 12'): Toolchain =>
  ({ identity, info: { kind: 'cuda', id, name: 'a GPU', driver: '580', compiler: 'nvcc' } }) as Toolchain;
const source = { path: 'k.cu', text: 'original' };
const params: EvaluateParams = {
  kind: 'evaluate',
  task: { task: { build: {} }, directory: '', original: [source], files: [] },
  target: 'auto',
  mode: 'first',
};
const never = new AbortController().signal;

interface Asked {
  edition?: string;
  toolchains?: Toolchain[];
  status?: Status;
}

/** @returns whether it was evaluated, and the verdict */
async function ask(of: Partial<EvaluateParams> = {}, { edition = 'one', toolchains, status }: Asked = {}) {
  const on = toolchains ?? [device('GPU-1')];
  let evaluated = false;
  const verdict = await new KnownVerdicts(folder, edition).answer({ ...params, ...of }, on, never, async () => {
    evaluated = true;
    const startedAt = '2026-01-02T03:04:05.000Z';
    const provenance = { candidateSha256: '', originalSha256: '', flags: [], compiler: '', seed: '', startedAt };
    return { ...bareVerdict(status ?? 'correct', 'fine', 'first'), target: on[0]!.info, provenance };
  });
  return { evaluated, verdict };
}

test('the same again is answered with a note', async () => {
  expect((await ask()).verdict).not.toHaveProperty('fromStore');
  const { evaluated, verdict } = await ask();
  expect(evaluated).toBe(false);
  expect(verdict.fromStore).toEqual({ startedAt: '2026-01-02T03:04:05.000Z' });
  expect(verdict.message).toBe('fine (evaluated on 2026-01-02 at 03:04 UTC, not again)');
});

describe('it does not matter', () => {
  test.each<[string, Partial<EvaluateParams>, Asked]>([
    ['whether the original is named or left out', { candidate: [source] }, {}],
    ['how the target is chosen', { target: 'cuda' }, {}],
    ['which other devices there are', {}, { toolchains: [device('GPU-2'), device('GPU-1')] }],
  ])('%s', async (_, of, asked) => {
    await ask();
    expect((await ask(of, asked)).evaluated).toBe(false);
  });
});

describe('it is evaluated again', () => {
  test.each<[string, Partial<EvaluateParams>, Asked]>([
    ['where asked for', { fresh: true }, {}],
    ['in another mode', { mode: 'confirm' }, {}],
    ['with other sources', { candidate: [{ ...source, text: 'faster' }] }, {}],
    ['with other flags', { task: { ...params.task, task: { build: { flags: ['-O1'] } } } }, {}],
    [
      'with another original',
      { task: { ...params.task, original: [{ ...source, text: 'x' }] }, candidate: [source] },
      {},
    ],
    [
      'with another header',
      { task: { ...params.task, files: [{ path: 'a.h', sha256: '1'.repeat(64), size: 1 }] } },
      {},
    ],
    ['with another host compiler', {}, { toolchains: [device('GPU-1', 'g++ 13')] }],
    ['on another device', {}, { toolchains: [device('GPU-2')] }],
    ['by another evaluator', {}, { edition: 'two' }],
  ])('%s', async (_, of, asked) => {
    await ask();
    expect((await ask(of, asked)).evaluated).toBe(true);
  });

  test.each(STATUSES)('or not: %s', async (status) => {
    await ask({}, { status });
    const lasting = ['correct', 'wrong', 'compile_error', 'launch_error', 'finding', 'unsupported'];
    expect((await ask({}, { status })).evaluated).toBe(!lasting.includes(status));
  });

  test('when what is stored is damaged', async () => {
    await ask();
    for (const name of await readdir(folder)) await appendFile(path.join(folder, name), '}');
    expect((await ask()).evaluated).toBe(true);
    expect((await ask()).evaluated).toBe(false);
  });
});

test('what is under way is waited for; who gives up does so at once; a failure is the next one’s to try', async () => {
  const known = new KnownVerdicts(folder, 'one');
  let fail!: (error: Error) => void;
  const failing = new Promise<Verdict>((_, reject) => (fail = reject));
  failing.catch(() => undefined);
  const first = known.answer(params, [device('GPU-1')], never, () => failing);
  const controller = new AbortController();
  const impossible = (): Promise<Verdict> => Promise.reject(new Error('evaluated beside the first'));
  const impatient = known.answer(params, [device('GPU-1')], controller.signal, impossible);
  controller.abort(new Error('enough'));
  await expect(impatient).rejects.toThrow('enough');
  const second = known.answer(params, [device('GPU-1')], never, () =>
    Promise.resolve(bareVerdict('correct', 'second', 'first')),
  );
  fail(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  expect((await second).message).toBe('second');
});
