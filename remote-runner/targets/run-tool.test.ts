// Tools that do not behave: they end in time, whatever they leave behind.
import { expect, test } from 'vitest';
import { runTool, Tail, type ToolRun } from './run-tool.js';

const node = (program: string, timeoutMs: number, signal = new AbortController().signal): Promise<ToolRun> =>
  runTool(process.execPath, ['-e', program], { cwd: '/', env: { PATH: process.env.PATH ?? '' }, signal, timeoutMs });

const leave = `require('child_process').spawn('sleep', ['20'], { detached: true, stdio: 'inherit' }).unref();`;

test('a process left outside the group does not hold it up', async () => {
  const run = await node(`${leave} console.log('done'); process.exit(3);`, 60_000);
  expect([run.code, run.stdout, run.timedOut]).toEqual([3, 'done\n', false]);
}, 15_000);

test('a limit holds, one beyond what timers hold is a long one', async () => {
  expect(await node(`${leave} setInterval(() => {}, 1000);`, 1000)).toMatchObject({
    timedOut: true,
    signal: 'SIGKILL',
  });
  expect(await node(`setTimeout(() => {}, 50)`, 1e12)).toMatchObject({ timedOut: false, code: 0 });
}, 15_000);

test('an abort rejects with its reason', async () => {
  const controller = new AbortController();
  const run = node('setInterval(() => {}, 1000)', 60_000, controller.signal);
  controller.abort(new Error('cancelled'));
  await expect(run).rejects.toThrow('cancelled');
});

test('of much output the end is kept', () => {
  const tail = new Tail(10);
  for (let i = 0; i < 100; i++) tail.add('abc');
  expect(tail.text()).toBe('[290 characters dropped]\ncabcabcabc');
});
