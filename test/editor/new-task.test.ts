// From a bare kernel to one with a verdict: New task writes the file, measures the tolerance, and the lens is there.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeWorkspace, useBrowser, Workbench } from './workbench.js';

const browser = useBrowser();

test('New task writes a task that says what it guessed, with a measured tolerance; then the kernel can be evaluated', async () => {
  const workspace = makeWorkspace('new-task', ['mean'], { tasks: false });
  const workbench = await Workbench.open(browser(), workspace, 'mean.cu', true);
  await workbench.clickLens('New task');
  await workbench.line('"entry": "mean"').waitFor();
  await workbench.line('guessed: the sizes are examples').waitFor();
  await workbench.line('measured on CPU emulation').waitFor({ timeout: 60_000 });
  await workbench.screenshot('new-task');
  expect(readFileSync(path.join(workspace, 'mean.task.json'), 'utf8')).toMatch(/"tolerance": \{ "rtol": [\d.e-]+/);
  expect(await workbench.palette('KernelSeek: ')).toContain('KernelSeek: Evaluate');

  await workbench.goto(workspace, 'mean.cu');
  await workbench.lens('Evaluate').waitFor();
  expect((await workbench.lenses()).join()).not.toContain('New task');
});
