// A client and a server over a real WebSocket: submission, reconnecting, cancelling, uploading, and diagnoses.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { identify } from '../../remote-runner/process-identity.js';
import { ERRORS, LIMITS, METHODS, SUBPROTOCOL } from '../../remote-runner/protocol.js';
import { createConnect } from '../../src/runner/connect.js';
import { Pulse } from '../../src/runner/pulse.js';
import type { Progress, RunnerConnection } from '../../src/runner/types.js';
import { RunnerError } from '../../src/runner/types.js';
import { Proxy } from '../support/proxy.js';
import { RawClient } from '../support/raw-client.js';
import { scriptedJob } from '../support/scripted-evaluator.js';
import type { TestServer } from '../support/server.js';
import { TOKEN, testServer } from '../support/server.js';

const connect = createConnect({ version: 'test', runnerBundle: '/nowhere', giveUpMs: 5000 });
const noFiles = new Map<string, Uint8Array>();
const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
let server: TestServer;
let client: RunnerConnection;
let temporary: string;

beforeEach(async () => {
  temporary = await mkdtemp(path.join(tmpdir(), 'kernelseek-test-'));
  server = await testServer();
  client = await connect({ url: server.url, token: TOKEN });
});
afterEach(async () => {
  await client.close();
  await server.end();
  await rm(temporary, { recursive: true });
});

