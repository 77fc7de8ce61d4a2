// The runner's server against clients that are wrong, hostile or slow.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERRORS, LIMITS, METHODS, SUBPROTOCOL } from '../../remote-runner/protocol.js';
import { RawClient, upgrade } from '../support/raw-client.js';
import { scriptedJob } from '../support/scripted-evaluator.js';
import type { TestServer } from '../support/server.js';
import { TOKEN, testServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.end());

/** The server still does its work. */
async function expectAlive(): Promise<void> {
  const client = await RawClient.open(server.url);
  const answer = await client.request(METHODS.initialize, { client: { name: 'test', version: '1' } });
  expect(answer.result).toMatchObject({ runner: { name: 'kernelseek-runner' } });
  client.ws.close();
  await client.closed;
}

describe('admission', () => {
  const good = { Authorization: `Bearer ${TOKEN}`, 'Sec-WebSocket-Protocol': SUBPROTOCOL };

  test('takes a client with token and subprotocol', async () => {
    const { status, headers } = await upgrade(server.url, good);
    expect([status, headers['sec-websocket-protocol']]).toEqual([101, SUBPROTOCOL]);
  });

  test('picks its own among several subprotocols', async () => {
    const { headers } = await upgrade(server.url, { ...good, 'Sec-WebSocket-Protocol': `other.v9, ${SUBPROTOCOL}` });
    expect(headers['sec-websocket-protocol']).toBe(SUBPROTOCOL);
  });

  test.each([
    ['no token', { 'Sec-WebSocket-Protocol': SUBPROTOCOL }, '/', 401, 'No bearer token'],
    ['a wrong token', { ...good, Authorization: `Bearer ${TOKEN}x` }, '/', 401, 'token is wrong'],
    ['an empty token', { ...good, Authorization: 'Bearer ' }, '/', 401, 'No bearer token'],
    ['another scheme', { ...good, Authorization: `Basic ${TOKEN}` }, '/', 401, 'No bearer token'],
    ['a browser', { ...good, Origin: 'http://127.0.0.1' }, '/', 403, 'web pages'],
    ['an opaque origin', { ...good, Origin: 'null' }, '/', 403, 'web pages'],
    ['no subprotocol', { Authorization: good.Authorization }, '/', 400, SUBPROTOCOL],
    ['another version', { ...good, 'Sec-WebSocket-Protocol': 'kernelseek.v0' }, '/', 426, 'same KernelSeek version'],
    ['another path', good, '/admin', 404, 'nothing at this path'],
    ['a path that is no URL', good, '//', 404, 'nothing at this path'],
  ])('refuses %s readably', async (_, headers, path, status, words) => {
    const answer = await upgrade(server.url, headers as Record<string, string>, path);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(words);
    expect(answer.body).not.toContain(TOKEN);
  });

  test('tells a browser what it is', async () => {
    const response = await fetch(server.url.replace('ws:', 'http:'));
    expect(response.status).toBe(426);
    expect(await response.text()).toContain('KernelSeek runner');
  });

  test('does not wait for ever for a client to say what it wants', async () => {
    const hasty = await testServer({ handshakeMs: 50 });
    for (const begun of ['', 'GET / HTTP/1.1\r\nHost: x\r\n']) {
      const socket = connect(Number(new URL(hasty.url).port), '127.0.0.1');
      socket.on('error', () => undefined).resume();
      const closed = new Promise((resolve) => socket.once('close', resolve));
      if (begun !== '') socket.write(begun);
      await closed;
    }
    await hasty.end();
  });

  test('never logs the token', () => {
    expect(server.lines.join('\n')).not.toContain(TOKEN);
  });
});

