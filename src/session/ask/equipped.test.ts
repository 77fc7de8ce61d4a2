// The equipped agent against the test server and a scripted runner: its tools, and profiles as it reads them.
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Profile, ProfileParams, Verdict } from '../../../remote-runner/protocol.js';
import type { MessagesServer, Reply, Script } from '../../../test/support/messages-server.js';
import { messagesServer } from '../../../test/support/messages-server.js';
import { recordedProfile } from '../../../test/support/recorded-profile.js';
import { verdictWith } from '../../../test/support/sample-trace.js';
import { ScriptedRunner } from '../../../test/support/scripted-connection.js';
import { runSession, sampleTask } from '../../../test/support/session-rig.js';
import { anthropicModel } from '../../model/anthropic.js';
import { RunnerError } from '../../runner/types.js';
import { askStrategy } from './ask.js';
import { MOST_CHARACTERS, profileResult } from './profile-result.js';
import { quoteWith } from './text.js';

const KEY = 'sk-test-0123456789abcdef';
const servers: MessagesServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((s) => s.close())));

const call = (name: string, input: Record<string, unknown>): Reply => ({ blocks: [{ type: 'tool_use', name, input }] });
const steps =
  (...replies: Reply[]): Script =>
  (request) =>
    replies[request.messages.filter((m) => m.role === 'assistant').length] ?? call('finish', { reason: 'done' });
const judge = (_text: string, { mode }: { mode: Verdict['mode'] }): Verdict => verdictWith({ value: 1, mode });
const profile = (more: Partial<Profile> = {}): Profile => ({
  ...recordedProfile(),
  scenario: 'n=1024',
  phases: { build: 700, profile: 4000, read: 300 },
  ...more,
});

async function equipped(
  script: Script,
  more: { profile?: (params: ProfileParams, job: string) => Profile; resume?: string } = {},
) {
  const server = await messagesServer(KEY, script);
  servers.push(server);
  const model = anthropicModel({ key: KEY, baseUrl: server.url, firstDelayMs: 1, attempts: 3 });
  const asked: { params: ProfileParams; job: string }[] = [];
  const runner = new ScriptedRunner({
    judge,
    profile: (params, job) => {
      asked.push({ params, job });
      return (more.profile ?? (() => profile()))(params, job);
    },
  });
  const task = sampleTask({ scenarios: [{ n: 1024 }, { n: 64 }], heldOut: [{ n: 4099 }] });
  const result = await runSession({
    runner,
    task,
    name: 'equipped',
    ...(more.resume !== undefined && { resume: more.resume }),
    strategy: (record) =>
      askStrategy({ kind: 'equipped', model, record, task, readOnly: new Map(), onProgress: () => undefined }),
  });
  const tools = result.record.state.conversation.flatMap((e) => (e.type === 'tool' ? [e] : []));
  return { ...result, server, asked, tools };
}