/** Resolves once the condition holds; the test's own time limit is the only one. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

async function failure(promise: Promise<unknown>): Promise<RunnerError> {
  const error: unknown = await promise.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(RunnerError);
  return error as RunnerError;
}

describe('a job', () => {
  test('comes back with its progress and its verdict', async () => {
    const seen: Progress[] = [];
    const result = await client.run('job-1', scriptedJob('progress 3\nsay well done'), noFiles, {
      onProgress: (p) => seen.push(p),
    });
    expect(result).toMatchObject({ kind: 'verdict', verdict: { message: 'well done' } });
    expect(seen.map((p) => p.done)).toEqual([1, 2, 3]);
    expect(client.about.targets[0]?.name).toBe('scripted');
  });

  test('that the evaluator throws at ends as infrastructure, and the next one runs', async () => {
    const error = await failure(client.run('throws', scriptedJob('throw the disk is full'), noFiles, {}));
    expect(error.code).toBe('infrastructure');
    expect(error.message).toContain('the disk is full');
    await client.run('next', scriptedJob(''), noFiles, {});
  });

  test('whose result the protocol does not allow ends as infrastructure that names the place', async () => {
    const error = await failure(client.run('bad', scriptedJob('bad'), noFiles, {}));
    expect(error.message).toContain('verdict.phases.build');
  });

  test('leaves no scratch folder', async () => {
    const note = path.join(temporary, 'scratch');
    await client.run('scratch', scriptedJob(`scratch ${note}`), noFiles, {});
    expect(existsSync(await readFile(note, 'utf8'))).toBe(false);
  });

  test('500 at once are told one by one, evaluated one at a time', async () => {
    const jobs = Array.from({ length: 500 }, (_, i) => `many-${i}`);
    const results = await Promise.all(jobs.map((job) => client.run(job, scriptedJob(`say ${job}`), noFiles, {})));
    expect(results.map((r) => r.kind === 'verdict' && r.verdict.message)).toEqual(jobs);
    expect(server.evaluator.peak).toBe(1);
  });
});

describe('several at once', () => {
  test('run side by side up to the bound, clients in turns, and who waits is told why', async () => {
    const many = await testServer({ concurrency: 4 });
    const [greedy, modest] = [await RawClient.open(many.url), await RawClient.open(many.url)];
    const jobs = Array.from({ length: 60 }, (_, i) => `g${i}`);
    await Promise.all(jobs.map((job) => greedy.submit(job, scriptedJob('wait'))));
    await modest.submit('m', scriptedJob('wait'));
    await until(() => many.evaluator.begun === 4);
    const queued = modest.events.find((e) => e.job === 'm')?.event;
    expect(queued).toMatchObject({
      phase: 'queued',
      ahead: 1,
      detail: '1 ahead, of other clients; waits for one of 4 slots',
    });
    let done = false;
    const last = modest.last('m').then(() => (done = true));
    while (!done) {
      many.evaluator.release();
      await sleep(1);
    }
    await last;
    // Turn by turn: long before the last of the sixty.
    expect(many.evaluator.begun).toBeLessThan(20);
    const release = setInterval(() => many.evaluator.release(), 1);
    await Promise.all(jobs.map((job) => greedy.last(job)));
    clearInterval(release);
    expect(many.evaluator.peak).toBe(4);
    for (const client of [greedy, modest]) client.ws.terminate();
    await many.end();
  });
});

describe('the same job id', () => {
  test('with the same content attaches: two clients, one run, one verdict', async () => {
    const second = await connect({ url: server.url, token: TOKEN });
    const script = scriptedJob('progress 2\nwait\nsay shared');
    const one = client.run('shared', script, noFiles, {});
    await until(() => server.evaluator.begun === 1);
    const seen: Progress[] = [];
    const two = second.run('shared', script, noFiles, { onProgress: (p) => seen.push(p) });
    await until(() => seen.length === 2);
    server.evaluator.release();
    expect(await two).toEqual(await one);
    expect(await second.run('shared', script, noFiles, {})).toEqual(await one);
    expect(server.evaluator.begun).toBe(1);
    await second.close();
  });

  test('with other content is a conflict', async () => {
    await client.run('taken', scriptedJob('say one'), noFiles, {});
    const error = await failure(client.run('taken', scriptedJob('say two'), noFiles, {}));
    expect(error.code).toBe('rejected');
    expect(error.message).toContain('other content');
    const raw = await RawClient.open(server.url);
    expect((await raw.submit('taken', scriptedJob('say two'))).error?.code).toBe(ERRORS.jobConflict);
    raw.ws.terminate();
  });

  test('followed twice over one connection is refused, and the first goes on', async () => {
    const first = client.run('again', scriptedJob('wait'), noFiles, {});
    const error = await failure(client.run('again', scriptedJob('wait'), noFiles, {}));
    expect(error.code).toBe('rejected');
    await until(() => server.evaluator.begun === 1);
    server.evaluator.release();
    await first;
  });

  test('submitted twice in one breath runs once', async () => {
    const raw = await RawClient.open(server.url);
    const answers = await Promise.all([raw.submit('twin', scriptedJob('')), raw.submit('twin', scriptedJob(''))]);
    expect(answers.map((a) => (a.result as { attached: boolean }).attached).sort()).toEqual([false, true]);
    await raw.last('twin');
    expect(server.evaluator.begun).toBe(1);
    raw.ws.terminate();
  });
});

describe('cancelling', () => {
  test('kills what the job started, and says cancelled', async () => {
    const note = path.join(temporary, 'pid');
    const controller = new AbortController();
    const run = client.run('long', scriptedJob(`child ${note}`), noFiles, { signal: controller.signal });
    await until(() => existsSync(note));
    const pid = Number(await readFile(note, 'utf8'));
    expect(process.kill(pid, 0)).toBe(true);
    controller.abort();
    expect((await failure(run)).code).toBe('cancelled');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('takes a waiting job out of the queue at once', async () => {
    const first = client.run('first', scriptedJob('wait'), noFiles, {});
    const controller = new AbortController();
    const progress: string[] = [];
    const second = client.run('second', scriptedJob('say never'), noFiles, {
      signal: controller.signal,
      onProgress: (p) => progress.push(p.phase),
    });
    await until(() => progress.includes('queued'));
    controller.abort();
    expect((await failure(second)).code).toBe('cancelled');
    expect(server.evaluator.begun).toBe(1);
    server.evaluator.release();
    await first;
  });

  test('`ended: cancelled` is the last event, whatever the evaluator still says', async () => {
    const raw = await RawClient.open(server.url);
    await raw.submit('c', scriptedJob('wait\nprogress 5\nsay too late'));
    await until(() => server.evaluator.begun === 1);
    await raw.request(METHODS.cancel, { job: 'c' });
    const last = await raw.last('c');
    expect(last.event).toMatchObject({ type: 'ended', reason: 'cancelled' });
    expect(raw.events.at(-1)).toBe(last);
    // Once more is no error.
    expect((await raw.request(METHODS.cancel, { job: 'c' })).error).toBeUndefined();
    raw.ws.terminate();
  });

  test('a job that does not stop: its processes are killed, it ends as infrastructure, the next one runs', async () => {
    const note = path.join(temporary, 'pid');
    const impatient = await testServer({ graceMs: 50 });
    const raw = await RawClient.open(impatient.url);
    await raw.submit('stubborn', scriptedJob(`stubborn ${note}`));
    await until(() => existsSync(note));
    const gone = raw.submit('next', scriptedJob('say next')).then(() => raw.last('next'));
    await raw.request(METHODS.cancel, { job: 'stubborn' });
    expect((await raw.last('stubborn')).event).toMatchObject({
      type: 'ended',
      reason: 'infrastructure',
      message: expect.stringContaining('did not stop') as string,
    });
    expect((await gone).event).toMatchObject({ verdict: { message: 'next' } });
    const pid = Number(await readFile(note, 'utf8'));
    await until(() => identify(pid) === undefined);
    raw.ws.terminate();
    await impatient.end();
  });

  test('while its files are on the way ends the upload, and the runner never hears of the job', async () => {
    const bytes = randomBytes(LIMITS.chunk * 8);
    const controller = new AbortController();
    const job = scriptedJob('', [{ path: 'a.bin', sha256: sha(bytes), size: bytes.length }]);
    const run = client.run('uploading', job, new Map([[sha(bytes), bytes]]), { signal: controller.signal });
    const partial = path.join(server.folder, 'files', 'partial');
    await until(async () => (await readdir(partial)).length > 0);
    controller.abort();
    expect((await failure(run)).code).toBe('cancelled');
    await client.close();
    expect(server.evaluator.begun).toBe(0);
  });

  test('before it began is immediate', async () => {
    const run = client.run('never', scriptedJob(''), noFiles, { signal: AbortSignal.abort() });
    expect((await failure(run)).code).toBe('cancelled');
    expect(server.evaluator.begun).toBe(0);
  });
});

describe('replay', () => {
  test('gives what comes after any number, without gaps', async () => {
    const raw = await RawClient.open(server.url);
    await raw.submit('r', scriptedJob('progress 5'));
    await raw.last('r');
    expect(raw.events.map((e) => e.seq)).toEqual([1, 2, 3, 4, 5, 6]);
    const other = await RawClient.open(server.url);
    await other.request(METHODS.attach, { job: 'r', after: 3 });
    await other.last('r');
    expect(other.events).toEqual(raw.events.slice(3));
    raw.ws.terminate();
    other.ws.terminate();
  });

  test('leaves out what was acknowledged, never the verdict', async () => {
    const raw = await RawClient.open(server.url);
    await raw.submit('a', scriptedJob('progress 5'));
    await raw.last('a');
    await raw.request(METHODS.ack, { job: 'a', seq: 6 });
    const other = await RawClient.open(server.url);
    await other.request(METHODS.attach, { job: 'a', after: 0 });
    expect((await other.last('a')).seq).toBe(6);
    expect(other.events.length).toBe(1);
    raw.ws.terminate();
    other.ws.terminate();
  });
});

describe('a lost connection', () => {
  let target: TestServer;
  let proxy: Proxy;
  let far: RunnerConnection;
  beforeEach(async () => {
    target = await testServer();
    proxy = await Proxy.open(() => target.url);
    far = await connect({ url: proxy.url, token: TOKEN });
  });
  afterEach(async () => {
    await far.close();
    await proxy.close();
    await target.end();
  });

  test('in the middle of a job is made again, and nothing is told twice', async () => {
    const seen: (number | undefined)[] = [];
    const run = far.run('cut', scriptedJob('progress 3\nwait\nprogress 2\nsay whole'), noFiles, {
      onProgress: (p) => seen.push(p.done),
    });
    for (let cut = 1; cut <= 3; cut += 1) {
      await until(() => seen.length === 3 && proxy.connections === cut);
      proxy.cut();
    }
    await until(() => proxy.connections === 4);
    target.evaluator.release();
    expect(await run).toMatchObject({ verdict: { message: 'whole' } });
    expect(seen).toEqual([1, 2, 3, 1, 2]);
    expect(target.evaluator.begun).toBe(1);
  });

  test('with the verdict given meanwhile brings the verdict', async () => {
    const run = far.run('meanwhile', scriptedJob('wait\nsay meanwhile'), noFiles, {});
    await until(() => target.evaluator.begun === 1);
    proxy.cut();
    target.evaluator.release();
    expect(await run).toMatchObject({ verdict: { message: 'meanwhile' } });
  });

  test('does not keep a job from being cancelled', async () => {
    const controller = new AbortController();
    const run = far.run('cut-cancel', scriptedJob('wait'), noFiles, { signal: controller.signal });
    await until(() => target.evaluator.begun === 1);
    proxy.cut();
    controller.abort();
    expect((await failure(run)).code).toBe('cancelled');
    const raw = await RawClient.open(target.url);
    await raw.request(METHODS.attach, { job: 'cut-cancel', after: 0 });
    expect((await raw.last('cut-cancel')).event).toMatchObject({ reason: 'cancelled' });
    raw.ws.terminate();
  });

  test('to a runner that was started again without its memory submits again', async () => {
    const run = far.run('forgotten', scriptedJob('wait\nsay second life'), noFiles, {});
    await until(() => target.evaluator.begun === 1);
    await target.end();
    target = await testServer();
    await until(() => target.evaluator.begun === 1);
    target.evaluator.release();
    expect(await run).toMatchObject({ verdict: { message: 'second life' } });
  });

  test('to a runner that was started again with its memory brings the verdict that was given', async () => {
    await far.run('kept', scriptedJob('progress 2\nsay kept'), noFiles, {});
    await target.end('keep');
    target = await testServer({}, target.folder);
    expect(await far.run('kept', scriptedJob('progress 2\nsay kept'), noFiles, {})).toMatchObject({
      verdict: { message: 'kept' },
    });
    expect(target.evaluator.begun).toBe(0);
    const error = await failure(far.run('kept', scriptedJob('say other'), noFiles, {}));
    expect(error.message).toContain('other content');
  });

  test('to a runner that does not come back is lost, in words', async () => {
    const hasty = await createConnect({ version: 'test', runnerBundle: '/nowhere', giveUpMs: 300 })({
      url: proxy.url,
      token: TOKEN,
    });
    const run = hasty.run('gone', scriptedJob('wait'), noFiles, {});
    await until(() => target.evaluator.begun === 1);
    await proxy.close();
    const error = await failure(run);
    expect(error.code).toBe('lost');
    expect(error.message).toContain('did not come back');
    await hasty.close();
    proxy = await Proxy.open(() => target.url);
  });

  test(
    'to a runner that is gone says once how long it goes on trying; a job cancelled meanwhile ends at once',
    { timeout: 12_000 },
    async () => {
      // The limit of this test is below the time that a cancelled job is given while there is a connection.
      const said: string[] = [];
      const patient = await createConnect({ version: 'test', runnerBundle: '/nowhere', giveUpMs: 90_000 })(
        { url: proxy.url, token: TOKEN },
        { log: (line) => said.push(line) },
      );
      const controller = new AbortController();
      const run = patient.run('away', scriptedJob('wait'), noFiles, { signal: controller.signal });
      await until(() => target.evaluator.begun === 1);
      await proxy.close();
      await until(() => said.some((line) => line.includes('Trying again for up to 1.5 minutes')));
      const late = patient.run('late', scriptedJob('wait'), noFiles, { signal: controller.signal });
      controller.abort();
      expect((await failure(run)).code).toBe('cancelled');
      expect((await failure(late)).code).toBe('cancelled');
      await patient.close();
      expect(said.filter((line) => line.includes('Trying again'))).toHaveLength(1);
      proxy = await Proxy.open(() => target.url);
    },
  );

  test('to a runner whose token changed is permanent', async () => {
    const run = far.run('stale', scriptedJob('wait'), noFiles, {});
    await until(() => target.evaluator.begun === 1);
    await target.end();
    target = await testServer({ token: 'another-token-for-tests' });
    expect((await failure(run)).code).toBe('unauthorized');
  });
});

describe('a runner that hangs', () => {
  /** A socket that takes connections and says nothing. */
  async function silent(): Promise<{ url: string; close: () => void }> {
    const sockets = new Set<Socket>();
    const listener = createTcpServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return {
      url: `ws://127.0.0.1:${(listener.address() as AddressInfo).port}`,
      close: () => {
        for (const socket of sockets) socket.destroy();
        listener.close();
      },
    };
  }

  // The limits of these tests lie below the time that the runner is given where nobody cancels.
  test('before it answers at all: connecting can be given up at once', { timeout: 5000 }, async () => {
    const { url, close } = await silent();
    const controller = new AbortController();
    const connecting = connect({ url, token: TOKEN }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    expect((await failure(connecting)).code).toBe('cancelled');
    close();
  });

  test('before it introduces itself: connecting can be given up at once', { timeout: 5000 }, async () => {
    const wss = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => SUBPROTOCOL });
    await once(wss, 'listening');
    const controller = new AbortController();
    wss.on('connection', (ws) => ws.on('message', () => controller.abort()));
    const url = `ws://127.0.0.1:${(wss.address() as AddressInfo).port}`;
    expect((await failure(connect({ url, token: TOKEN }, { signal: controller.signal }))).code).toBe('cancelled');
    wss.close();
  });

  test('when it is dialled again: a job is cancelled within seconds', { timeout: 8000 }, async () => {
    const target = await testServer();
    const quiet = await silent();
    let hangs = false;
    const proxy = await Proxy.open(() => (hangs ? quiet.url : target.url));
    const far = await connect({ url: proxy.url, token: TOKEN });
    const controller = new AbortController();
    const run = far.run('away', scriptedJob('wait'), noFiles, { signal: controller.signal });
    await until(() => target.evaluator.begun === 1);
    hangs = true;
    proxy.cut();
    await until(() => proxy.connections === 2);
    controller.abort();
    expect((await failure(run)).code).toBe('cancelled');
    await Promise.all([far.close(), proxy.close(), target.end()]);
    quiet.close();
  });

  test('without a word is noticed by its missing pongs while something is awaited, not before', async () => {
    const wss = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
    await once(wss, 'listening');
    const ws = new WebSocket(`ws://127.0.0.1:${(wss.address() as AddressInfo).port}`);
    await once(ws, 'open');
    const pulse = new Pulse(ws, 20);
    await sleep(100);
    expect(ws.readyState).toBe(ws.OPEN);
    const closed = once(ws, 'close');
    const stop = pulse.wait();
    expect((await closed)[0]).toBe(1006);
    stop();
    wss.close();
  });
});

