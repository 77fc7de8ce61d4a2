// The protocol against a live runner: whatever ten thousand messages say, in whichever order, it answers or closes with a
// reason, keeps its memory, and serves the next client right.
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { METHODS, SUBPROTOCOL } from '../../remote-runner/protocol.js';
import { bundle } from '../support/bundle.js';
import type { RawClient } from '../support/raw-client.js';
import { RunnerHome } from '../support/runner-process.js';
import { scriptedJob } from '../support/scripted-evaluator.js';

/** Messages in all; the three tests share them. */
const MESSAGES = { conversations: 9000, mutated: 3000, raw: 600 };
const PER_CONVERSATION = 60;
/** Resident memory that the runner may gain over all of it, bytes: job logs and buffers of V8, no leak by the message. */
const MOST_GAINED = 192 * 2 ** 20;

let home: RunnerHome;
let before = 0;
let sent = 0;

beforeAll(async () => {
  home = await RunnerHome.create(await bundle('test/support/scripted-runner.ts'));
  await home.start({ node: ['--max-old-space-size=256'] });
  await expectGood();
  before = home.memory;
});
afterAll(() => home.dispose());

/** A client that keeps the rules is served: the whole way from its introduction to a verdict. */
async function expectGood(): Promise<void> {
  const client = await home.raw();
  const about = await client.request(METHODS.initialize, { client: { name: 'test', version: '1' } });
  expect(about.result).toMatchObject({ runner: { name: 'kernelseek-runner' } });
  const job = `good-${(sent += 1)}`;
  expect((await client.submit(job, scriptedJob('progress 2\nsay good'))).result).toEqual({ job, attached: false });
  expect((await client.last(job)).event).toMatchObject({ type: 'verdict', verdict: { message: 'good' } });
  client.ws.close();
  await client.closed;
}

/** Sends all, then one correct question: that is answered, or the connection closed with a code of the protocol. */
async function converse(frames: (string | Buffer)[]): Promise<void> {
  const client: RawClient = await home.raw();
  for (const frame of frames) client.ws.send(frame);
  sent += frames.length;
  const outcome = await Promise.race([client.request(METHODS.filesNeed, { sha256: [] }), client.closed]);
  if ('code' in outcome) expect([1003, 1007, 1008]).toContain(outcome.code);
  client.ws.terminate();
  await client.closed;
}

const id = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.string({ maxLength: 80 }));
const script = fc.constantFrom('progress 2', 'say x', 'throw x', 'bad', 'sleep 1', 'pad 20000', 'calibrate');
const job = fc.oneof(
  { weight: 3, arbitrary: script.map((s) => scriptedJob(s)) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const params = fc.record(
  {
    job: id,
    after: fc.oneof(fc.nat(), fc.double(), fc.string()),
    seq: fc.oneof(fc.nat(), fc.integer()),
    sha256: fc.oneof(fc.constant('0'.repeat(64)), fc.array(fc.string())),
    size: fc.integer(),
    offset: fc.integer(),
    data: fc.base64String(),
    params: job,
    client: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const method = fc.oneof(fc.constantFrom(...Object.values(METHODS)), fc.string());
// Few that close the connection: what comes after them is not read.
const message = fc.oneof(
  { weight: 80, arbitrary: fc.record({ jsonrpc: fc.constant('2.0'), id: fc.nat(), method, params }) },
  { weight: 40, arbitrary: fc.record({ jsonrpc: fc.constant('2.0'), id: fc.nat(), method, params: fc.jsonValue() }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const frame = fc.oneof(
  { weight: 200, arbitrary: message.map((m) => JSON.stringify(m)) },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)) },
);

test('any messages in any order', async () => {
  const until = sent + MESSAGES.conversations;
  const frames = fc.array(frame, { minLength: PER_CONVERSATION / 2, maxLength: PER_CONVERSATION });
  while (sent < until) await fc.assert(fc.asyncProperty(frames, converse), { numRuns: 20 });
  await expectGood();
});

/** Right but for one edit of its text: a byte changed, a piece left out, doubled or moved. */
const mutated = fc
  .tuple(
    fc.constantFrom(
      ...[
        { method: METHODS.submit, params: { job: 'm', params: scriptedJob('progress 1') } },
        { method: METHODS.attach, params: { job: 'm', after: 0 } },
        { method: METHODS.cancel, params: { job: 'm' } },
        { method: METHODS.filesPut, params: { sha256: '0'.repeat(64), size: 3, offset: 0, data: 'AAAA' } },
        { method: METHODS.initialize, params: { client: { name: 'x', version: '1' } } },
      ].map((m) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...m })),
    ),
    fc.nat(),
    fc.nat(40),
    fc.constantFrom('change', 'cut', 'double', 'drop'),
    fc.integer({ min: 0x20, max: 0x7e }),
  )
  .map(([text, at, length, how, code]) => {
    const from = at % text.length;
    const piece = text.slice(from, from + length);
    switch (how) {
      case 'change':
        return text.slice(0, from) + String.fromCharCode(code) + text.slice(from + 1);
      case 'cut':
        return text.slice(0, from);
      case 'double':
        return text.slice(0, from) + piece + text.slice(from);
      default:
        return text.slice(0, from) + text.slice(from + length);
    }
  });

test('messages that are nearly right', async () => {
  const until = sent + MESSAGES.mutated;
  // Most close the connection: few for each.
  const frames = fc.array(mutated, { minLength: 6, maxLength: 12 });
  while (sent < until) await fc.assert(fc.asyncProperty(frames, converse), { numRuns: 20 });
  await expectGood();
});

/** A connection past its handshake, by hand: what follows are bytes, not frames. */
async function handshake(): Promise<Socket> {
  const socket = connectTcp(Number(new URL(home.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const lines = [
    'GET / HTTP/1.1',
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Sec-WebSocket-Protocol: ${SUBPROTOCOL}`,
    `Authorization: Bearer ${home.token}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

/** A WebSocket frame of which each part may be wrong. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .record({
      first: fc.oneof(fc.constantFrom(0x81, 0x01, 0x80, 0x82, 0x88, 0x89, 0x8a, 0xc1, 0x83), fc.nat(255)),
      masked: fc.boolean(),
      promised: fc.constantFrom(0, 1, 125, 126, 127),
      rest: fc.uint8Array({ maxLength: 140 }),
    })
    .map(({ first, masked, promised, rest }) => Uint8Array.from([first, (masked ? 0x80 : 0) | promised, ...rest])),
);

test('bytes that are no frames, half frames, frames of all kinds', async () => {
  const until = sent + MESSAGES.raw;
  const several = fc.array(bytes, { minLength: 1, maxLength: 6 });
  const speak = fc.asyncProperty(several, fc.boolean(), async (pieces, isAbrupt) => {
    const socket = await handshake();
    sent += pieces.length;
    for (const piece of pieces) if (socket.writable) socket.write(piece);
    if (isAbrupt) socket.resetAndDestroy();
    else socket.destroy();
  });
  while (sent < until) await fc.assert(speak, { numRuns: 20 });
  await expectGood();
});

test('after all of them the runner has lost nothing, broken nothing, and kept its memory', async () => {
  expect(sent).toBeGreaterThan(10_000);
  await expectGood();
  expect(home.log).not.toMatch(/TypeError|RangeError|internal error|ERR_/);
  for (let waited = 0; home.memory - before > MOST_GAINED && waited < 50; waited += 1) await sleep(100);
  expect(home.memory - before).toBeLessThan(MOST_GAINED);
  await home.clean();
});
