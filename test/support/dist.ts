// All bundles as they ship, built by the build script into a folder of the test's own.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(__dirname, '../..');

/** @returns the folder of cli.js, session.js and runner.js, and what removes it */
export async function buildDist(): Promise<{ dist: string; remove: () => Promise<void> }> {
  const dist = await mkdtemp(path.join(tmpdir(), 'kernelseek-dist-'));
  await promisify(execFile)(process.execPath, [path.join(root, 'scripts/build.mjs'), '--out', dist]);
  return { dist, remove: () => rm(dist, { recursive: true, force: true }) };
}
