// The agent against the test server and a scripted runner, in one process: a whole session, and every way to break it off.
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Verdict } from '../../../remote-runner/protocol.js';
import type { MessagesRequest, MessagesServer, Reply, Script } from '../../../test/support/messages-server.js';
import { latestResults, messagesServer } from '../../../test/support/messages-server.js';
import { verdictWith } from '../../../test/support/sample-trace.js';
import { ScriptedRunner } from '../../../test/support/scripted-connection.js';
import { runSession, sampleTask } from '../../../test/support/session-rig.js';
import { anthropicModel } from '../../model/anthropic.js';
import { History } from '../history.js';
import { bestOf, type SessionState } from '../fold.js';
import { readTrace } from '../trace.js';
import { askStrategy } from './ask.js';
import { toolsFor } from './tools.js';

const KEY = 'sk-test-0123456789abcdef';
const servers: MessagesServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((s) => s.close())));

const valueIn = (text: string): number => Number(/BLOCK = (\d+)/.exec(text)?.[1]);
const judge = (text: string, { mode }: { mode: Verdict['mode'] }): Verdict => {
  const value = valueIn(text) / 128;
  return verdictWith({ value, mode, ...(mode === 'confirm' && { faster: value > 1.02 }) });
};

const call = (name: string, input: Record<string, unknown>): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });
const edit = (from: number, to: number): Reply =>
  call('edit', { path: 'k.cu', old: `BLOCK = ${from}`, new: `BLOCK = ${to}` });

/** Doubles BLOCK as long as the verdict it was sent says that this was faster; then puts it back and finishes. */
const doublingTo =
  (limit: number): Script =>
  (request) => {
    const last = latestResults(request).at(-1) ?? '';
    const block = blockSoFar(request);
    if (last === '') return call('view', { path: 'k.cu' });
    if (last.startsWith('<data-')) return edit(block, block * 2);
    if (last.startsWith('edited')) return call('evaluate', { note: `BLOCK = ${block}` });
    const speedup = Number(/speedup over the original: ([\d.]+)×/.exec(last)?.[1] ?? 0);
    return speedup > 1 && block < limit ? edit(block, block * 2) : call('finish', { reason: `stuck at ${block}` });
  };

const doubling = doublingTo(1024);

function blockSoFar(request: MessagesRequest): number {
  const edits = JSON.stringify(request.messages).match(/"new":"BLOCK = (\d+)"/g) ?? [];
  return Number(/(\d+)/.exec(edits.at(-1) ?? '128')?.[1]);
}

async function ask(script: Script, more: { resume?: string; runner?: ScriptedRunner; evaluations?: number } = {}) {
  const server = await messagesServer(KEY, script);
  servers.push(server);
  const model = anthropicModel({ key: KEY, baseUrl: server.url, firstDelayMs: 1, attempts: 3 });
  const runner = more.runner ?? new ScriptedRunner({ judge });
  const result = await runSession({
    runner,
    name: 'ask',
    budget: { evaluations: more.evaluations ?? 20, minutes: 10 },
    ...(more.resume !== undefined && { resume: more.resume }),
    strategy: (record) =>
      askStrategy({
        model,
        record,
        task: sampleTask(),
        readOnly: new Map([['n.h', '// n']]),
        onProgress: () => undefined,
      }),
  });
  return { ...result, server, runner };
}

