// A client and a server over a real WebSocket: submission, progress, reconnecting, cancelling, uploading.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConnect } from '../../src/runner/connect.js';
import type { Progress, RunnerConnection } from '../../src/runner/types.js';
import { scriptedJob } from '../support/scripted-evaluator.js';
import type { TestServer } from '../support/server.js';
import { TOKEN, testServer } from '../support/server.js';

const connect = createConnect({ version: 'test', runnerBundle: '/nowhere', giveUpMs: 5000 });
const noFiles = new Map<string, Uint8Array>();
let server: TestServer;
let client: RunnerConnection;

beforeEach(async () => {
  server = await testServer();
  client = await connect({ url: server.url, token: TOKEN });
});
afterEach(async () => {
  await client.close();
  await server.end();
});

test('a job comes back with its progress and its verdict', async () => {
  const seen: Progress[] = [];
  const result = await client.run('job-1', scriptedJob('progress 3\nsay well done'), noFiles, {
    onProgress: (p) => seen.push(p),
  });
  expect(result).toMatchObject({ kind: 'verdict', verdict: { message: 'well done' } });
  expect(seen.map((p) => p.done)).toEqual([1, 2, 3]);
  expect(client.about.targets[0]?.name).toBe('scripted');
});
