// Jobs outlive clients and runners: at least once run, one recorded verdict, and the client learns which run it is of.
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { identify } from '../../remote-runner/process-identity.js';
import { METHODS } from '../../remote-runner/protocol.js';
import { createConnect } from '../../src/runner/connect.js';
import type { Progress } from '../../src/runner/types.js';
import { bundle } from '../support/bundle.js';
import { RunnerHome, until } from '../support/runner-process.js';
import { scriptedJob } from '../support/scripted-evaluator.js';

const noFiles = new Map<string, Uint8Array>();
let runnerBundle: string;
let home: RunnerHome;

beforeAll(async () => {
  runnerBundle = await bundle('test/support/scripted-runner.ts');
});
beforeEach(async () => {
  home = await RunnerHome.create(runnerBundle);
});
afterEach(() => home.dispose());

const file = (name: string): string => path.join(home.folder, name);
const lines = async (name: string): Promise<number> => (await readFile(file(name), 'utf8')).trim().split('\n').length;
/** Counts its runs, waits for the gate, says `text`. */
const gated = (text: string) => scriptedJob(`progress 2\ncount ${file(text)}\ngate ${file('gate')}\nsay ${text}`);
const openGate = (): Promise<void> => writeFile(file('gate'), '');

async function killAndRestart(): Promise<void> {
  await home.end('SIGKILL');
  await home.start();
}

describe('a runner that is killed', () => {
  test('while a job runs: the next one runs it anew, and the client that was there gets the verdict and learns it', async () => {
    await home.start();
    const connection = await home.connect();
    const seen: Progress[] = [];
    const run = connection.run('j', gated('running'), noFiles, { onProgress: (p) => seen.push(p) });
    await until(() => existsSync(file('running')));
    await killAndRestart();
    await until(async () => (await lines('running')) === 2);
    await openGate();
    expect(await run).toMatchObject({ kind: 'verdict', verdict: { message: 'running' }, run: 2 });
    const details = seen.map((p) => p.detail);
    expect(details).toContain('the runner was started again while it was at this job; it is run anew (run 2)');
    expect(details.filter((d) => d.startsWith('step'))).toEqual(['step 1', 'step 2', 'step 1', 'step 2']);
    await home.clean();
  });

  test('while jobs wait: they keep their order and are run once', async () => {
    await home.start({ args: ['--jobs', '1'] });
    const connection = await home.connect();
    const names = ['first', 'second', 'third'];
    const runs = names.map((name) => connection.run(name, gated(name), noFiles, {}));
    await until(() => existsSync(file('first')));
    await until(async () => (await openJobs()).length === 3);
    await home.end('SIGKILL');
    await openGate();
    await home.start({ args: ['--jobs', '1'] });
    expect(await Promise.all(runs)).toMatchObject([{ run: 2 }, { verdict: { message: 'second' } }, {}]);
    expect(await Promise.all(names.map(lines))).toEqual([2, 1, 1]);
    await home.clean();
  });

  test('with no client left: who comes back later attaches from any number and gets one verdict', async () => {
    await home.start();
    const raw = await home.raw();
    await raw.submit('j', gated('alone'));
    await until(() => existsSync(file('alone')));
    raw.ws.terminate();
    await killAndRestart();
    await openGate();
    const back = await home.raw();
    await back.request(METHODS.attach, { job: 'j', after: 2 });
    const last = await back.last('j');
    expect(last).toMatchObject({ run: 2, event: { type: 'verdict' } });
    const numbers = back.events.map((e) => e.seq);
    expect(numbers[0]).toBeGreaterThan(2);
    expect(numbers).toEqual(numbers.map((_, i) => numbers[0]! + i));
    // The same again, submitted and attached, before and after another kill.
    await killAndRestart();
    const later = await home.raw();
    await later.submit('j', gated('alone'));
    expect(await later.last('j')).toEqual(last);
    expect(await lines('alone')).toBe(2);
    await home.clean();
  });

  test('with numbers told that never reached the disk: later ones lie above them', async () => {
    await home.start();
    const connection = await home.connect();
    const seen: Progress[] = [];
    const run = connection.run('j', scriptedJob(`progress 500\ngate ${file('gate')}\nsay done`), noFiles, {
      onProgress: (p) => seen.push(p),
    });
    await until(() => seen.length === 500);
    await home.end('SIGKILL');
    // As after a power failure: of the events, none was written.
    const [open] = await openJobs();
    await writeFile(open!, `${(await readFile(open!, 'utf8')).split('\n', 1)[0]}\n`);
    await openGate();
    await home.start();
    expect(await run).toMatchObject({ verdict: { message: 'done' } });
  });

  test('again and again at the same job: that one is given up in words, the others get their verdicts', async () => {
    await home.start();
    const raw = await home.raw();
    await raw.submit('innocent', gated('innocent'));
    await raw.submit('guilty', scriptedJob(`gate ${file('go')}\ncount ${file('guilty')}\ndie`));
    await until(() => existsSync(file('innocent')));
    for (let life = 1; life <= 3; life += 1) {
      // Twice suspected, each runs alone: the innocent must end for the guilty to have its turn.
      if (life === 3) await openGate();
      await writeFile(file('go'), '');
      await until(async () => existsSync(file('guilty')) && (await lines('guilty')) === life);
      await home.end();
      await rm(file('go'));
      await home.start();
    }
    const back = await home.raw();
    await back.request(METHODS.attach, { job: 'guilty', after: 0 });
    expect((await back.last('guilty')).event).toMatchObject({
      type: 'ended',
      reason: 'infrastructure',
      message: expect.stringContaining('went down 3 times') as string,
    });
    await back.request(METHODS.attach, { job: 'innocent', after: 0 });
    expect((await back.last('innocent')).event).toMatchObject({ type: 'verdict', verdict: { message: 'innocent' } });
    expect(await lines('guilty')).toBe(3);
    await home.clean();
  });

  test('leaves processes behind: the next one ends them', async () => {
    await home.start();
    const raw = await home.raw();
    await raw.submit('j', scriptedJob(`count ${file('runs')}\nchild ${file('child')}`));
    await until(() => existsSync(file('child')));
    const child = Number(await readFile(file('child'), 'utf8'));
    await home.end('SIGKILL');
    expect(identify(child)).toBeDefined();
    await home.start();
    expect(identify(child)).toBeUndefined();
    await until(async () => (await lines('runs')) === 2);
  });
});

