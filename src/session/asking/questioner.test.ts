// Questions through a whole session: put by a person, picked by the agent, refused, silent, resumed; at most one is open.
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { Verdict } from '../../../remote-runner/protocol.js';
import type { MessagesServer, Reply as ModelReply, Script } from '../../../test/support/messages-server.js';
import { latestResults, messagesServer } from '../../../test/support/messages-server.js';
import { verdictWith } from '../../../test/support/sample-trace.js';
import { ScriptedRunner } from '../../../test/support/scripted-connection.js';
import {
  QUESTIONS,
  scriptedPerson,
  scriptedQuestions,
  type ScriptedPerson,
  type ScriptedQuestions,
} from '../../../test/support/scripted-questions.js';
import { runSession, sampleTask } from '../../../test/support/session-rig.js';
import { anthropicModel } from '../../model/anthropic.js';
import { askStrategy } from '../ask/ask.js';
import type { MomentState } from '../fold.js';
import { fold } from '../fold.js';
import { parseTrace, readTrace } from '../trace.js';
import type { Asker, Reply } from './asker.js';

const KEY = 'sk-test-0123456789abcdef';
const servers: MessagesServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((s) => s.close())));

const valueIn = (text: string): number => Number(/BLOCK = (\d+)/.exec(text)?.[1]);
const judge = (text: string, { mode }: { mode: Verdict['mode'] }): Verdict => {
  const value = valueIn(text) / 128;
  return verdictWith({ value, mode, ...(mode === 'confirm' && { faster: value > 1.02 }) });
};
const call = (name: string, input: Record<string, unknown>): ModelReply => ({
  blocks: [{ type: 'tool_use', name, input }],
});

/** Text of the user's last message that is no tool result: what the session says to the agent. */
function said(request: Parameters<Script>[0]): string {
  const last = request.messages.at(-1)?.content ?? [];
  return typeof last === 'string'
    ? last
    : last.flatMap((b) => (b.type === 'text' ? [String(b['text'])] : [])).join('\n');
}

