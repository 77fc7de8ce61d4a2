// The CPU target gives what a GPU gave: every kernel of test/differential against the committed recording.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readSuite } from '../differential/kernels.js';
import { compareWith, type Recording } from '../differential/recording.js';
import { runSuite } from '../differential/run.js';
import { withTable } from '../differential/table.js';
import { toolchainOf } from '../differential/targets.js';

const folder = 'test/differential';
const file = path.join(folder, 'recording.json');
const isRecorded = existsSync(file);
if (!isRecorded) console.warn(`SKIPPED: ${file} does not exist; npm run test:gpu makes it on a machine with a GPU`);

it.skipIf(!isRecorded)(
  'agrees with the recording of a GPU, kernel by kernel',
  async () => {
    const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
    const suite = readSuite(folder);
    expect(suite.kernels.length).toBeGreaterThanOrEqual(40);
    const cacheFolder = path.resolve('node_modules/.cache/kernelseek-test');
    const toolchain = await toolchainOf('cpu', { harnessFolder: path.resolve('remote-runner/harness'), cacheFolder });
    const failed: string[] = [];
    await runSuite(toolchain, suite, path.join(cacheFolder, 'programs'), (outcome) => {
      const kernel = suite.kernels.find((k) => k.name === outcome.name)!;
      if ('error' in outcome) return failed.push(`${kernel.name}: ${outcome.error}`);
      const compared = compareWith(recording.kernels[kernel.name], kernel, outcome.bytes);
      return compared.agrees ? 0 : failed.push(`${kernel.name}: ${compared.why}`);
    });
    expect(failed).toEqual([]);
  },
  300_000,
);

it.skipIf(!isRecorded)('has its table in the documentation', () => {
  const page = readFileSync('docs/cpu-target.md', 'utf8');
  expect(page).toBe(withTable(page, readSuite(folder).kernels, JSON.parse(readFileSync(file, 'utf8')) as Recording));
});
