// Several runners on one machine: one device is used by one evaluation at a time, and whoever waits is told for whom.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceLock } from '../../remote-runner/evaluate/device-lock.js';
import { METHODS } from '../../remote-runner/protocol.js';
import type { PreparedTask } from '../../src/runner/prepare.js';
import { Evaluations } from '../support/evaluations.js';
import { RawClient } from '../support/raw-client.js';
import { testServer } from '../support/server.js';

const never = new AbortController().signal;
let evaluations: Evaluations;
let task: PreparedTask;
beforeAll(async () => {
  evaluations = await Evaluations.create();
  task = await evaluations.prepare('test/faults/affine.task.json');
  // What follows is not about compiling.
  expect((await evaluations.evaluate(task)).status).toBe('correct');
});
afterAll(() => evaluations.close());

describe.runIf(process.platform === 'linux')('a device that another runner uses', () => {
  it('is waited for, which the job says, and got when it is free', async () => {
    // As another runner of this machine does.
    const release = await new DeviceLock('cpu', process.env.KS_LOCK_SCOPE).acquire(never, () => undefined);
    expect((await evaluations.holders()).get('cpu')).toMatch(/^held by /);
    const told: string[] = [];
    let isDone = false;
    const verdict = evaluations.evaluate(task, undefined, { progress: ({ detail }) => told.push(detail) });
    void verdict.then(() => (isDone = true));
    try {
      await expect.poll(() => told.join('\n'), { timeout: 20_000 }).toMatch(/^waiting for CPU emulation.*, held by /m);
      const before = told.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
      // Nothing goes on meanwhile.
      expect([isDone, told.length]).toEqual([false, before]);
    } finally {
      await release();
    }
    expect((await verdict).status).toBe('correct');
    expect((await evaluations.holders()).size).toBe(0);
  });

  it('is given up waiting for when the job is cancelled', async () => {
    const release = await new DeviceLock('cpu', process.env.KS_LOCK_SCOPE).acquire(never, () => undefined);
    const controller = new AbortController();
    try {
      const progress = ({ detail }: { detail: string }): void => {
        if (detail.startsWith('waiting')) controller.abort(new Error('cancelled by the user'));
      };
      const work = evaluations.evaluate(task, undefined, { signal: controller.signal, progress });
      await expect(work).rejects.toThrow('cancelled by the user');
    } finally {
      await release();
    }
  });
});

it('initialize says which device is busy at that moment', async () => {
  const about = {
    runner: { name: 'kernelseek-runner', version: '0' },
    host: { platform: 'linux', arch: 'x64', cores: 2, cpu: 'none' },
    targets: ['a', 'b'].map((id) => ({ kind: 'cpu' as const, id, name: id, compiler: 'g++ 12' })),
    missing: [],
    tools: {},
    profiling: 'absent' as const,
  };
  const holders = new Map([['b', 'held by process 17 of user ann']]);
  const server = await testServer({ about, holders: () => Promise.resolve(holders) });
  try {
    const client = await RawClient.open(server.url);
    const ask = async (): Promise<unknown> =>
      (await client.request(METHODS.initialize, { client: { name: 'test', version: '1' } })).result;
    expect(await ask()).toMatchObject({ targets: [{ id: 'a' }, { id: 'b', busy: 'held by process 17 of user ann' }] });
    holders.clear();
    expect(JSON.stringify(await ask())).not.toMatch(/busy/);
    client.ws.close();
  } finally {
    await server.end();
  }
});
