// The model client against a server that speaks the Messages API: streams, tools, and everything that goes wrong on the way.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { MessagesServer, Reply, Script } from '../../test/support/messages-server.js';
import { messagesServer } from '../../test/support/messages-server.js';
import { anthropicModel } from './anthropic.js';
import type { ModelRequest } from './model.js';
import { MALFORMED } from './model.js';
import { retryAfter } from './retry.js';

const KEY = 'sk-test-0123456789abcdef';
const servers: MessagesServer[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(servers.splice(0).map((s) => s.close()));
});

async function serve(script: Script): Promise<MessagesServer> {
  const server = await messagesServer(KEY, script);
  servers.push(server);
  return server;
}

const request: ModelRequest = {
  system: 'be brief',
  tools: [{ name: 'look', description: 'looks', schema: { type: 'object', properties: {}, required: [] } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    { role: 'assistant', content: [{ type: 'opaque', block: { type: 'thinking', thinking: 'hm', signature: 's' } }] },
    { role: 'user', content: [{ type: 'text', text: 'go on' }] },
  ],
};

function inOrder(...replies: Reply[]): Script {
  return (_request, count) => replies[count - 1] ?? { fault: 'status', status: 500 };
}

async function complete(server: { url: string }, more: { attempts?: number; silenceMs?: number; key?: string } = {}) {
  const troubles: string[] = [];
  const texts: string[] = [];
  const model = anthropicModel({ key: KEY, baseUrl: server.url, firstDelayMs: 1, ...more });
  const answer = model.complete(request, {
    signal: new AbortController().signal,
    onTrouble: (t) => void troubles.push(t),
    onText: (t) => void texts.push(t),
  });
  return { answer: await answer.catch((e: unknown) => e), troubles, texts };
}

const blocks = [
  { type: 'thinking', thinking: 'let me see', signature: 'sig' },
  { type: 'text', text: 'I look.' },
  { type: 'tool_use', id: 't1', name: 'look', input: { a: [1, { b: 'ü' }] } },
] as const;

describe('anthropic', () => {
  test('streams text, puts tool calls together, reports usage, keeps blocks it does not know', async () => {
    const server = await serve(inOrder({ blocks: [...blocks] }));
    const { answer, texts } = await complete(server);
    expect(answer).toMatchObject({
      content: [
        { type: 'opaque', block: { type: 'thinking', thinking: 'let me see', signature: 'sig' } },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't1', name: 'look', input: { a: [1, { b: 'ü' }] } },
      ],
      stopReason: 'tool_use',
      usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 10, cacheWriteTokens: 5 },
    });
    expect(texts.join('')).toBe('I look.');
  });

  test('marks tools, system and the latest turn for the cache, and sends unknown blocks back unchanged', async () => {
    const server = await serve(inOrder({ blocks: [...blocks] }));
    await complete(server);
    const cache_control = { type: 'ephemeral' };
    expect(server.requests[0]).toMatchObject({
      system: [{ cache_control }],
      tools: [{ name: 'look', cache_control }],
      messages: [
        { role: 'user', content: [{ text: 'hello' }] },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] },
        { role: 'user', content: [{ text: 'go on', cache_control }] },
      ],
    });
    expect(JSON.stringify(server.requests[0]).match(/cache_control/g)).toHaveLength(3);
  });

  test.each<[string, Reply, RegExp]>([
    ['a rate limit', { fault: 'status', status: 429, headers: { 'retry-after': '0.02' } }, /rate limit.*attempt 2 of/],
    ['an overload', { fault: 'status', status: 529, type: 'overloaded_error' }, /529/],
    ['a server error', { fault: 'status', status: 503 }, /503/],
    ['a stream that breaks off', { fault: 'drop', blocks: [...blocks] }, /broke off|cannot be reached/],
    ['an overload inside the stream', { fault: 'error-event', type: 'overloaded_error', message: 'busy' }, /busy/],
  ])('%s is told and tried again', async (_name, fault, trouble) => {
    const server = await serve(inOrder(fault, { blocks: [...blocks] }));
    const { answer, troubles } = await complete(server);
    expect(answer).toMatchObject({ stopReason: 'tool_use' });
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toMatch(trouble);
    expect(server.requests).toHaveLength(2);
  });

  test('a server that goes silent is left and asked again', async () => {
    const server = await serve(inOrder({ fault: 'hang' }, { blocks: [...blocks] }));
    const { answer, troubles } = await complete(server, { silenceMs: 200 });
    expect(answer).toMatchObject({ stopReason: 'tool_use' });
    expect(troubles[0]).toMatch(/nothing came for 0.2 s/);
  });

  test('gives up after its attempts, with what the server said', async () => {
    const server = await serve(() => ({ fault: 'status', status: 500, message: 'on fire' }));
    const { answer, troubles } = await complete(server, { attempts: 3 });
    expect(String(answer)).toMatch(/ModelError: the model at 127.0.0.1:\d+: the model answered 500 \(on fire\)/);
    expect(troubles).toHaveLength(2);
  });

  test('an endpoint that nobody is behind is left soon; one that has answered before is waited for', async () => {
    const gone = await serve(() => ({ fault: 'status', status: 500 }));
    await gone.close();
    const { answer, troubles } = await complete(gone);
    expect(String(answer)).toMatch(/cannot be reached/);
    expect(troubles.map((t) => /attempt \d of \d+/.exec(t)?.[0])).toEqual([2, 3, 4].map((n) => `attempt ${n} of 4`));

    const server = await serve(inOrder({ blocks: [...blocks] }));
    const model = anthropicModel({ key: KEY, baseUrl: server.url, firstDelayMs: 1, attempts: 6 });
    const { signal } = new AbortController();
    await model.complete(request, { signal });
    await server.close();
    const waits: string[] = [];
    const again = model.complete(request, { signal, onTrouble: (t) => void waits.push(t) });
    await expect(again).rejects.toThrow(/cannot be reached/);
    expect(waits).toHaveLength(5);
  });

  test('an address that can never work is not tried again', async () => {
    const { answer, troubles } = await complete({ url: 'http://127.0.0.1:9' });
    expect(String(answer)).toMatch(/bad port\); check its base URL/);
    expect(troubles).toEqual([]);
  });

  test('a refused key is final, and is not repeated in the error', async () => {
    const server = await serve(() => ({ fault: 'status', status: 500 }));
    const { answer, troubles } = await complete(server, { key: 'sk-another-key-entirely' });
    expect(String(answer)).toMatch(/answered 401.*check the key/);
    expect(String(answer)).not.toContain('another');
    expect(troubles).toEqual([]);
    const echo = await serve(() => ({ fault: 'status', status: 400, message: `bad key ${KEY}` }));
    expect(String((await complete(echo)).answer)).toContain('bad key [key removed]');
  });

  test('tool input that is not a JSON object is handed on as text', async () => {
    const server = await serve(inOrder({ blocks: [{ type: 'tool_use', id: 't', name: 'look', json: '{"a": ' }] }));
    const { answer } = await complete(server);
    expect(answer).toMatchObject({ content: [{ type: 'tool_use', id: 't', input: { [MALFORMED]: '{"a": ' } }] });
  });

  test('a redirect is refused: it would carry the key elsewhere', async () => {
    let reached = 0;
    const other = createServer((_q, s) => {
      reached += 1;
      s.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const server = await serve(() => ({ fault: 'status', status: 307, headers: { location } }));
    const { answer } = await complete(server, { attempts: 2 });
    other.close();
    expect(String(answer)).toMatch(/redirects elsewhere/);
    expect(reached).toBe(0);
  });

  test('nothing comes from the environment', async () => {
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'another-token');
    const server = await serve(inOrder({ blocks: [...blocks] }));
    expect((await complete(server)).answer).toMatchObject({ stopReason: 'tool_use' });
  });

  test('abort ends a hanging request and a back-off with the reason given', async () => {
    const hanging = await serve(() => ({ fault: 'hang' }));
    const limited = await serve(() => ({ fault: 'status', status: 429, headers: { 'retry-after': '3600' } }));
    for (const [server, firstDelayMs] of [
      [hanging, 1],
      [limited, 3_600_000],
    ] as const) {
      const abort = new AbortController();
      const model = anthropicModel({ key: KEY, baseUrl: server.url, firstDelayMs });
      const answer = model.complete(request, { signal: abort.signal });
      await vi.waitFor(() => expect(server.requests).toHaveLength(1));
      abort.abort(new Error('enough'));
      await expect(answer).rejects.toThrow('enough');
    }
  });

  test('a base URL that cannot be one is refused with how one looks', () => {
    expect(() => anthropicModel({ key: KEY, baseUrl: 'api.example.com' })).toThrow(/looks like https:/);
    expect(() => anthropicModel({ key: KEY, baseUrl: 'file:///etc/passwd' })).toThrow(/must be https or http/);
    expect(() => anthropicModel({ key: KEY, baseUrl: 'https://u:p@h/' })).toThrow(/must not hold a password/);
  });

  test('the test server answers plainly too, and insists on results for every call as the real one does', async () => {
    const server = await serve(inOrder({ blocks: [...blocks] }));
    const post = (messages: unknown): Promise<Response> =>
      fetch(`${server.url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', max_tokens: 9, messages }),
      });
    const answer = await post([{ role: 'user', content: 'hello' }]);
    expect(await answer.json()).toMatchObject({ stop_reason: 'tool_use', content: [{}, {}, { name: 'look' }] });
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] };
    const bad = await post([{ role: 'user', content: 'a' }, call, { role: 'user', content: 'b' }]);
    expect(bad.status).toBe(400);
    expect(await bad.text()).toContain('without tool_result');
  });

  test('retry-after in seconds, milliseconds and as a date', () => {
    const of = (h: Record<string, string>) => retryAfter({ get: (n) => h[n] ?? null }, 1_000_000);
    expect(of({ 'retry-after': '2' })).toBe(2000);
    expect(of({ 'retry-after-ms': '5', 'retry-after': '9' })).toBe(5);
    expect(of({ 'retry-after': new Date(1_003_000).toUTCString() })).toBe(3000);
    expect(of({ 'retry-after': new Date(0).toUTCString() })).toBe(0);
    expect(of({ 'retry-after': 'soon' })).toBeUndefined();
    expect(of({})).toBeUndefined();
  });
});
