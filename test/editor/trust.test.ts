// A workspace that is not trusted: lenses say why nothing runs, and no command that would run something is offered.
import { expect, test } from 'vitest';
import { makeWorkspace, useBrowser, Workbench } from './workbench.js';

const browser = useBrowser();

test('in an untrusted workspace nothing compiles or runs, and the lens offers to manage trust', async () => {
  const workbench = await Workbench.open(browser(), makeWorkspace('untrusted', ['saxpy']), 'saxpy.cu', false);
  await workbench.lens('Not run: workspace is not trusted').waitFor();
  await workbench.screenshot('untrusted');
  const lenses = await workbench.lenses();
  expect(lenses.join()).not.toMatch(/Evaluate|Optimize|New task/);
  const offered = await workbench.palette('KernelSeek: ');
  expect(offered.join()).toMatch(/KernelSeek: Show Log/);
  expect(offered.join()).not.toMatch(/KernelSeek: (Evaluate|Optimize|New Task)/);
  await workbench.clickLens('Not run: workspace is not trusted');
  await workbench.page.locator('.workspace-trust-editor', { hasText: 'In Restricted Mode' }).waitFor();
  await workbench.screenshot('untrusted-manage');
});