describe('messages that are not what they should be', () => {
  test.each([
    ['text that is not JSON', '{"jsonrpc":', 1007, 'not JSON'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]', 1008, 'JSON-RPC'],
    ['a number', '42', 1008, 'JSON-RPC'],
    ['null', 'null', 1008, 'JSON-RPC'],
    ['no version', '{"id":1,"method":"initialize"}', 1008, 'JSON-RPC'],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"initialize"}', 1008, 'JSON-RPC'],
    ['an answer nobody asked for', '{"jsonrpc":"2.0","id":1,"result":1}', 1008, 'JSON-RPC'],
    ['a binary frame', Buffer.from('{}'), 1003, 'binary'],
    ['a message over the limit', 'x'.repeat(LIMITS.message + 1), 1009, ''],
    ['bytes that are not UTF-8', 'invalid', 1007, ''],
  ])('%s closes the connection', async (name, message, code, words) => {
    const client = await RawClient.open(server.url);
    if (name.startsWith('bytes')) client.ws.send(Buffer.from([0xff, 0xfe]), { binary: false });
    else client.ws.send(message);
    const closed = await client.closed;
    expect(closed.code).toBe(code);
    expect(closed.reason).toContain(words);
    await expectAlive();
  });

  test('an optional notification is passed over', async () => {
    const client = await RawClient.open(server.url);
    client.ws.send('{"jsonrpc":"2.0","method":"$/cancelRequest"}');
    client.ws.send('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}');
    const answer = await client.request(METHODS.filesNeed, { sha256: [] });
    expect(answer.result).toEqual({ sha256: [] });
    client.ws.terminate();
  });

  test.each([
    ['an unknown method', 'job/steal', {}, -32601, 'job/steal'],
    ['parameters by position', METHODS.cancel, ['a'], -32602, 'params'],
    ['none', METHODS.cancel, undefined, -32602, 'params'],
    ['an id with a path in it', METHODS.cancel, { job: '../../etc/passwd' }, -32602, 'params.job'],
    ['a job never submitted', METHODS.cancel, { job: 'unknown' }, -32001, 'submit it again'],
    ['a job never submitted, attached', METHODS.attach, { job: 'unknown', after: 0 }, -32001, 'submit it again'],
    ['a source outside the job', METHODS.submit, withPath('../k.cu'), -32602, 'params.params.task.original.0.path'],
    ['an absolute source', METHODS.submit, withPath('/etc/k.cu'), -32602, 'params.params.task.original.0.path'],
    ['a name of the prototype', '__proto__', {}, -32601, '__proto__'],
  ])('%s is answered with an error that names it', async (_, method, params, code, words) => {
    const client = await RawClient.open(server.url);
    const { error } = await client.request(method, params);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(words);
    client.ws.terminate();
  });

  function withPath(path: string): unknown {
    const params = scriptedJob('');
    return { job: 'paths', params: { ...params, task: { ...params.task, original: [{ path, text: '' }] } } };
  }

  test('a task nested beyond reason is one error, not the end', async () => {
    const client = await RawClient.open(server.url);
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const params = JSON.stringify(scriptedJob('')).replace('"task":{}', `"task":${deep}`);
    client.ws.send(`{"jsonrpc":"2.0","id":1,"method":"job/submit","params":{"job":"deep","params":${params}}}`);
    await client.next();
    client.ws.terminate();
    await expectAlive();
  });

  test('half a frame, then silence or the end', async () => {
    const handshake = [
      'GET / HTTP/1.1',
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Sec-WebSocket-Protocol: ${SUBPROTOCOL}`,
      `Authorization: Bearer ${TOKEN}`,
      '\r\n',
    ].join('\r\n');
    // A masked text frame that promises 64 KiB and brings 3 bytes; a reserved opcode; an unmasked frame.
    const frames = [
      [0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7],
      [0x83, 0x80, 1, 2, 3, 4],
      [0x81, 0x02, 0x7b, 0x7d],
    ];
    for (const frame of frames) {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) => {
        socket.write(handshake);
        socket.once('data', () => {
          socket.write(Buffer.from(frame), () => resolve());
        });
      });
      socket.destroy();
    }
    await expectAlive();
  });
});

test('more than the runner can hold at once is refused, and taken again when there is room', async () => {
  const small = await testServer({ mostHeld: 1_000_000 });
  const client = await RawClient.open(small.url);
  const large = '#'.repeat(100_000);
  const submit = (i: number) => {
    const params = scriptedJob('wait');
    params.task.original = [{ path: 'k.cu', text: large }];
    return client.submit(`large-${i}`, params);
  };
  let accepted = 0;
  for (;;) {
    const { error } = await submit(accepted);
    if (error) {
      expect(error.code).toBe(ERRORS.tooMany);
      break;
    }
    accepted += 1;
  }
  expect(accepted).toBe(9);
  for (let i = 0; i < accepted; i += 1) await client.request(METHODS.cancel, { job: `large-${i}` });
  await Promise.all(Array.from({ length: accepted }, (_, i) => client.last(`large-${i}`)));
  expect((await submit(accepted)).error).toBeUndefined();
  client.ws.terminate();
  await small.end();
});

describe('slow clients', () => {
  test('one that stops reading is dropped, holds up nobody, and loses nothing', async () => {
    const slow = await testServer({ pingMs: 100 });
    const lazy = await RawClient.open(slow.url);
    const jobs = Array.from({ length: 300 }, (_, i) => `job-${i}`);
    await Promise.all(jobs.map((job) => lazy.submit(job, scriptedJob('pad 16000'))));
    lazy.ws.pause();
    while (!slow.lines.some((line) => line.includes('does not answer'))) await sleep(20);
    lazy.ws.terminate();

    const other = await RawClient.open(slow.url);
    for (const job of jobs) await other.request(METHODS.attach, { job, after: 0 });
    const last = await Promise.all(jobs.map((job) => other.last(job)));
    expect(last.every((e) => e.event.type === 'verdict')).toBe(true);
    other.ws.terminate();
    await slow.end();
  });
});
