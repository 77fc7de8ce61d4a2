// Jobs on disk: what ended comes back, what did not or is damaged does not, and old ones go.
import { mkdtempSync } from 'node:fs';
import { readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JobEventBody } from '../protocol.js';
import { Job } from './job.js';
import { Journal } from './journal.js';

const phase: JobEventBody = { type: 'phase', phase: 'build', detail: 'compiling' };
const ended: JobEventBody = { type: 'ended', reason: 'infrastructure', message: 'no compiler' };
let folder: string;
let lines: string[];
const journal = (): Journal => new Journal(folder, (line) => lines.push(line));

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kernelseek-journal-'));
  lines = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(id: string): Promise<Job> {
  const job = new Job(id, 'hash', undefined);
  const to = journal();
  to.opened(job);
  to.appended(job.append(phase));
  job.append(ended);
  await to.ended(job);
  return job;
}

test('a job that ended comes back with its events and hash', async () => {
  const job = await write('a');
  const found = journal().find('a');
  expect(found?.retained).toEqual(job.retained);
  expect([found?.hash, found?.ended]).toEqual(['hash', true]);
});

test('one that did not end, one that never was, and a damaged one are not found', async () => {
  await write('damaged');
  const file = path.join(folder, 'damaged.jsonl');
  await writeFile(file, (await readFile(file, 'utf8')).slice(0, -20));
  await writeFile(path.join(folder, 'open.jsonl'), '{"job":"open","hash":"h"}\n');
  expect(['damaged', 'open', 'never'].map((id) => journal().find(id))).toEqual([undefined, undefined, undefined]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('job damaged');
});

test('a folder that cannot be written costs memory of the job, not the job', async () => {
  await rm(folder, { recursive: true });
  const to = new Journal(folder, (line) => lines.push(line));
  await rm(folder, { recursive: true });
  const job = new Job('a', 'hash', undefined);
  to.opened(job);
  job.append(ended);
  await to.ended(job);
  expect(lines.join()).toContain('could not be written');
});

test('the old and the many go', async () => {
  for (const id of ['old', 'one', 'two', 'three']) await write(id);
  const at = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
  for (const [id, age] of [
    ['old', 1000],
    ['one', 30],
    ['two', 20],
    ['three', 10],
  ] as const) {
    await utimes(path.join(folder, `${id}.jsonl`), at(age), at(age));
  }
  await journal().sweep(500_000, 2);
  expect((await readdir(folder)).sort()).toEqual(['three.jsonl', 'two.jsonl']);
});
