// Jobs on disk: what ended comes back, what did not end is found once, torn lines and planted links do no harm, old ones go.
import { mkdtempSync } from 'node:fs';
import { appendFile, mkdir, readFile, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JobEventBody, JobParams } from '../protocol.js';
import { Job } from './job.js';
import { Journal } from './journal.js';

const phase: JobEventBody = { type: 'phase', phase: 'build', detail: 'compiling' };
const ended: JobEventBody = { type: 'ended', reason: 'infrastructure', message: 'no compiler' };
const params: JobParams = {
  kind: 'calibrate',
  task: { task: {}, directory: '', original: [{ path: 'k.cu', text: '' }], files: [] },
  target: 'auto',
};
let folder: string;
let lines: string[];
const at = (...parts: string[]): string => path.join(folder, ...parts);
const journal = (): Journal => new Journal({ ended: at('ended'), open: at('open') }, (line) => lines.push(line));

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kernelseek-journal-'));
  lines = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(id: string): Promise<Job> {
  const job = new Job(id, 'hash', undefined);
  const to = journal();
  await to.opened(job);
  void to.appended(job.append(phase));
  job.append(ended);
  await to.ended(job);
  return job;
}

/** Begun, two events told, no end. */
async function leave(id: string): Promise<Job> {
  const job = new Job(id, 'hash', params, { client: 'c' });
  const to = journal();
  await to.opened(job);
  await to.attempted(job, { starts: 1, lost: 1 });
  await to.appended(job.append(phase));
  await to.appended(job.append(phase));
  return job;
}

test('a job that ended comes back with its events and hash, and is open no more', async () => {
  const job = await write('a');
  const found = journal().find('a');
  expect(found?.retained).toEqual(job.retained);
  expect([found?.hash, found?.ended]).toEqual(['hash', true]);
  expect(await readdir(at('open'))).toEqual([]);
});

test('a damaged one and one that never was are not found', async () => {
  await write('damaged');
  const file = at('ended', 'damaged.jsonl');
  await writeFile(file, (await readFile(file, 'utf8')).slice(0, -20));
  expect(['damaged', 'never'].map((id) => journal().find(id))).toEqual([undefined, undefined]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('job damaged');
});

test('a job that did not end is found with what the next runner must know', async () => {
  await leave('a');
  expect(await journal().unfinished()).toEqual([
    { id: 'a', hash: 'hash', client: 'c', params, attempts: { starts: 1, lost: 1 }, seq: 2 },
  ]);
});

test('lines that a kill or a full disk tore cost what they said, no more', async () => {
  await leave('a');
  await appendFile(at('open', 'a.jsonl'), '{"job":"a","seq":3,"ev');
  await appendFile(at('open', 'a.jsonl'), '\n{"starts":2,"lost":1}\n{"starts":');
  expect(await journal().unfinished()).toMatchObject([{ seq: 2, attempts: { starts: 2, lost: 1 } }]);
});

test('what is no open job is told and removed: a torn head, an end that was recorded, a stranger’s file', async () => {
  await write('done');
  await leave('torn');
  await writeFile(at('open', 'done.jsonl'), '{"job":"done","hash":"hash"}\n');
  await writeFile(at('open', 'torn.jsonl'), '{"job":"torn","ha');
  await mkdir(at('open', 'folder.jsonl'));
  await writeFile(at('open', 'notes'), '');
  expect(await journal().unfinished()).toEqual([]);
  expect(await readdir(at('open'))).toEqual([]);
  expect(journal().find('done')?.ended).toBe(true);
  expect(lines.join('\n')).toContain('job torn');
});

test('links are neither read nor written through', async () => {
  const precious = at('precious');
  await writeFile(precious, 'untouched');
  journal();
  for (const link of ['open/a.jsonl', 'ended/a.jsonl', 'ended/a.jsonl.new']) await symlink(precious, at(link));
  await write('a');
  expect(await readFile(precious, 'utf8')).toBe('untouched');
  await rm(at('ended', 'a.jsonl'));
  await write('real');
  await symlink(at('ended', 'real.jsonl'), at('ended', 'a.jsonl'));
  expect(journal().find('a')).toBeUndefined();
});

test('a folder that cannot be written costs memory of the job, not the job, and is told once', async () => {
  const to = journal();
  await rm(folder, { recursive: true });
  const job = new Job('a', 'hash', undefined);
  await to.opened(job);
  await to.appended(job.append(phase));
  job.append(ended);
  await to.ended(job);
  expect(lines.filter((line) => line.includes('could not be written'))).toHaveLength(1);
});

test('an end that the disk did not take is written when it has room again', async () => {
  const to = journal();
  const [full, next] = ['full', 'next'].map((id) => new Job(id, 'hash', params)) as [Job, Job];
  await to.opened(full);
  // No file can be made where a folder of its name is.
  await mkdir(at('ended', 'full.jsonl'));
  full.append(ended);
  await to.ended(full);
  expect(journal().find('full')).toBeUndefined();
  await rm(at('ended', 'full.jsonl'), { recursive: true });
  await to.opened(next);
  next.append(ended);
  await to.ended(next);
  expect(journal().find('full')?.ended).toBe(true);
  expect(await readdir(at('open'))).toEqual([]);
});

test('the old and the many go', async () => {
  for (const id of ['old', 'one', 'two', 'three']) await write(id);
  const before = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
  for (const [id, age] of [
    ['old', 1000],
    ['one', 30],
    ['two', 20],
    ['three', 10],
  ] as const) {
    await utimes(at('ended', `${id}.jsonl`), before(age), before(age));
  }
  await journal().sweep(500_000, 2);
  expect((await readdir(at('ended'))).sort()).toEqual(['three.jsonl', 'two.jsonl']);
});
