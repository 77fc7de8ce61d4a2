// Long conversations and hard budgets: what a shortened request still holds, what stays as it was, when a session ends.
import { afterEach, expect, test } from 'vitest';
import type { Verdict } from '../../../remote-runner/protocol.js';
import type { MessagesRequest, MessagesServer, Reply, Script } from '../../../test/support/messages-server.js';
import { latestResults, messagesServer } from '../../../test/support/messages-server.js';
import { verdictWith } from '../../../test/support/sample-trace.js';
import { ScriptedRunner } from '../../../test/support/scripted-connection.js';
import { scriptedPerson, scriptedQuestions } from '../../../test/support/scripted-questions.js';
import { runSession, sampleTask } from '../../../test/support/session-rig.js';
import { anthropicModel } from '../../model/anthropic.js';
import type { Budget } from '../fold.js';
import { tokensOf } from '../spending.js';
import { askStrategy } from './ask.js';

const KEY = 'sk-test-0123456789abcdef';
const servers: MessagesServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((s) => s.close())));

const judge = (text: string, { mode }: { mode: Verdict['mode'] }): Verdict => {
  const value = Number(/BLOCK = (\d+)/.exec(text)?.[1]) / 128;
  return verdictWith({ value, mode, ...(mode === 'confirm' && { faster: value > 1.02 }) });
};
const call = (name: string, input: Record<string, unknown>, inputTokens?: number): Reply => ({
  blocks: [{ type: 'tool_use', name, input }],
  ...(inputTokens !== undefined && { inputTokens }),
});

async function run(script: Script, more: { budget?: Budget; name?: string; after?: string[]; resume?: string } = {}) {
  const server = await messagesServer(KEY, script);
  servers.push(server);
  const model = anthropicModel({
    key: KEY,
    baseUrl: server.url,
    firstDelayMs: 1,
    attempts: 2,
    name: more.name ?? 'm1',
  });
  const { record, folder } = await runSession({
    runner: new ScriptedRunner({ judge }),
    name: 'ask',
    budget: more.budget ?? { evaluations: 10, minutes: 10 },
    ...(more.resume !== undefined && { resume: more.resume }),
    strategy: (r) =>
      askStrategy({
        model,
        record: r,
        task: sampleTask(),
        readOnly: new Map(),
        questions: { source: scriptedQuestions({ after: more.after ?? [] }), asker: scriptedPerson() },
        onProgress: () => undefined,
      }),
  });
  return { state: record.state, folder, server };
}

