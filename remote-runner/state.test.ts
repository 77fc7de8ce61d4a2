// The state folder: what a kill left is removed, what is not the runner's is not.
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openState } from './state.js';

test('a folder that was there before keeps its mode and whatever else is in it', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'ks-state-'));
  try {
    await chmod(root, 0o755);
    for (const name of ['lock', 'systemd', '0-x', '999999999-left']) {
      await mkdir(path.join(root, 'run', name), { recursive: true });
    }
    const state = await openState(root);
    expect((await readdir(path.join(root, 'run'))).sort()).toEqual(
      ['0-x', 'lock', 'systemd', path.basename(state.run)].sort(),
    );
    expect((await stat(root)).mode & 0o777).toBe(0o755);
    expect((await stat(state.run)).mode & 0o777).toBe(0o700);
    state.dispose();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
