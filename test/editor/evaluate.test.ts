// The first thing anyone does: click Evaluate above a kernel and read the verdict there; break it, see where, mend it.
import { expect, test } from 'vitest';
import { makeWorkspace, useBrowser, Workbench } from './workbench.js';

const browser = useBrowser();

test('Evaluate in the lens gives a verdict; a compile error lies on its line until it is mended', async () => {
  const workbench = await Workbench.open(browser(), makeWorkspace('evaluate', ['saxpy']), 'saxpy.cu', true);
  await workbench.lens('New task').waitFor();
  await workbench.lens('Evaluate').waitFor();
  await workbench.screenshot('lenses');

  await workbench.clickLens('Evaluate');
  await workbench.lens('Cancel').waitFor();
  await workbench.screenshot('evaluating');
  await workbench.lens(/correct.*2 scenarios, slowest \S+ ms.*CPU emulation/).waitFor({ timeout: 60_000 });
  await workbench.screenshot('verdict');

  await workbench.replace('a * x[i]', 'a * nonsense');
  await workbench.lens('before your edits').waitFor();
  await workbench.clickLens('Evaluate');
  await workbench.lens(/does not compile: 1 error/).waitFor();
  await workbench.openProblems();
  await workbench.problem(/nonsense.*Ln 9/).waitFor();
  await workbench.screenshot('compile-error');

  await workbench.focusEditor();
  await workbench.undoUntil(/a \* x\[i\]/);
  await workbench.clickLens('Evaluate');
  await workbench.lens(/correct.*2 scenarios/).waitFor({ timeout: 60_000 });
  await workbench.problem('nonsense').waitFor({ state: 'hidden' });
  expect(await workbench.lenses()).not.toContain(expect.stringContaining('before your edits'));
  await workbench.screenshot('mended');
});
