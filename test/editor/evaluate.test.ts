// lenses
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { makeWorkspace, useBrowser, Workbench } from './workbench.js';

const sample = path.join(path.dirname(fileURLToPath(import.meta.url)), 'workspace');
const browser = useBrowser();

test('lenses', async () => {
  const files = ['saxpy.cu', 'saxpy.task.json'].map((f) => path.join(sample, f));
  const workbench = await Workbench.open(browser(), makeWorkspace('evaluate', files), 'saxpy.cu', true);
  await workbench.lens('Evaluate').waitFor({ timeout: 40_000 });
  console.log(await workbench.lenses());
  await workbench.screenshot('lenses');
  console.log(await workbench.palette('KernelSeek: '));
  await workbench.clickLens('Evaluate');
  await workbench.page.waitForTimeout(6000);
  await workbench.screenshot('evaluate');
});
