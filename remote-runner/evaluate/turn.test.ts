// Whose turn it is: programs that are stopped while it is another's, by each means that this machine has.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../sandbox/sandbox.js';
import { LIBRARIES } from '../sandbox/views.js';
import { findCpuCompiler } from '../targets/cpu/compiler.js';
import { killGroup } from '../targets/run-tool.js';
import { processesBelow } from './cpu-time.js';
import { Turn } from './turn.js';

/** A loaded machine may take its time to stop or to run a process. */
const PATIENCE = { timeout: 20_000 };

const harness = path.resolve(__dirname, '../harness');
const compiler = await findCpuCompiler(process.env);
const folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-turn-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const create = (ways: Parameters<typeof Sandbox.create>[4]): Promise<Sandbox> =>
  Sandbox.create(compiler!.path, harness, path.join(folder, 'programs'), process.env, ways);
const sandboxes = await Promise.all([create(['namespaces']), create(['user namespaces']), create([])]);

/** States of the programs that `launcher` supervises, as /proc has them: T is stopped. */
async function states(launcher: number): Promise<string[]> {
  const texts = await Promise.all(
    processesBelow(launcher).map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  const programs = texts.filter((t) => /\((?:sh|sleep)\)/.test(t));
  return programs.map((t) => t.slice(t.lastIndexOf(')') + 2)[0]!).filter((state) => state !== 'Z');
}

/** Those that do not stand still. D is a parent whose child was stopped between vfork and exec: it runs no more than the child. */
const atWork = async (launcher: number): Promise<string[]> =>
  (await states(launcher)).filter((state) => state !== 'T' && state !== 'D');

describe.each(sandboxes.map((s) => [s.isolation.means, s] as const))('by %s', (_, sandbox) => {
  it('a program and all it has started stand still until their turn', async () => {
    const command = sandbox.confine(
      { file: '/bin/sh', args: ['-c', 'setsid sh -c "while :; do sleep 0.01; done" & while :; do :; done'] },
      {
        read: [...LIBRARIES, '/bin', '/usr/bin'],
        temporaryBytes: 2 ** 20,
        descriptors: 3,
        takesTurns: true,
        limits: { processes: 64, files: 64, fileBytes: 2 ** 20 },
      },
    );
    const child = spawn(command.file, command.args, {
      cwd: '/',
      detached: true,
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    try {
      const turn = new Turn(child.stdio[3] as Duplex);
      await expect.poll(async () => (await states(child.pid!)).length, PATIENCE).toBeGreaterThan(1);
      // One that is to be stopped runs no more, but may have to wait for a core to stand still.
      turn.begin();
      await turn.end();
      await expect.poll(() => atWork(child.pid!), PATIENCE).toEqual([]);
      turn.begin();
      turn.begin();
      await turn.end();
      await expect.poll(() => states(child.pid!), PATIENCE).toContain('R');
      await turn.end();
      await expect.poll(() => atWork(child.pid!), PATIENCE).toEqual([]);
      const gone = new Promise((resolve) => child.once('close', resolve));
      turn.begin();
      killGroup(child.pid);
      await gone;
      await turn.end();
    } finally {
      killGroup(child.pid);
    }
  });
});