const textOf = (request: MessagesRequest | undefined): string => {
  const first = request?.messages[0]?.content ?? [];
  return typeof first === 'string' ? first : first.map((b) => String(b['text'] ?? b['content'])).join('\n');
};
/** A request without the marks of what is to be cached: they move, and are no part of the prefix. */
const plain = (request: MessagesRequest | undefined): string[] =>
  (request?.messages ?? []).map((m) =>
    JSON.stringify(m, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  );

/** Claims a limit, makes a best, is asked and does not answer; views until the request counts too many tokens; then finishes. */
const forgetful =
  (views: number, tokensAt: (count: number) => number): Script =>
  (request, count) => {
    const tokens = tokensAt(count);
    if (count === 1) return call('claim_limit', { claim: 'Memory is saturated.', evidence: 'c0 by eye' }, tokens);
    if (count === 2) return call('ask', { question: 2, answer: 'for nothing I know' }, tokens);
    if (count === 3) return call('edit', { path: 'k.cu', old: 'BLOCK = 128', new: 'BLOCK = 256' }, tokens);
    if (count === 4) return call('evaluate', { note: 'wider blocks' }, tokens);
    if (count < views) return call('view', { path: 'k.cu' }, tokens);
    const last = latestResults(request).at(-1) ?? '';
    if (last.startsWith('a question is open') || last.includes('<data-'))
      return call('ask', { question: 1, answer: 'none' });
    return call('finish', { reason: 'done' });
  };

test('a request that was made short holds objective, best, claims, levels and the open question', async () => {
  // The question at c1 comes at the fifth request and stays open: `view` is allowed meanwhile.
  const { server, state } = await run(
    (request, count) => {
      if (count < 5) return forgetful(99, () => 100)(request, count);
      if (count === 5) return call('view', { path: 'k.cu' }, 130_000);
      return forgetful(6, () => 100)(request, count);
    },
    { after: ['c1'] },
  );
  expect(state.compacted).toBeUndefined();
  expect(server.requests.length).toBeGreaterThan(5);

  const many: Script = (request, count) => {
    // Three views an answer, so that the question does not expire: turns count, calls do not.
    if (count === 5 || count === 6) {
      return {
        blocks: [1, 2, 3].map((n) => ({
          type: 'tool_use',
          id: `v${count}${n}`,
          name: 'view',
          input: { path: 'k.cu' },
        })),
        inputTokens: 100,
      };
    }
    if (count === 7)
      return {
        fault: 'status',
        status: 400,
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens',
      };
    return forgetful(8, () => 100)(request, count);
  };
  const long = await run(many, { after: ['c1'] });
  expect(long.state.compacted).toBeDefined();
  const short = long.server.requests[7];
  const told = textOf(short);
  expect(told).toContain(textOf(long.server.requests[0]).split('\n').slice(0, 12).join('\n'));
  expect(told).toContain('best so far: c1, 2.000× [1.980, 2.020] confirmed');
  expect(told).toMatch(/c1: 2\.000× \[1\.980, 2\.020\] confirmed.*: wider blocks/);
  expect(told).toContain('Limit that you claimed (l1): Memory is saturated. Evidence: c0 by eye');
  expect(told).toMatch(/Levels that measured candidates have changed: .*; not yet: .*algorithm/);
  expect(told).toContain(
    'Asked: What is the machine waiting for while it is not computing? Answered: for nothing I know',
  );
  expect(told).toMatch(
    /A question is open:\nBefore you go on \(Nothing was gained up to c1\.\):\n1\. Which byte travels twice\?/,
  );
  expect(plain(short).length).toBeLessThan(plain(long.server.requests[6]).length);
  // Whoever answers late is still understood.
  expect(long.state.moments.at(-1)?.answer).toMatchObject({ outcome: 'answered', by: 'agent', text: 'none' });
});

test('it is made short once it counts too many tokens; before and after that the prefix stays as it was', async () => {
  const { server, state } = await run(forgetful(30, (count) => (count === 20 ? 130_000 : 100)));
  const lengths = server.requests.map((r) => r.messages.length);
  expect(lengths[19]).toBe(39);
  expect(lengths[20]).toBeLessThan(lengths[19] ?? 0);
  expect(state.compacted).toBeDefined();
  for (let i = 1; i < server.requests.length; i++) {
    if (i === 20) continue;
    const before = plain(server.requests[i - 1]);
    expect(plain(server.requests[i]).slice(0, before.length), `request ${i}`).toEqual(before);
  }
  // Tools, system prompt and the end of the conversation are marked for the cache.
  const marks = JSON.stringify(server.requests.at(-1)).match(/"cache_control"/g)?.length ?? 0;
  expect(marks).toBeGreaterThanOrEqual(3);
  expect(marks).toBeLessThanOrEqual(4);
});

test.each<[string, Budget, string, number]>([
  // A call of the test server counts 135 tokens.
  ['tokens', { evaluations: 10, minutes: 10, tokens: 300 }, 'm1', 3],
  ['money', { evaluations: 10, minutes: 10, money: 0.0025 }, 'claude-opus-4-6', 3],
  ['money', { evaluations: 10, minutes: 10, money: 5 }, 'nobody-knows', 1],
])('a budget of %s ends the session before the next call', async (what, budget, name, calls) => {
  const { server, state } = await run(() => call('view', { path: 'k.cu' }), { budget, name });
  expect(server.requests).toHaveLength(calls);
  expect(state.finished).toMatchObject({
    reason: 'budget',
    message: expect.stringContaining(`budget of ${what} is spent`),
  });
  expect(tokensOf(state.usage)).toBe(135 * calls);
});

test('another model is an event, and each is counted by itself', async () => {
  const first = await run(() => call('finish', { reason: 'enough' }), { name: 'm1' });
  const second = await run(() => call('finish', { reason: 'enough again' }), { name: 'm2', resume: first.folder });
  expect(Object.keys(second.state.usageBy)).toEqual(['m1', 'm2']);
  expect(second.state.finished?.message).toBe('enough again');
  expect(second.state.answering).toBe('m2');
});