describe('uploading', () => {
  const big = randomBytes(LIMITS.chunk * 2 + 17);
  const text = Buffer.from('from a file');
  const ref = (name: string, bytes: Uint8Array) => ({ path: name, sha256: sha(bytes), size: bytes.length });

  test('brings files in chunks, once', async () => {
    const files = new Map([text, big, Buffer.alloc(0)].map((bytes) => [sha(bytes), bytes]));
    const refs = [ref('a.h', text), ref('data/big.bin', big), ref('empty.h', Buffer.alloc(0))];
    const result = await client.run('up', scriptedJob('read', refs), files, {});
    expect(result).toMatchObject({ verdict: { message: 'from a file' } });
    expect(sha(await readFile(server.files.stored(sha(big))))).toBe(sha(big));
    const raw = await RawClient.open(server.url);
    const answer = await raw.request(METHODS.filesNeed, { sha256: [...files.keys(), '0'.repeat(64)] });
    expect(answer.result).toEqual({ sha256: ['0'.repeat(64)] });
    raw.ws.terminate();
  });

  test('a job whose files are not there is told which', async () => {
    const raw = await RawClient.open(server.url);
    const { error } = await raw.submit('without', scriptedJob('read', [ref('a.h', text)]));
    expect(error).toMatchObject({ code: ERRORS.missingFiles, data: { sha256: [sha(text)] } });
    raw.ws.terminate();
  });

  test('a reference with a wrong size is refused by name', async () => {
    const files = new Map([[sha(text), text]]);
    await client.run('first', scriptedJob('', [ref('a.h', text)]), files, {});
    const error = await failure(client.run('x', scriptedJob('', [{ ...ref('a.h', text), size: 3 }]), files, {}));
    expect(error.code).toBe('rejected');
    expect(error.message).toContain('a.h');
  });

  test.each([
    ['other content than its hash', { sha256: sha(big), size: 11, offset: 0, data: text.toString('base64') }, 'sha256'],
    ['more than its size', { sha256: sha(text), size: 5, offset: 0, data: text.toString('base64') }, 'stated size'],
    ['a chunk out of order', { sha256: sha(text), size: 11, offset: 4, data: 'AAAA' }, 'offset 0'],
    ['no base64', { sha256: sha(text), size: 11, offset: 0, data: '****' }, 'base64'],
    ['a path for a hash', { sha256: '../../x', size: 11, offset: 0, data: 'AAAA' }, 'params.sha256'],
  ])('refuses %s', async (_, chunk, words) => {
    const raw = await RawClient.open(server.url);
    const { error } = await raw.request(METHODS.filesPut, chunk);
    expect(error?.code).toBe(ERRORS.badParams);
    expect(error?.message).toContain(words);
    raw.ws.terminate();
  });

  test('one broken off leaves nothing behind', async () => {
    const raw = await RawClient.open(server.url);
    const data = text.toString('base64');
    await raw.request(METHODS.filesPut, { sha256: sha(text), size: 100, offset: 0, data });
    const partial = path.join(server.folder, 'files', 'partial');
    expect(await readdir(partial)).toHaveLength(1);
    raw.ws.terminate();
    await until(async () => (await readdir(partial)).length === 0);
  });
});

