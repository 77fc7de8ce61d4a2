// Sequential refinement against the test server and a scripted runner: one candidate a turn, with the advisor's note on each.
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Verdict } from '../../../remote-runner/protocol.js';
import type { MessagesRequest, MessagesServer, Reply, Script } from '../../../test/support/messages-server.js';
import { latestResults, messagesServer } from '../../../test/support/messages-server.js';
import { verdictWith } from '../../../test/support/sample-trace.js';
import { ScriptedRunner } from '../../../test/support/scripted-connection.js';
import { ORIGINAL, runSession, sampleTask } from '../../../test/support/session-rig.js';
import { anthropicModel } from '../../model/anthropic.js';
import { readTrace } from '../trace.js';
import { feedbackStrategy } from './feedback.js';

const KEY = 'sk-test-0123456789abcdef';
const servers: MessagesServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((s) => s.close())));

const judge = (text: string, { mode }: { mode: Verdict['mode'] }): Verdict => {
  const value = Number(/BLOCK = (\d+)/.exec(text)?.[1]) / 128;
  return verdictWith({ value, mode, ...(mode === 'confirm' && { faster: value > 1.02 }) });
};
const call = (name: string, input: Record<string, unknown>): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });
const version = (block: number, name = 'k.cu'): Reply => {
  const sources = [{ path: name, text: ORIGINAL.replace('BLOCK = 128', `BLOCK = ${block}`) }];
  const input = { note: `BLOCK = ${block}`, sources };
  // Ids of calls are unique in a session, also over the servers of this test.
  return { blocks: [{ type: 'tool_use', id: `toolu_${block}`, name: 'evaluate', input }] };
};
const isAdvisor = (request: MessagesRequest): boolean => (request.tools ?? []).length === 0;
const turnOf = (request: MessagesRequest): number => request.messages.filter((m) => m.role === 'assistant').length;

/** The writer gives these versions, then finishes; the advisor says which one it read. */
const writes =
  (...replies: Reply[]): Script =>
  (request) =>
    isAdvisor(request)
      ? { blocks: [{ type: 'text', text: `I read ${/BLOCK = \d+/.exec(JSON.stringify(request.messages))?.[0]}` }] }
      : (replies[turnOf(request)] ?? call('finish', { reason: 'done' }));

async function feedback(script: Script, more: { resume?: string; evaluations?: number } = {}) {
  const server = await messagesServer(KEY, script);
  servers.push(server);
  const model = anthropicModel({ key: KEY, baseUrl: server.url, firstDelayMs: 1, attempts: 3 });
  const runner = new ScriptedRunner({ judge });
  const result = await runSession({
    runner,
    name: 'feedback',
    budget: { evaluations: more.evaluations ?? 20, minutes: 10 },
    ...(more.resume !== undefined && { resume: more.resume }),
    strategy: (record) =>
      feedbackStrategy({ model, record, task: sampleTask(), readOnly: new Map(), onProgress: () => undefined }),
  });
  return { ...result, server, runner };
}

