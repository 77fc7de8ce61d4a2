// A bundle carries a session elsewhere and nothing that is nobody's business; a hostile one leaves nothing behind.
import fc from 'fast-check';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { STORY, storyOriginal, storySession } from '../../../test/support/story-session.js';
import type { SourceFile } from '../../../remote-runner/protocol.js';
import type { TraceEvent } from '../events.js';
import { fold } from '../fold.js';
import { History } from '../history.js';
import { readTrace } from '../trace.js';
import { readArchive } from './archive.js';
import { openBundle, packBundle } from './bundle.js';

const root = mkdtempSync(path.join(os.tmpdir(), 'ks-bundle-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const KEY = 'a-key-that-nobody-may-see-1234';
const ENV = { ANTHROPIC_API_KEY: KEY, PATH: '/usr/bin', MY_API_TOKEN: 'token-of-mine-5678' };
const SECRETS = [
  KEY,
  ENV.MY_API_TOKEN,
  `sk-ant-api03-${'x'.repeat(40)}`,
  `ghp_${'A1'.repeat(18)}`,
  'AKIAABCDEFGHIJKLMNOP',
  'hunter2secret',
  'ws://10.1.2.3:4242',
  'gpu.internal.example',
  `MIIE${'q'.repeat(60)}`,
];
let original: SourceFile[];
let events: TraceEvent[];
let sources: Map<string, SourceFile[]>;
let workspace: string;

beforeAll(async () => {
  workspace = await mkdtemp(path.join(root, 'from-'));
  const folder = await storySession(workspace);
  original = await storyOriginal();
  ({ events } = await readTrace(folder));
  const history = await History.open(folder);
  sources = new Map();
  for (const { id, commit } of fold(events)!.candidates) sources.set(id, await history.read(commit));
});

const pack = (more: Partial<Parameters<typeof packBundle>[0]> = {}): Promise<Buffer> =>
  packBundle({
    session: STORY,
    workspace,
    events,
    original,
    sources,
    redactSource: false,
    env: ENV,
    report: () => '<p>a report</p>',
    ...more,
  });
const contents = async (zip: Buffer): Promise<Map<string, string>> => readArchive(zip, () => true);

/** The trace with secrets wherever a stranger's text can be. */
function withSecrets(): TraceEvent[] {
  const secret = `${SECRETS[0]} ${SECRETS[1]} ${SECRETS[2]} ${SECRETS[3]} ${SECRETS[4]} https://me:${SECRETS[5]}@host/x
-----BEGIN RSA PRIVATE KEY-----\n${SECRETS[8]}\n-----END RSA PRIVATE KEY----- in ${workspace} of ${os.homedir()}/x`;
  return events.map((event): TraceEvent => {
    if (event.type === 'prompt') return { ...event, text: secret };
    if (event.type === 'tool') return { ...event, input: { [secret]: [secret] }, result: secret };
    if (event.type === 'trouble') return { ...event, message: secret };
    if (event.type === 'runner') return { ...event, address: SECRETS[6]! };
    if (event.type === 'started') return { ...event, endpoint: SECRETS[7]! };
    return event;
  });
}

describe('a bundle', () => {
  test('opens elsewhere as the same session with the same sources', async () => {
    const there = await mkdtemp(path.join(root, 'there-'));
    const folder = await openBundle(await pack(), there);
    const opened = await readTrace(folder);
    const plain = (all: readonly TraceEvent[]): unknown[] =>
      all.map((e) =>
        e.type === 'candidate' ? { ...e, commit: '' } : e.type === 'started' ? { ...e, endpoint: '' } : e,
      );
    expect(plain(opened.events)).toEqual(plain(events));
    const history = await History.open(folder);
    for (const { id, commit } of fold(opened.events)!.candidates) {
      expect(await history.read(commit)).toEqual(sources.get(id));
    }
    expect(await history.read(await history.find('original'))).toEqual(original);
    await expect(openBundle(await pack(), there)).rejects.toThrow('already');
  });

  test('is the same bytes for the same session', async () => {
    expect((await pack()).equals(await pack())).toBe(true);
  });

  test.each([true, false])(
    'holds no key, no address and no path of this machine (sources redacted: %s)',
    async (redactSource) => {
      const told: string[] = [];
      const zip = await pack({
        events: withSecrets(),
        redactSource,
        report: (all) => {
          told.push(JSON.stringify(all));
          return '';
        },
      });
      const text = [...(await contents(zip)).values(), ...told].join('\n');
      for (const secret of [...SECRETS, workspace, os.homedir() + '/x']) expect(text).not.toContain(secret);
      expect(text).toContain('which byte travels twice?'.replace('w', 'W'));
    },
  );

  test('with redacted sources quotes no line of any version, and still opens', async () => {
    const quoting = events.map((event): TraceEvent => {
      const text = original[0]!.text;
      if (event.type === 'prompt') return { ...event, text };
      if (event.type === 'model') return { ...event, content: [{ type: 'text', text }] };
      if (event.type === 'tool') return { ...event, input: { text }, result: text };
      if (event.type !== 'verdict') return event;
      const diagnostics = [{ severity: 'error' as const, file: 'attention.cu', line: 3, message: text }];
      return { ...event, verdict: { ...event.verdict, diagnostics, output: text.slice(0, 9000), warnings: [text] } };
    });
    const zip = await pack({ events: quoting, redactSource: true });
    const text = [...(await contents(zip)).values()].join('\n');
    const versions = [original, ...sources.values()].flatMap((all) => all.map((s) => s.text));
    const lines = versions.flatMap((version) => version.split('\n')).map((line) => line.trim());
    for (const line of new Set(lines.filter((l) => l.length > 12))) expect(text).not.toContain(line);
    const folder = await openBundle(zip, await mkdtemp(path.join(root, 'redacted-')));
    const state = fold((await readTrace(folder)).events)!;
    expect(state.incumbent).toBe('c5');
    const [source] = await (await History.open(folder)).read(state.candidates[0]!.commit);
    expect(source?.text).toMatch(/^\/\/ left out of the bundle: [0-9a-f]{64}\n$/);
  });

  test('is not made of a source that holds what looks like a key', async () => {
    const open = new Map([...sources, ['c1', [{ path: 'attention.cu', text: `// ${SECRETS[2]}\n` }]]]);
    await expect(pack({ sources: open })).rejects.toThrow(
      /attention\.cu \(c1\) holds what looks like a key.*--redact-source/,
    );
    await expect(pack({ sources: open, redactSource: true })).resolves.toBeInstanceOf(Buffer);
  });
});

async function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

/** Opens where nothing may be left behind. */
async function refusal(zip: Buffer): Promise<string> {
  const there = await mkdtemp(path.join(root, 'hostile-'));
  const why = await openBundle(zip, there).then(
    () => 'opened',
    (error: unknown) => String(error),
  );
  const left = readdirSync(there, { recursive: true }).filter((name) => /session.*\d{8}/.test(String(name)));
  expect(left).toEqual([]);
  return why;
}

describe('a hostile bundle', () => {
  const parts = async (): Promise<Record<string, string>> => Object.fromEntries(await contents(await pack()));
  const rename = (zip: Buffer, from: string, to: string): Buffer => {
    expect(from).toHaveLength(to.length);
    return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
  };

  test.each(['../../../escape', '/etc/cron.d/now', 'c:/temp/escaped', 'sources/../c1.x', 'sources\\\\c1.json'])(
    'with a file named %s is refused',
    async (name) => {
      const stand = 'x'.repeat(name.length);
      const zip = rename(await zipOf({ ...(await parts()), [stand]: 'owned' }), stand, name);
      expect(await refusal(zip)).toMatch(/Error/);
    },
  );

  test('with paths in its sources or its session that lead out is refused', async () => {
    const all = await parts();
    const outside = JSON.stringify([{ path: '../../escape.cu', text: '' }]);
    expect(await refusal(await zipOf({ ...all, 'sources/original.json': outside }))).toMatch(/Error/);
    const manifest = { format: 'kernelseek-bundle', version: 1, session: '../../../escape' };
    expect(await refusal(await zipOf({ ...all, 'bundle.json': JSON.stringify(manifest) }))).toMatch(/must be the id/);
    const other = { ...manifest, session: '20260101-000000-00000000' };
    expect(await refusal(await zipOf({ ...all, 'bundle.json': JSON.stringify(other) }))).toMatch(/not that of session/);
    const left = { ...manifest, session: STORY, withoutSource: ['../x'] };
    expect(await refusal(await zipOf({ ...all, 'bundle.json': JSON.stringify(left) }))).toMatch(/Error/);
  });

  test('that unpacks to far more than it is, or lies about it, is refused before it does', async () => {
    const bomb = await zipOf({ ...(await parts()), 'report.html': Buffer.alloc(65 * 2 ** 20) });
    expect(bomb.length).toBeLessThan(200_000);
    expect(await refusal(bomb)).toContain('too large unpacked');
    // The same, with the size in its directory set to 1.
    const size = Buffer.alloc(4);
    size.writeUInt32LE(65 * 2 ** 20);
    const one = Buffer.from([1, 0, 0, 0]).toString('latin1');
    const lie = Buffer.from(bomb.toString('latin1').replaceAll(size.toString('latin1'), one), 'latin1');
    expect(await refusal(lie)).toMatch(/too many bytes|Error/);
    expect(await refusal(lie)).not.toBe('opened');
  });

  test('whose sources are not those of its verdicts is refused', async () => {
    const all = await parts();
    const forged = JSON.stringify([{ path: 'attention.cu', text: 'faster\n' }]);
    expect(await refusal(await zipOf({ ...all, 'sources/c5.json': forged }))).toMatch(/sources of c5 are not those/);
    const { 'sources/c2.json': _gone, ...less } = all;
    expect(await refusal(await zipOf(less))).toMatch(/sources\/c2\.json is missing/);
  });

  test('of damaged bytes is refused or is the same session, and never half there', async () => {
    const zip = await pack();
    const text = await readFile(path.join(workspace, 'attention.cu'), 'utf8');
    await fc.assert(
      fc.asyncProperty(fc.nat(zip.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cuts) => {
        const damaged = cuts ? zip.subarray(0, at) : Buffer.from(zip);
        if (!cuts) damaged[at] = byte;
        const there = await mkdtemp(path.join(root, 'damaged-'));
        const folder = await openBundle(damaged, there).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Error);
          return undefined;
        });
        if (folder === undefined) {
          expect(readdirSync(there)).toEqual([]);
          return;
        }
        const history = await History.open(folder);
        expect((await history.read(await history.find('original')))[0]?.text).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});
