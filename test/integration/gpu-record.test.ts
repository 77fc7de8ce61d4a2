// What is kept of a run of the GPU suite, and what is said of it where there is no GPU.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aboutRecord, readRecord } from '../../scripts/gpu-record.mjs';
import { sourcesHash } from '../../scripts/gpu-sources.mjs';

const root = path.resolve(__dirname, '../..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-record-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A suite of two tests that stands for that of a GPU machine: one passes, one as it is told. */
function recorded(fails: boolean, ...options: string[]): { code: number | null; text: string; shown: string } {
  const suite = path.join(folder, 'gpu-suite.js');
  writeFileSync(
    suite,
    `const { test, after } = require('node:test');
test('one', () => {});
test('two', () => { if (${fails}) throw new Error('no'); });
after(() => process.stdout.write('\\ndevice NVIDIA H200, sm_90a\\n'));`,
  );
  writeFileSync(path.join(folder, 'gpu-suite.sources'), 'abc\n');
  const file = path.join(folder, 'record.txt');
  const program = path.join(root, 'scripts/gpu-record.mjs');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = spawnSync(process.execPath, [program, '--record', file, ...options], {
    env: { ...env, KERNELSEEK_GPU_SUITE: suite },
    encoding: 'utf8',
  });
  return { code: run.status, text: readFileSync(file, 'utf8'), shown: run.stdout };
}

describe('a record', () => {
  it('is what the suite prints, with the hash of its sources', () => {
    const { code, text, shown } = recorded(false);
    expect(code).toBe(0);
    expect(text).toContain(shown);
    expect(readRecord(text)).toMatchObject({ sources: 'abc', passed: 2, failed: 0, device: 'NVIDIA H200, sm_90a' });
    expect(aboutRecord(text, 'abc')).toMatch(/on these very sources: 2 passed, 0 failed, 0 skipped; NVIDIA H200/);
    expect(aboutRecord(text, 'abd')).toMatch(/on other sources than these: 2 passed/);
  });
  it('of a failure says so, and the run fails', () => {
    const { code, text } = recorded(true);
    expect(code).toBe(1);
    expect(readRecord(text)).toMatchObject({ passed: 1, failed: 1 });
  });
  it('of a part says which', () => {
    const { text } = recorded(true, '--test-name-pattern=one');
    expect(aboutRecord(text, 'abc')).toMatch(/\(a part: --test-name-pattern=one\): 1 passed, 0 failed/);
  });
  it('that is missing or broken off is no record', () => {
    expect(aboutRecord(undefined, 'abc')).toMatch(/no record/);
    const { text } = recorded(false);
    expect(aboutRecord(text.slice(0, text.indexOf('# pass')), 'abc')).toMatch(/broken off/);
  });
});

describe('the hash of sources', () => {
  it('changes with names and contents, not with unit tests and records', () => {
    const at = path.join(folder, 'tree');
    mkdirSync(path.join(at, 'test/gpu'), { recursive: true });
    const write = (name: string, text: string): void => writeFileSync(path.join(at, 'test/gpu', name), text);
    const hash = (): string => sourcesHash(at, ['test/gpu']);
    write('a.ts', '1');
    const first = hash();
    write('record.txt', 'x');
    write('a.test.ts', 'x');
    expect(hash()).toBe(first);
    write('b.ts', '1');
    const second = hash();
    expect(second).not.toBe(first);
    write('b.ts', '2');
    expect(hash()).not.toBe(second);
  });
  it('of this checkout can be taken', () => {
    expect(sourcesHash(root)).toMatch(/^[0-9a-f]{64}$/);
  });
});