describe('diagnoses', () => {
  async function listen(listener: Server): Promise<string> {
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return `ws://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  }

  test('nothing listens', async () => {
    const listener = createTcpServer();
    const url = await listen(listener);
    listener.close();
    const error = await failure(connect({ url, token: TOKEN }));
    expect(error.code).toBe('refused');
    expect(error.message).toContain('Nothing listens');
  });

  test.each([
    [undefined, 'No bearer token'],
    ['some-other-token-entirely', 'token is wrong'],
  ])('token %s', async (token, words) => {
    const error = await failure(connect({ url: server.url, token }));
    expect(error.code).toBe('unauthorized');
    expect(error.message).toContain(words);
  });

  test.each(['http://127.0.0.1:1', 'localhost:4242', 'ws://', ''])('no address: %s', async (url) => {
    expect((await failure(connect({ url, token: TOKEN }))).message).toContain('ws://127.0.0.1:4242');
  });

  test('a web server', async () => {
    const listener = createHttpServer((_, response) => response.writeHead(404).end('<h1>nginx</h1>'));
    const error = await failure(connect({ url: await listen(listener), token: TOKEN }));
    expect(error.code).toBe('protocol');
    expect(error.message).toContain('not a KernelSeek runner: it answered HTTP 404 (nginx)');
    listener.close();
  });

  test('a web server whose answer never ends', async () => {
    const listener = createHttpServer((_, response) => response.writeHead(403).write('go away'));
    const error = await failure(connect({ url: await listen(listener), token: TOKEN }));
    expect(error.message).toContain('go away');
    listener.close();
  });

  test('something that does not speak HTTP', async () => {
    const listener = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    const error = await failure(connect({ url: await listen(listener), token: TOKEN }));
    expect(error.code).toBe('protocol');
    listener.close();
  });

  test('wss where there is no TLS', async () => {
    const error = await failure(connect({ url: server.url.replace('ws:', 'wss:'), token: TOKEN }));
    expect(error.code).toBe('protocol');
    expect(error.message).toContain('use ws://');
  });

  test('a WebSocket server of another kind, and of another version', async () => {
    for (const handleProtocols of [() => false as const, () => SUBPROTOCOL]) {
      const wss = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols });
      await once(wss, 'listening');
      wss.on('connection', (ws) => {
        ws.on('message', () => ws.send('{"jsonrpc":"2.0","id":0,"result":{"runner":"v7"}}'));
      });
      const url = `ws://127.0.0.1:${(wss.address() as AddressInfo).port}`;
      const error = await failure(connect({ url, token: TOKEN }));
      expect(error.code).toBe('protocol');
      wss.close();
    }
  });

  test('sources that do not fit into one message', async () => {
    const source = { path: 'a.cu', text: '\n'.repeat(LIMITS.source) };
    const params = scriptedJob('');
    params.task.original = [1, 2, 3].map((n) => ({ ...source, path: `${n}.cu` }));
    const error = await failure(client.run('huge', params, noFiles, {}));
    expect(error.code).toBe('rejected');
    expect(error.message).toContain('bytes as one message');
  });

  test('a runner that ends every connection when it is asked for something', async () => {
    const wss = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => SUBPROTOCOL });
    await once(wss, 'listening');
    wss.on('connection', (ws) => {
      ws.once('message', () => {
        ws.send(JSON.stringify({ jsonrpc: '2.0', id: 0, result: client.about }));
        ws.on('message', () => ws.send('garbage'));
      });
    });
    const other = await connect({ url: `ws://127.0.0.1:${(wss.address() as AddressInfo).port}`, token: TOKEN });
    const error = await failure(other.run('j', scriptedJob(''), noFiles, {}));
    expect(error.code).toBe('lost');
    expect(error.message).toContain('ends every connection');
    await other.close();
    wss.close();
  });

  test('an event that is not understood ends its job with the place', async () => {
    const wss = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => SUBPROTOCOL });
    await once(wss, 'listening');
    wss.on('connection', (ws) => {
      ws.on('message', (data) => {
        const { id, method } = JSON.parse((data as Buffer).toString()) as { id: number; method: string };
        const result = method === METHODS.initialize ? client.about : { job: 'j', attached: false };
        ws.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
        const params = { job: 'j', seq: 1, event: { type: 'verdict', verdict: { status: 'perfect' } } };
        if (method === METHODS.submit) ws.send(JSON.stringify({ jsonrpc: '2.0', method: METHODS.event, params }));
      });
    });
    const other = await connect({ url: `ws://127.0.0.1:${(wss.address() as AddressInfo).port}`, token: TOKEN });
    const error = await failure(other.run('j', scriptedJob(''), noFiles, {}));
    expect(error.code).toBe('protocol');
    expect(error.message).toContain('event.verdict.status');
    await other.close();
    wss.close();
  });
});