test('a machine that went down between compiling and running: its process numbers are others’ now', async () => {
  await home.start();
  const raw = await home.raw();
  await raw.submit('j', gated('rebooted'));
  await until(() => existsSync(file('rebooted')));
  await home.end('SIGKILL');
  const [run] = await readdir(path.join(home.state, 'run'));
  // The number of the runner of then is that of a living process now, and so is one that it had started.
  const of = (pid: number) => ({ pid, start: 'another-boot:1' });
  const owner = path.join(home.state, 'run', run!, 'owner.json');
  const before = JSON.parse(await readFile(owner, 'utf8')) as object;
  await writeFile(owner, JSON.stringify({ ...before, runner: of(process.pid) }));
  await writeFile(path.join(home.state, 'run', run!, 'processes'), `${JSON.stringify(of(process.pid))}\n`);
  await home.start();
  await openGate();
  const back = await home.raw();
  await back.request(METHODS.attach, { job: 'j', after: 0 });
  expect(await back.last('j')).toMatchObject({ run: 2, event: { type: 'verdict', verdict: { message: 'rebooted' } } });
  await home.clean();
});

test('a runner that is told to end leaves its jobs to the next, and none is told as cancelled', async () => {
  await home.start({ args: ['--jobs', '1'] });
  const connection = await home.connect();
  const runs = ['one', 'two'].map((name) => connection.run(name, gated(name), noFiles, {}));
  await until(() => existsSync(file('one')));
  await home.end('SIGTERM');
  await openGate();
  await home.start();
  expect(await Promise.all(runs)).toMatchObject([{ run: 2 }, { verdict: { message: 'two' } }]);
  await home.clean();
});

describe('runners of one owner', () => {
  const connect = () => createConnect({ version: 'test', runnerBundle, state: home.state });

  test('take up what their owner’s last runner left, never another owner’s', async () => {
    const log: string[] = [];
    const mine = await connect()({}, { log: (line) => log.push(line) });
    const run = mine.run('mine', gated('mine'), noFiles, {});
    await until(() => existsSync(file('mine')));
    // As of another owner that lives, and whose runner was killed.
    const theirs = path.join(home.state, 'run', '999999999-theirs');
    await mkdir(path.join(theirs, 'jobs'), { recursive: true });
    const owner = { runner: { pid: 999999999, start: 'x:1' }, parent: identify(process.ppid) };
    await writeFile(path.join(theirs, 'owner.json'), JSON.stringify(owner));
    await writeFile(path.join(theirs, 'jobs', 'theirs.jsonl'), '{}\n');
    process.kill(Number(/process (\d+)/.exec(log.join('\n'))?.[1]), 'SIGKILL');
    await until(async () => (await lines('mine')) === 2);
    await openGate();
    expect(await run).toMatchObject({ verdict: { message: 'mine' }, run: 2 });
    await mine.close();
    expect(await readdir(path.join(home.state, 'run'))).toEqual(['999999999-theirs']);
    expect(await readdir(path.join(theirs, 'jobs'))).toEqual(['theirs.jsonl']);
  });
});

/** Files of jobs that no runner has finished. */
async function openJobs(): Promise<string[]> {
  const runs = path.join(home.state, 'run');
  const found = await Promise.all(
    (await readdir(runs)).map(async (run) => {
      const folder = path.join(runs, run, 'jobs');
      return (await readdir(folder)).map((name) => path.join(folder, name));
    }),
  );
  return found.flat();
}