/** Answers every question with `answer`; else tries 256, then 512, then finishes. */
const agent =
  (answer: (question: string) => ModelReply): Script =>
  (request) => {
    const last = latestResults(request).at(-1) ?? '';
    const text = said(request);
    if (text.includes('Call ask')) return answer(text);
    const edits = JSON.stringify(request.messages).match(/"new":"BLOCK = /g)?.length ?? 0;
    if (last.startsWith('edited')) return call('evaluate', { note: `try ${edits}` });
    if (edits < 2)
      return call('edit', { path: 'k.cu', old: `BLOCK = ${128 << edits}`, new: `BLOCK = ${256 << edits}` });
    return call('finish', { reason: 'done' });
  };

async function run(
  script: Script,
  questions: ScriptedQuestions,
  asker: Asker = scriptedPerson(),
  more: { resume?: string; stop?: AbortController; evaluations?: number } = {},
) {
  const server = await messagesServer(KEY, script);
  servers.push(server);
  const model = anthropicModel({ key: KEY, baseUrl: server.url, firstDelayMs: 1, attempts: 2 });
  const runner = new ScriptedRunner({ judge });
  const result = await runSession({
    runner,
    name: 'ask',
    budget: { evaluations: more.evaluations ?? 10, minutes: 10 },
    ...(more.resume !== undefined && { resume: more.resume }),
    ...(more.stop && { stop: more.stop }),
    strategy: (record) =>
      askStrategy({
        model,
        record,
        task: sampleTask(),
        readOnly: new Map(),
        questions: { source: scriptedQuestions(questions), asker },
        onProgress: () => undefined,
      }),
  });
  return { ...result, server, runner, state: result.record.state };
}

const first = (state: { moments: MomentState[] }): MomentState => {
  const [moment] = state.moments;
  if (!moment) throw new Error('there was no moment');
  return moment;
};

const answers = agent((text) => call('ask', { question: 1, why: 'it is nearest', answer: `to "${text.slice(0, 9)}"` }));

test('the agent picks among three, says why, and answers before it acts', async () => {
  let refused = '';
  const script: Script = (request, count) => {
    const results = latestResults(request);
    if (said(request).includes('Call ask')) {
      expect(said(request)).toContain(
        'Before you go on (Nothing was gained up to c1.):\n1. Which byte travels twice?\n2. ',
      );
      return call('evaluate', { note: 'without an answer' });
    }
    if (results[0]?.includes('a question is open')) {
      refused = results[0];
      return call('ask', { question: 9, answer: 'none of these' });
    }
    if (results[0]?.startsWith('there is no question 9')) {
      return call('ask', { question: 2, why: 'the others are done', answer: 'for memory' });
    }
    return answers(request, count);
  };
  const { state } = await run(script, { after: ['c1'] });
  expect(refused).toBe('a question is open: call ask first');
  expect(first(state)).toMatchObject({
    moment: { kind: 'plateau', asked: true, offered: ['twice', 'waiting', 'habit'] },
    question: { known: 'waiting', level: 'overlap', by: 'agent', informed: false },
    answer: {
      outcome: 'answered',
      by: 'agent',
      text: 'for memory\n(chosen because: the others are done)',
      informed: false,
    },
  });
  expect(state.finished?.message).toBe('done');
});

test.each<[string, Reply, object, RegExp | undefined]>([
  [
    'puts one',
    { type: 'put', known: 'habit' },
    { question: { known: 'habit', by: 'human' }, answer: { outcome: 'answered', by: 'agent' } },
    /A question before you go on:\n1\. Which order here is only a habit\?/,
  ],
  [
    'answers one',
    { type: 'answer', known: 'twice', text: 'the mask, 4 times' },
    { question: { known: 'twice', by: 'human' }, answer: { outcome: 'answered', by: 'human', informed: true } },
    /Which byte travels twice\?\nThe engineer answers: the mask, 4 times/,
  ],
  [
    'asks something else',
    { type: 'own', text: 'Who reads the table?' },
    { question: { text: 'Who reads the table?', by: 'human', informed: false }, answer: { by: 'agent' } },
    /The engineer asks:\n1\. Who reads the table\?/,
  ],
  ['passes', { type: 'pass' }, { answer: { outcome: 'passed', by: 'human' } }, undefined],
  ['calls it the wrong moment', { type: 'wrong-moment' }, { answer: { outcome: 'wrong-moment' } }, undefined],
])('a person %s', async (_what, reply, expected, told) => {
  const person = scriptedPerson([reply]);
  const { state, server } = await run(answers, { after: ['c1'] }, person);
  expect(person.seen).toHaveLength(1);
  expect(state.moments).toHaveLength(1);
  expect(first(state)).toMatchObject(expected);
  const heard = server.requests.map(said).filter((text, i) => i > 0 && text !== '');
  if (told) expect(heard.join('\n')).toMatch(told);
  else expect(heard).toEqual([]);
});

test('other questions are offered on wish, and one that is never wanted opens the moment again without it', async () => {
  const person = scriptedPerson([
    { type: 'another' },
    { type: 'never', known: 'whose' },
    { type: 'put', known: 'twice' },
  ]);
  const { state } = await run(answers, { after: ['c1'] }, person);
  expect(person.seen.map((s) => s.choices.map((c) => c.id))).toEqual([
    ['twice', 'waiting', 'habit'],
    ['whose', 'granted'],
    ['twice', 'waiting', 'habit'],
  ]);
  expect(state.moments.map((m) => [m.question?.known, m.answer?.outcome])).toEqual([
    ['whose', 'never'],
    ['twice', 'answered'],
  ]);
});

test('a person interrupts at the next safe point, also what the agent has not answered yet', async () => {
  const person = scriptedPerson();
  const script: Script = (request, count) => {
    if (count === 1) person.poses.push('What is this for?');
    return answers(request, count);
  };
  const { state } = await run(script, {}, person);
  expect(first(state)).toMatchObject({
    moment: { kind: 'human', offered: [] },
    question: { text: 'What is this for?', by: 'human' },
    answer: { outcome: 'answered', by: 'agent' },
  });
  const impatient = scriptedPerson();
  const slow: Script = (request, count) => {
    if (said(request).includes('Which byte')) {
      impatient.poses.push('And the tail?');
      return call('view', { path: 'k.cu' });
    }
    return answers(request, count);
  };
  const again = await run(slow, { after: ['c1'] }, impatient);
  expect(again.state.moments.map((m) => [m.moment.kind, m.answer?.outcome])).toEqual([
    ['plateau', 'expired'],
    ['human', 'answered'],
  ]);
});

test('silence leaves its moment in the trace and says nothing; a question that is ignored expires', async () => {
  const quiet = await run(answers, { after: ['c1'], silent: ['c1'] });
  expect(first(quiet.state).moment).toMatchObject({ asked: false, offered: ['twice', 'waiting', 'habit'] });
  expect(first(quiet.state).answer).toBeUndefined();
  expect(quiet.server.requests.slice(1).map(said).join('')).toBe('');
  const deaf: Script = (request, count) => {
    const last = latestResults(request).at(-1) ?? '';
    if (said(request).includes('Call ask') || last.includes('a question is open')) return call('restore', { to: 'c1' });
    return answers(request, count);
  };
  const ignored = await run(deaf, { after: ['c1'] });
  expect(first(ignored.state).answer).toMatchObject({ outcome: 'expired', by: 'agent' });
  expect(ignored.state.finished?.reason).toBe('agent');
});

test('a claimed limit is met with the floor and a question; a wish to stop with a question as often as one is due', async () => {
  const finishes: string[] = [];
  const script: Script = (request) => {
    const last = latestResults(request).at(-1) ?? '';
    if (said(request).includes('Call ask')) return call('ask', { question: 3, answer: 'so be it' });
    if (last === '') return call('claim_limit', { claim: 'memory is saturated', evidence: 'c1' });
    finishes.push(last);
    return call('finish', { reason: 'really done' });
  };
  const { state } = await run(script, { wishes: 2 });
  expect(state.claims).toMatchObject([{ id: 'l1', text: 'memory is saturated', evidence: 'c1' }]);
  expect(state.moments.map((m) => [m.moment.kind, m.question?.known, m.answer?.outcome])).toEqual([
    ['limit-claimed', 'habit', 'answered'],
    ['wish-to-stop', 'habit', 'answered'],
    ['wish-to-stop', 'habit', 'answered'],
  ]);
  expect(finishes).toEqual(['go on', 'go on', 'go on']);
  expect(state.finished).toMatchObject({ reason: 'agent', message: 'really done' });
});

test('a candidate whose gain was not looked at is confirmed while a person thinks', async () => {
  const stop = new AbortController();
  const noisy = (text: string, { mode }: { mode: Verdict['mode'] }): Verdict =>
    mode === 'confirm' ? judge(text, { mode }) : verdictWith({ value: valueIn(text) / 128, low: 0.5, high: 9 });
  const server = await messagesServer(KEY, answers);
  servers.push(server);
  let looked = (): void => undefined;
  const confirmed = new Promise<void>((resolve) => (looked = resolve));
  const runner = new ScriptedRunner({
    judge: (text, params) => {
      if (params.mode === 'confirm') setTimeout(looked);
      return noisy(text, params);
    },
  });
  const thinking: Asker = {
    ...scriptedPerson(),
    ask: () => confirmed.then(() => ({ type: 'pass' })),
  };
  const model = anthropicModel({ key: KEY, baseUrl: server.url });
  const { record } = await runSession({
    runner,
    stop,
    strategy: (r) =>
      askStrategy({
        model,
        record: r,
        task: sampleTask(),
        readOnly: new Map(),
        questions: { source: scriptedQuestions({ after: ['c1'] }), asker: thinking },
        onProgress: () => undefined,
      }),
  });
  const jobs = runner.jobs.map((j) => `${valueIn(j.text)} ${j.mode}`);
  expect(jobs.indexOf('256 confirm')).toBeLessThan(jobs.indexOf('512 first'));
  expect(record.state.bests[0]?.candidate).toBe('c1');
});

test(
  'cut after any event, what was open is asked again and nothing is asked or answered twice',
  { timeout: 60_000 },
  async () => {
    const replies = (): ScriptedPerson =>
      scriptedPerson([
        { type: 'another' },
        { type: 'answer', known: 'granted', text: 'the layout' },
        { type: 'put', known: 'twice' },
      ]);
    const due = { after: ['c1', 'c2'], wishes: 1 };
    const whole = await run(answers, due, replies());
    const events = (await readTrace(whole.folder)).events;
    const lines = (await readFile(path.join(whole.folder, 'trace.jsonl'), 'utf8')).split('\n').filter(Boolean);
    const outline = (state: { moments: MomentState[] }) =>
      state.moments.map((m) => [m.moment.kind, m.question && 'question', m.answer?.outcome]);
    for (let cut = 3; cut < lines.length - 1; cut++) {
      const folder = await mkdtemp(`${whole.folder}-`);
      await cp(whole.folder, folder, { recursive: true });
      await writeFile(path.join(folder, 'trace.jsonl'), lines.slice(0, cut).join('\n') + '\n{"torn');
      const held = fold(events.slice(0, cut));
      // The person answers again what the trace had not heard.
      const heard = events.slice(0, cut);
      const person = heard.some((e) => e.type === 'answer' && e.by === 'human')
        ? scriptedPerson([{ type: 'put', known: 'twice' }])
        : scriptedPerson([
            { type: 'answer', known: held?.moments[0]?.offered[0] ?? 'twice', text: 'the layout' },
            { type: 'put', known: 'twice' },
          ]);
      const { state } = await run(answers, due, person, { resume: folder });
      expect(outline(state), `cut at ${cut}`).toEqual(outline(whole.state));
      // One prompt a question, however often the session was taken up.
      const told = state.conversation.flatMap((e) => (e.type === 'prompt' && e.moment !== undefined ? [e.moment] : []));
      expect(new Set(told).size).toBe(told.length);
      expect(state.moments.every((m) => m.answer)).toBe(true);
    }
    expect(QUESTIONS.map((q) => q.id)).toContain('granted');
  },
);

test('cut at any byte, it goes on with every question answered once', { timeout: 120_000 }, async () => {
  const due = { after: ['c1', 'c2'], wishes: 1 };
  const whole = await run(answers, due);
  const trace = await readFile(path.join(whole.folder, 'trace.jsonl'));
  const started = trace.indexOf('\n') + 1;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: started, max: trace.length }), async (cut) => {
      const folder = await mkdtemp(`${whole.folder}-`);
      await cp(whole.folder, folder, { recursive: true });
      await writeFile(path.join(folder, 'trace.jsonl'), trace.subarray(0, cut));
      const { state, server } = await run(answers, due, scriptedPerson(), { resume: folder });
      expect(state.moments.map((m) => [m.moment.kind, m.answer?.outcome])).toEqual(
        whole.state.moments.map((m) => [m.moment.kind, m.answer?.outcome]),
      );
      expect(state.candidates.map((c) => c.sourcesSha256)).toEqual(whole.state.candidates.map((c) => c.sourcesSha256));
      const paid = (s: typeof state): number => s.conversation.filter((e) => e.type === 'model').length;
      // One more where the agent had finished already: it is told that the session goes on.
      expect(paid(state)).toBeLessThanOrEqual(paid(whole.state) + 1);
      const before = fold(parseTrace(trace.subarray(0, cut), 'cut').events);
      expect(server.requests).toHaveLength(paid(state) - (before ? paid(before) : 0));
    }),
    { numRuns: 12 },
  );
});
