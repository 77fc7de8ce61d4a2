// The store of builds after a runner that was killed while it made room.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BuildResult, Toolchain } from '../targets/toolchain.js';
import { Builds, type BuildInputs } from './builds.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ks-builds-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const inputs: BuildInputs = {
  sources: [{ path: 'k.cu', text: '' }],
  files: [],
  directory: '',
  trampoline: '',
  build: { arch: 'auto', std: 'c++17', flags: [], define: {}, include: [], link: [], trace: [], timeoutMs: 1000 },
};

function counting() {
  const counted = { built: 0 };
  const toolchain: Pick<Toolchain, 'identity' | 'build'> = {
    identity: 'test',
    build: async ({ folder: work }): Promise<BuildResult> => {
      const library = path.join(work, 'candidate.so');
      await writeFile(library, `build ${++counted.built}`);
      return {
        status: 'built',
        library,
        ...{ diagnostics: [], resources: [], findings: [], warnings: [], output: '', flags: [] },
      };
    },
  };
  const builds = new Builds(path.join(folder, 'builds'));
  const build = async (): Promise<string> => {
    const job = { scratch: folder, stored: () => '', signal: new AbortController().signal };
    const result = await builds.build(toolchain as Toolchain, inputs, job);
    if (result.status !== 'built') throw new Error(result.status);
    return readFile(result.library, 'utf8');
  };
  return { build, counted };
}

test('jobs that need the same build at the same time share it, and it leaves nothing beside the store', async () => {
  const { build, counted } = counting();
  const all = await Promise.all([build(), build(), build()]);
  expect([all, counted.built]).toEqual([['build 1', 'build 1', 'build 1'], 1]);
  expect(await readdir(folder)).toEqual(['builds']);
});

test.each(['candidate.so', 'result.json'])('an entry without its %s is built again', async (lost) => {
  const { build } = counting();
  expect(await build()).toBe('build 1');
  expect(await build()).toBe('build 1');
  const [entry] = await readdir(path.join(folder, 'builds'));
  await rm(path.join(folder, 'builds', entry!, lost));
  expect(await build()).toBe('build 2');
  expect(await build()).toBe('build 2');
  expect(await readdir(path.join(folder, 'builds'))).toEqual([entry]);
});
