// Credit from one session to the next: kept at the end of one, in the trace of the next before its first question.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleTrace, verdictWith } from '../../../test/support/sample-trace.js';
import { loadCredit } from '../../questions/credit-store.js';
import type { TraceEventBody } from '../events.js';
import { SessionRecord } from '../record.js';
import type { StrategyContext } from '../strategy.js';
import { keepCredit, withCredit } from './credit.js';

let workspace: string;
beforeEach(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), 'kernelseek-session-credit-'));
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

const told = { redact: (line: string) => line, onEvent: () => undefined };
const done = { reason: 'agent' as const, message: 'x' };

/** A session up to its baseline. */
async function begun(session: string): Promise<SessionRecord> {
  const folder = path.join(workspace, session);
  await mkdir(folder);
  const [started, runner, baseline] = sampleTrace();
  if (started?.type !== 'started' || !runner || !baseline) throw new Error('the sample trace is another');
  const record = await SessionRecord.create(folder, { ...started, session }, told);
  for (const event of [runner, baseline]) await record.append(event);
  return record;
}

/** Runs the strategy that asks nothing, with credit around it; what the trace held when it began. */
async function run(record: SessionRecord): Promise<SessionRecord['state']['credit']> {
  let seen: SessionRecord['state']['credit'];
  const strategy = withCredit(
    () => {
      seen = record.state.credit;
      return Promise.resolve(done);
    },
    record,
    workspace,
  );
  await strategy({} as StrategyContext);
  return seen;
}

const asked: TraceEventBody[] = [
  { type: 'moment', id: 'm1', kind: 'plateau', evidence: 'x', asked: true, offered: ['byte-twice'] },
  {
    type: 'question',
    id: 'q1',
    moment: 'm1',
    known: 'byte-twice',
    text: 'x?',
    level: 'data-movement',
    intent: 'move',
    by: 'agent',
    informed: false,
  },
  { type: 'prompt', text: 'x?', moment: 'm1' },
  { type: 'candidate', id: 'c1', author: 'agent', commit: 'a', sourcesSha256: '1'.repeat(64), note: '' },
  { type: 'verdict', candidate: 'c1', verdict: verdictWith({ value: 2 }) },
  { type: 'verdict', candidate: 'c1', verdict: verdictWith({ value: 2, mode: 'confirm', faster: true }) },
  { type: 'incumbent', candidate: 'c1' },
  { type: 'finished', ...done },
];

test('the next session on the device begins with what the last one taught, and says so in its trace once', async () => {
  const first = await begun('s1');
  expect(await run(first)).toEqual([]);
  for (const event of asked) await first.append(event);
  await keepCredit(first.state, workspace, expect.fail);
  await first.close();

  const second = await begun('s2');
  const learned = await run(second);
  expect(learned).toMatchObject([
    { moment: 'plateau', question: 'byte-twice', level: 'data-movement', count: 1, sum: Math.log(2) },
  ]);
  const { lastSeq } = second.state;
  expect(await run(second)).toEqual(learned);
  expect(second.state.lastSeq).toBe(lastSeq);
  await second.close();
});

test('a damaged file of credit is told in the trace and stops nothing', async () => {
  const folder = path.join(workspace, '.kernelseek', 'credit');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 's0.json'), '{');
  const record = await begun('s1');
  expect(await run(record)).toEqual([]);
  expect(record.state.troubles.map((t) => t.message).join()).toMatch(/s0\.json is not JSON/);
  await record.close();
});

test('credit that cannot be kept is told, and the session has ended all the same', async () => {
  const record = await begun('s1');
  for (const event of asked) await record.append(event);
  await writeFile(path.join(workspace, '.kernelseek'), 'a file where the folder should be');
  const lines: string[] = [];
  await keepCredit(record.state, workspace, (line) => lines.push(line));
  expect(lines.join()).toMatch(/was not kept/);
  expect((await loadCredit(workspace)).credit.size).toBe(0);
  await record.close();
});
