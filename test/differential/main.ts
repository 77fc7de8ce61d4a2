// The differential suite from a terminal. Built by scripts/differential.mjs.
//   --target cpu                    runs on the CPU target and compares with the recording
//   --target cuda --record FILE     runs on this machine's GPU and writes the recording
//   --table                         puts the table into docs/cpu-target.md
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readSuite } from './kernels.js';
import { compareWith, record, recordingOf, type Recorded, type Recording } from './recording.js';
import { runSuite } from './run.js';
import { withTable } from './table.js';
import { toolchainOf } from './targets.js';

const root = path.resolve(__dirname, '..');
const { values } = parseArgs({
  options: {
    target: { type: 'string', default: 'cpu' },
    record: { type: 'string' },
    only: { type: 'string' },
    table: { type: 'boolean', default: false },
  },
});
const folder = path.join(root, 'test/differential');
const recordingFile = path.join(folder, 'recording.json');
const readRecording = (): Recording => JSON.parse(readFileSync(recordingFile, 'utf8')) as Recording;

async function main(): Promise<void> {
  const suite = readSuite(folder);
  if (values.table) {
    const page = path.join(root, 'docs/cpu-target.md');
    writeFileSync(page, withTable(readFileSync(page, 'utf8'), suite.kernels, readRecording()));
    return;
  }
  if (values.target !== 'cpu' && values.target !== 'cuda') throw new Error('--target is cpu or cuda');
  const { only } = values;
  if (only !== undefined) suite.kernels = suite.kernels.filter((k) => new RegExp(only).test(k.name));
  const cacheFolder = path.join(os.homedir(), '.cache/kernelseek-differential');
  const harnessFolder = path.join(root, 'dist/harness');
  const toolchain = await toolchainOf(values.target, { harnessFolder, cacheFolder });
  const recording = values.record === undefined ? readRecording() : undefined;
  const recorded: Record<string, Recorded> = {};
  const failed: string[] = [];
  await runSuite(toolchain, suite, path.join(cacheFolder, 'programs'), (outcome) => {
    const kernel = suite.kernels.find((k) => k.name === outcome.name)!;
    let line = 'recorded';
    if ('error' in outcome) line = `FAILED: ${outcome.error}`;
    else if (recording === undefined) recorded[kernel.name] = record(kernel, outcome.bytes);
    else {
      const compared = compareWith(recording.kernels[kernel.name], kernel, outcome.bytes);
      line = compared.agrees
        ? `agrees, at most ${compared.difference.ulp} ulp and ${compared.difference.relative.toPrecision(2)} relative apart`
        : `FAILED: ${compared.why}`;
    }
    if (line.startsWith('FAILED')) failed.push(kernel.name);
    console.log(`${kernel.name}: ${line}`);
  });
  if (values.record !== undefined) {
    const made = recordingOf(toolchain.info, new Date().toISOString().slice(0, 10), recorded);
    writeFileSync(values.record, `${JSON.stringify(made, null, 1)}\n`);
  }
  console.log(
    `${suite.kernels.length - failed.length} of ${suite.kernels.length} kernels; failed: ${failed.join(', ') || 'none'}`,
  );
  if (failed.length > 0) process.exitCode = 1;
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