describe('feedback', () => {
  test('one candidate a turn, each from the one before; the verdict comes with the note of an advisor who sees nothing else', async () => {
    const { record, server } = await feedback(writes(version(256), version(512)));
    expect(record.state.candidates.map((c) => [c.id, c.parent, c.note])).toEqual([
      ['c1', undefined, 'BLOCK = 256'],
      ['c2', 'c1', 'BLOCK = 512'],
    ]);
    expect(record.state).toMatchObject({ incumbent: 'c2', finished: { reason: 'agent', message: 'done' } });
    const advisor = server.requests.filter(isAdvisor);
    expect(advisor.map((r) => r.messages.length)).toEqual([1, 1]);
    expect(JSON.stringify(advisor[1]?.messages)).not.toContain('BLOCK = 256');
    const writer = server.requests.filter((r) => !isAdvisor(r));
    expect(writer).toHaveLength(3);
    expect(latestResults(writer[1]!)[0]).toMatch(/^c1: correct[^]*The advisor's note:\n<data-\w+>I read BLOCK = 256</);
    // Every call of the model is counted, the advisor's too.
    expect(record.state.usage.outputTokens).toBe(20 * server.requests.length);
  });

  test.each<[string, Reply, RegExp]>([
    ['a path that is no source', version(256, '../../etc/passwd'), /no source.*you may change: k\.cu/],
    ['input of another shape', call('evaluate', { note: 'x' }), /call evaluate with "note"/],
    ['a tool there is not', call('view', { path: 'k.cu' }), /call evaluate with "note"/],
  ])('%s is an error that the model reads; no advisor is asked', async (_name, reply, expected) => {
    const { record, server } = await feedback(writes(reply));
    const tool = record.state.conversation.find((e) => e.type === 'tool');
    expect(tool).toMatchObject({ isError: true, result: expect.stringMatching(expected) });
    expect(server.requests.filter(isAdvisor)).toEqual([]);
    expect(record.state.finished?.reason).toBe('agent');
  });

  test('the last evaluation ends it without another call; talk and repetition end it too', async () => {
    const last = await feedback(writes(version(256)), { evaluations: 1 });
    expect(last.server.requests).toHaveLength(1);
    expect(last.record.state.finished).toMatchObject({ reason: 'budget', best: 'c1' });
    const talk = await feedback(() => ({ blocks: [{ type: 'text', text: 'Hm.' }] }));
    expect(talk.server.requests).toHaveLength(3);
    const again = await feedback((r) => (isAdvisor(r) ? { blocks: [{ type: 'text', text: 'So.' }] } : version(256)));
    expect(again.record.state.finished?.message).toBe('the model made no new candidate in 12 answers');
    expect(again.record.state.evaluations).toBe(1);
  });

  test('old turns are left out, task and best version stay', async () => {
    let versions = 0;
    const { server, record } = await feedback((r) => {
      if (isAdvisor(r)) return { blocks: [{ type: 'text', text: 'So.' }] };
      versions += 1;
      if (versions > 12) return call('finish', { reason: 'done' });
      return version(versions === 1 ? 4096 : 128 + versions);
    });
    expect(record.state.evaluations).toBe(12);
    const request = server.requests.filter((r) => !isAdvisor(r)).at(-1)!;
    expect(turnOf(request)).toBe(8);
    const text = JSON.stringify(request.messages[0]);
    expect(text).toMatch(/Task: make[^]*best so far: c1, [^]*BLOCK = 4096/);
  });

  test('cut after any event, it goes on and pays for nothing twice, neither verdict nor note', async () => {
    const script = writes(version(256), version(512));
    const whole = await feedback(script);
    const lines = (await readFile(path.join(whole.folder, 'trace.jsonl'), 'utf8')).split('\n').filter(Boolean);
    const { events } = await readTrace(whole.folder);
    const ends = events.findIndex((e) => e.type === 'tool' && e.name === 'finish');
    for (let cut = 3; cut < ends; cut++) {
      const again = await mkdtemp(`${whole.folder}-`);
      await cp(whole.folder, again, { recursive: true });
      await writeFile(path.join(again, 'trace.jsonl'), `${lines.slice(0, cut).join('\n')}\n`);
      const { record, runner, server } = await feedback(script, { resume: again });
      const count = (type: string): number => events.slice(0, cut).filter((e) => e.type === type).length;
      expect(runner.jobs).toHaveLength(whole.runner.jobs.length - count('verdict') - count('baseline'));
      expect(server.requests).toHaveLength(whole.server.requests.length - count('model') - count('advice'));
      expect(record.state.candidates.map((c) => c.sourcesSha256)).toEqual(
        whole.record.state.candidates.map((c) => c.sourcesSha256),
      );
    }
  });
});
