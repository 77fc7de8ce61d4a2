// A session with a model: key, Optimize, the best candidate in a diff, apply, undo, reload, discard.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MessagesServer, Reply, Script } from '../support/messages-server.js';
import { latestResults, messagesServer } from '../support/messages-server.js';
import { toldIn } from '../support/rounds-task.js';
import { editorFolder, makeWorkspace, useBrowser, Workbench } from './workbench.js';

const KEY = 'sk-test-6b1f0c9d2e';
const browser = useBrowser();
let server: MessagesServer;

const call = (name: string, input: Record<string, unknown>): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });

/** Looks, takes one round instead of 256, has that judged, and finishes when it hears that it is better. */
const agent: Script = (request) => {
  const last = latestResults(request).at(-1);
  const said = JSON.stringify(request.messages);
  // Questions come at the opening and before it may finish.
  if (toldIn(request).includes('Call ask')) return call('ask', { question: 1, answer: 'as the verdicts say' });
  if (last === 'go on' && said.includes('c1: correct')) return call('finish', { reason: 'one round is enough' });
  if (last === undefined || last === 'go on') return call('view', { path: 'mean.cu' });
  if (last.includes('ROUNDS = 256')) return call('edit', { path: 'mean.cu', old: 'ROUNDS = 256;', new: 'ROUNDS = 1;' });
  if (last.startsWith('edited')) return call('evaluate', { note: 'one round' });
  if (/^c\d+: correct/.test(last)) return call('finish', { reason: 'one round is enough' });
  throw new Error(`the agent does not know what to make of: ${last}`);
};

beforeAll(async () => {
  server = await messagesServer(KEY, agent);
  const settings = { 'kernelseek.model.baseUrl': server.url, 'kernelseek.model.name': 'test-model' };
  writeFileSync(path.join(editorFolder(), 'data/Machine/settings.json'), JSON.stringify(settings));
});
afterAll(() => server.close());

test('Optimize ends in a diff; Apply is one edit that undo takes back; the offer survives reload until discarded', async () => {
  const workspace = makeWorkspace('optimize', ['mean']);
  const workbench = await Workbench.open(browser(), workspace, 'mean.cu', true);
  await workbench.command('KernelSeek: Set Model Key');
  await workbench.page.locator('.quick-input-widget', { hasText: server.url }).waitFor();
  await workbench.screenshot('key');
  await workbench.page.keyboard.type(KEY);
  await workbench.page.keyboard.press('Enter');

  await workbench.clickLens('Optimize');
  await workbench.lens('Stop').waitFor();
  await workbench.status(/of 40/).waitFor({ timeout: 60_000 });
  await workbench.screenshot('session');
  await workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor({ timeout: 90_000 });
  expect(server.requests.length).toBeGreaterThanOrEqual(4);
  await workbench.page.locator('.tab', { hasText: /mean\.cu ↔ best: at least \d/ }).waitFor();
  await workbench.screenshot('diff');

  await workbench.page.locator('.editor-actions .action-label[aria-label^="Apply Best Candidate"]').click();
  await workbench.line('ROUNDS = 1;').waitFor();
  await workbench.page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
  await workbench.lens('Best').waitFor({ state: 'hidden' });
  await workbench.screenshot('applied');
  await workbench.undo();
  await workbench.line('ROUNDS = 256;').waitFor();
  await workbench.lens(/Best: at least \d/).waitFor();

  await workbench.goto(workspace, 'mean.cu');
  await workbench.lens(/Best: at least \d.*× \[/).waitFor();
  await workbench.replace('i >= n', 'i > n - 1');
  await workbench.lens('from before your edits').waitFor();
  await workbench.command('KernelSeek: Apply Best Candidate');
  await workbench.page.locator('.notification-toast', { hasText: 'was changed since the session began' }).waitFor();
  await workbench.page.waitForTimeout(500); // the toast fades in
  await workbench.screenshot('refused');
  expect(await workbench.text()).toContain('i > n - 1');
  await workbench.clickLens('Discard');
  await workbench.lens('Best').waitFor({ state: 'hidden' });
});