describe('ask', () => {
  test('edits by what the verdict says, until its own finish', async () => {
    const { record, server } = await ask(doubling);
    expect(record.state).toMatchObject({
      incumbent: 'c3',
      finished: { reason: 'agent', message: 'stuck at 1024' },
      usage: { outputTokens: 20 * server.requests.length },
    });
    expect(record.state.candidates.map((c) => [c.id, c.parent, c.note])).toEqual([
      ['c1', undefined, 'BLOCK = 256'],
      ['c2', 'c1', 'BLOCK = 512'],
      ['c3', 'c2', 'BLOCK = 1024'],
    ]);
    const history = await History.open(record.folder);
    const best = bestOf(record.state);
    expect((await history.read(best?.candidate.commit ?? ''))[0]?.text).toContain('BLOCK = 1024');
    const prompt = JSON.stringify(server.requests[0]?.messages);
    expect(prompt).toContain('k.cu (2 lines)');
    expect(prompt).toContain('n=1024');
    expect(prompt).toContain('emulation');
  });

  test('what goes wrong on the way is told and passed', async () => {
    let n = 0;
    const { record } = await ask((request, count) => {
      n += 1;
      if (n === 2) return { fault: 'status', status: 429, headers: { 'retry-after': '0' } };
      if (n === 4) return { fault: 'drop', blocks: [{ type: 'text', text: 'I was about to' }] };
      return doubling(request, count);
    });
    expect(record.state.finished?.reason).toBe('agent');
    expect(record.state.incumbent).toBe('c3');
    expect(record.state.troubles.map((t) => t.where)).toEqual(['model', 'model']);
  });

  test.each<[string, Reply, RegExp]>([
    [
      'input that is not JSON',
      { blocks: [{ type: 'tool_use', name: 'edit', json: '{"path": "k.cu", ' }] },
      /not a JSON object; edit expects.*"path" \(string\), "old" \(string\)/,
    ],
    ['input with a field missing', call('edit', { path: 'k.cu', old: 'x' }), /new: .*edit expects/],
    ['a line that is none', call('view', { path: 'k.cu', from: -3 }), /from: .*"from" \(integer, optional\)/],
    [
      'a tool there is not',
      call('bash', { command: 'ls' }),
      /no tool "bash"; there are: view, edit, restore, evaluate, ask, claim_limit, finish/,
    ],
    ['a candidate there is not', call('restore', { to: 'c7' }), /there is no "c7"; there are: original$/],
    ['a path that leads out', call('view', { path: '../../etc/passwd' }), /no file/],
  ])('%s is an error the agent can read, and the session goes on', async (_name, reply, expected) => {
    const { record } = await ask((request, count) => {
      const results = latestResults(request);
      if (count === 1) return reply;
      if (count === 2) {
        expect(results[0]).toMatch(expected);
        return call('finish', { reason: 'seen' });
      }
      throw new Error('too many requests');
    });
    expect(record.state.finished).toMatchObject({ reason: 'agent', message: 'seen' });
  });

  test('line numbers may come as text', async () => {
    const { record } = await ask((_request, count) =>
      count === 1 ? call('view', { path: './k.cu', from: '2', to: '2' }) : call('finish', { reason: 'seen' }),
    );
    const view = record.state.conversation.find((e) => e.type === 'tool');
    expect(view).toMatchObject({ isError: false, result: expect.stringContaining('2  __global__') });
    expect(toolsFor('ask')[0]?.schema.properties['from']).toMatchObject({ type: 'integer', minimum: 1 });
    expect(toolsFor('ask')[0]?.schema.required).toEqual(['path']);
  });

  test('restore sets the working copy to a candidate or the original, and a resumed session has it so', async () => {
    const steps = [
      edit(128, 256),
      call('evaluate', { note: 'a' }),
      edit(256, 64),
      call('evaluate', { note: 'b' }),
      call('restore', { to: 'c1' }),
      edit(256, 512),
      call('evaluate', { note: 'c' }),
      call('restore', { to: 'original' }),
      edit(128, 1024),
      call('evaluate', { note: 'd' }),
    ];
    const script: Script = (request) =>
      steps[request.messages.filter((m) => m.role === 'assistant').length] ?? call('finish', { reason: 'done' });
    const whole = await ask(script);
    const expected = [
      ['c1', undefined, 'a'],
      ['c2', 'c1', 'b'],
      ['c3', 'c1', 'c'],
      ['c4', undefined, 'd'],
    ];
    const told = (r: typeof whole.record) => r.state.candidates.map((c) => [c.id, c.parent, c.note]);
    expect(told(whole.record)).toEqual(expected);
    const lines = (await readFile(path.join(whole.folder, 'trace.jsonl'), 'utf8')).split('\n').filter(Boolean);
    for (const [i, line] of lines.entries()) {
      if (!line.includes('"name":"restore"')) continue;
      const again = await mkdtemp(`${whole.folder}-`);
      await cp(whole.folder, again, { recursive: true });
      await writeFile(path.join(again, 'trace.jsonl'), lines.slice(0, i + 1).join('\n') + '\n');
      const { record } = await ask(script, { resume: again });
      expect(told(record)).toEqual(expected);
      expect(record.state.candidates.map((c) => c.sourcesSha256)).toEqual(
        whole.record.state.candidates.map((c) => c.sourcesSha256),
      );
    }
  });

  test('an agent that only talks is reminded, then the session ends', async () => {
    const { record, server } = await ask(() => ({ blocks: [{ type: 'text', text: 'Let me think.' }] }));
    expect(record.state.finished).toMatchObject({ reason: 'agent', message: 'the agent stopped calling tools' });
    expect(server.requests).toHaveLength(3);
  });

  test('an agent that goes round in circles ends, however much budget is left', async () => {
    const { record, server, runner } = await ask(() => call('evaluate', { note: 'again' }));
    expect(record.state.finished?.message).toBe('the agent made no new candidate in 100 answers');
    expect(server.requests.length).toBeLessThanOrEqual(101);
    expect(runner.jobs).toHaveLength(1);
  });

  test('the last evaluation ends the session without another question to the model', async () => {
    const { record, server } = await ask(doubling, { evaluations: 2 });
    expect(record.state).toMatchObject({ evaluations: 2, finished: { reason: 'budget', best: 'c2' } });
    const more = await ask(doubling, { resume: record.folder, evaluations: 20 });
    expect(more.record.state.finished).toMatchObject({ reason: 'agent', message: 'stuck at 1024' });
    expect(more.server.requests.length + server.requests.length).toBe(8);
    // It is told of its new budget, once, after the results of its calls.
    const prompts = more.record.state.conversation.filter((e) => e.type === 'prompt');
    expect(prompts.slice(1).map((e) => e.text)).toEqual([
      expect.stringMatching(/goes on: 18 evaluations, \d+ minutes left; best so far: c2, 4\.00.*as you left it/),
    ]);
    const last = more.server.requests[0]?.messages.at(-1)?.content;
    expect(Array.isArray(last) && last.map((b) => b.type)).toEqual(['tool_result', 'text']);
  });

  test('a refused key ends the session with the remedy; the best so far is kept', async () => {
    const { record } = await ask((request, count) =>
      count < 5
        ? doubling(request, count)
        : { fault: 'status', status: 401, type: 'authentication_error', message: 'no' },
    );
    expect(record.state.finished).toMatchObject({
      reason: 'failed',
      best: 'c1',
      message: expect.stringMatching(/401.*check the key/),
    });
  });

  test('cut after any event, the conversation goes on where it was and nothing is paid for twice', async () => {
    const whole = await ask(doublingTo(512));
    const file = path.join(whole.folder, 'trace.jsonl');
    const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
    const { events } = await readTrace(whole.folder);
    for (let cut = 3; cut < lines.length; cut++) {
      const again = await mkdtemp(`${whole.folder}-`);
      await cp(whole.folder, again, { recursive: true });
      await writeFile(path.join(again, 'trace.jsonl'), lines.slice(0, cut).join('\n') + '\n{"torn');
      const { record, runner, server } = await ask(doublingTo(512), { resume: again });
      const held = events.slice(0, cut);
      const count = (type: string): number => held.filter((e) => e.type === type).length;
      expect(runner.jobs).toHaveLength(whole.runner.jobs.length - count('verdict') - count('baseline'));
      expect(record.state.candidates.map((c) => c.sourcesSha256)).toEqual(
        whole.record.state.candidates.map((c) => c.sourcesSha256),
      );
      expect(record.state.incumbent).toBe('c2');
      const finished = held.some((e) => e.type === 'tool' && e.name === 'finish');
      if (!finished) {
        expect(server.requests).toHaveLength(whole.server.requests.length - count('model'));
        expect(roles(record.state.conversation)).toEqual(roles(whole.record.state.conversation));
      }
    }
  });
});

const roles = (conversation: SessionState['conversation']): string[] => conversation.map((e) => e.type);
