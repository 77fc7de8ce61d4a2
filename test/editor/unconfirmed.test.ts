// A session that was stopped before its candidate was confirmed: it is shown as that, and neither called best nor applied.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { TraceEventBody } from '../../src/session/events.js';
import { History } from '../../src/session/history.js';
import { FILES, makeSessionFolder, newSessionId } from '../../src/session/place.js';
import { sampleTrace, verdictWith } from '../support/sample-trace.js';
import { makeWorkspace, useBrowser, Workbench } from './workbench.js';

const browser = useBrowser();

/** Leaves a stopped session on disk, with one candidate that looked faster at first sight. */
async function leaveSession(workspace: string): Promise<void> {
  const session = newSessionId();
  const folder = await makeSessionFolder(workspace, session);
  const text = readFileSync(path.join(workspace, 'mean.cu'), 'utf8');
  const history = await History.open(folder);
  const original = await history.commit('original', [{ path: 'mean.cu', text }], [], 'The original');
  const faster = [{ path: 'mean.cu', text: text.replace('ROUNDS = 256', 'ROUNDS = 1') }];
  const commit = await history.commit('c1', faster, [original], 'one round');
  const events: TraceEventBody[] = sampleTrace().flatMap((event): TraceEventBody[] => {
    if (event.type === 'started') return [{ ...event, session, task: 'mean.task.json' }];
    if (event.type === 'candidate' && event.id === 'c1') return [{ ...event, commit, note: 'one round' }];
    return event.type === 'runner' || event.type === 'baseline' ? [event] : [];
  });
  const verdict = verdictWith({ value: 1.22, low: 1.12, high: 1.4 });
  events.push({ type: 'verdict', candidate: 'c1', verdict });
  events.push({ type: 'finished', reason: 'stopped', message: 'stopped by you' });
  const lines = events.map((event, i) => JSON.stringify({ seq: i + 1, at: Date.now(), ...event }));
  writeFileSync(path.join(folder, FILES.trace), `${lines.join('\n')}\n`);
}

test('a candidate that is not confirmed is shown as that, never as the best, and Apply is not offered', async () => {
  const workspace = makeWorkspace('unconfirmed', ['mean']);
  await leaveSession(workspace);
  const workbench = await Workbench.open(browser(), workspace, 'mean.cu', true);
  const lens = /Candidate c1, not confirmed: 1\.22× \[1\.12, 1\.40\] \(CPU emulation\)/;
  await workbench.lens(lens).waitFor();
  await workbench.lens('Resume').waitFor();
  expect((await workbench.lenses()).join()).not.toMatch(/Best|Apply/);
  await workbench.clickLens(lens);
  await workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
  await workbench.page
    .locator('.tab', { hasText: 'mean.cu ↔ candidate c1, not confirmed: 1.22× (CPU emulation)' })
    .waitFor();
  await workbench.page.locator('.editor-actions .action-label[aria-label^="Discard"]').waitFor();
  expect(await workbench.page.locator('.editor-actions .action-label[aria-label^="Apply"]').count()).toBe(0);
  await workbench.screenshot('unconfirmed');
  expect((await workbench.palette('KernelSeek: ')).join()).not.toContain('Apply Best Candidate');
});