describe('equipped', () => {
  test('profiles its working copy, edits that are not judged yet included; nothing is counted as an evaluation', async () => {
    const { record, asked, tools, server } = await equipped(
      steps(
        call('edit', { path: 'k.cu', old: 'BLOCK = 128', new: 'BLOCK = 256' }),
        call('profile', { scenario: 'n=64', kernel: 'k' }),
        call('profile', {}),
      ),
    );
    expect(
      asked.map(({ params }) => [params.candidate?.[0]?.text.includes('256'), params.scenario, params.kernel]),
    ).toEqual([
      [true, 'n=64', 'k'],
      [true, undefined, undefined],
    ]);
    expect(new Set(asked.map((a) => a.job)).size).toBe(2);
    expect(record.state.evaluations).toBe(0);
    expect(tools[1]?.result).toMatch(/softmax_block_per_row[^]*speed of light/);
    // Two profiles: what they took counts as time of compiler and device.
    expect(record.state).toMatchObject({ compileMs: 1400, deviceMs: 8600 });
    expect(server.requests[0]?.tools?.map((t) => t.name)).toEqual([
      'view',
      'edit',
      'restore',
      'evaluate',
      'profile',
      'finish',
    ]);
    expect(JSON.stringify(server.requests[0]?.system)).not.toMatch(/question|claim_limit/);
  });

  test.each<[string, Reply, RegExp]>([
    [
      'a scenario that is held out',
      call('profile', { scenario: 'n=4099' }),
      /no scenario "n=4099"; there are: n=1024; n=64$/,
    ],
    [
      'a question',
      call('ask', { question: 1, answer: 'x' }),
      /no tool "ask"; there are: view, edit, restore, evaluate, profile/,
    ],
    ['input of another shape', call('profile', { scenario: 3 }), /scenario: .*profile expects/],
  ])('%s is an error the agent can read', async (_name, reply, expected) => {
    const { asked, tools } = await equipped(steps(reply));
    expect(tools[0]).toMatchObject({ isError: true, result: expect.stringMatching(expected) });
    expect(asked).toEqual([]);
  });

  test('a runner that cannot profile says why, and the session goes on', async () => {
    const { record, tools } = await equipped(steps(call('profile', {})), {
      profile: () => {
        throw new RunnerError('infrastructure', 'nothing can be told of kernels here: there is no nvcc');
      },
    });
    expect(tools[0]).toMatchObject({ isError: true, result: expect.stringContaining('there is no nvcc') });
    expect(record.state.finished?.reason).toBe('agent');
  });

  test('a session that broke off while it profiled takes up the same job', async () => {
    const script = steps(call('view', { path: 'k.cu' }), call('profile', {}));
    const whole = await equipped(script);
    const lines = (await readFile(path.join(whole.folder, 'trace.jsonl'), 'utf8')).split('\n').filter(Boolean);
    const at = lines.findIndex((l) => l.includes('"type":"tool"') && l.includes('"name":"profile"'));
    const again = await mkdtemp(`${whole.folder}-`);
    await cp(whole.folder, again, { recursive: true });
    await writeFile(path.join(again, 'trace.jsonl'), lines.slice(0, at).join('\n') + '\n');
    const resumed = await equipped(script, { resume: again });
    expect(resumed.asked.map((a) => a.job)).toEqual(whole.asked.map((a) => a.job));
    expect(resumed.server.requests).toHaveLength(1);
  });
});

describe('a profile as the agent reads it', () => {
  const quote = quoteWith('data-0123456789ab');
  const sources = [{ path: 'k.cu', text: 'int a;\n' }];

  test('stays within 600 tokens, marks included, whatever it holds', () => {
    const [launch] = recordedProfile().launches;
    const many = profile({ launches: Array.from({ length: 30 }, () => launch!), message: 'x'.repeat(9000) });
    for (const p of [many, { ...many, status: 'crash' as const }, profile()]) {
      expect(profileResult(p, sources, quote).length).toBeLessThanOrEqual(2400);
    }
    expect(profileResult(many, sources, quote).length).toBeGreaterThan(MOST_CHARACTERS / 2);
  });

  test('without counters: why, and what the compiler knows', () => {
    const trouble = { kind: 'no-device' as const, message: 'counters need a GPU' };
    const resources = [{ entry: 'k', name: 'k(float*)', arch: 'sm_90a', registers: 16 }];
    const text = profileResult(profile({ launches: [], trouble, message: trouble.message, resources }), sources, quote);
    expect(text).toMatch(/no counters: counters need a GPU[^]*k\(float\*\) \(sm_90a\): 16 registers/);
  });

  test('a copy that does not compile shows the errors', () => {
    const diagnostics = [{ file: 'k.cu', line: 3, severity: 'error' as const, message: 'expected a ";"' }];
    const text = profileResult(
      profile({ status: 'compile_error', message: 'it does not compile', launches: [], diagnostics }),
      sources,
      quote,
    );
    expect(text).toMatch(/^<data-[^]*compile_error: it does not compile\nk\.cu:3: expected a ";"/);
  });
});
