// A workspace's file over the shipped questions: what it adds, changes and mutes, and what it gets wrong.
import fc from 'fast-check';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { repertoireOf, shippedQuestions, unmuted } from './repertoire.js';
import { LEVELS, MOMENTS } from './types.js';
import { loadRepertoire, repertoireFile, setMuted } from './workspace.js';

const shipped = shippedQuestions();
const of = (value: unknown) => repertoireOf(JSON.stringify(value), 'r.json');
const find = (r: ReturnType<typeof of>, id: string) => r.questions.find((q) => q.id === id);

describe('a workspace’s file', () => {
  test('adds a question, which may be asked at any moment unless it says otherwise', () => {
    const r = of({ questions: [{ id: 'who-reads', text: 'Who reads what nobody wrote?', level: 'data-movement' }] });
    expect(r.problems).toEqual([]);
    expect(find(r, 'who-reads')).toMatchObject({ origin: 'own', intent: 'move', moments: [...MOMENTS], needs: [] });
    expect(r.questions).toHaveLength(shipped.length + 1);
  });

  test('changes only what it names', () => {
    const r = of({ questions: [{ id: 'who-pays', text: 'Who pays for it?' }] });
    const before = shipped.find((q) => q.id === 'who-pays');
    expect(find(r, 'who-pays')).toEqual({ ...before, text: 'Who pays for it?', origin: 'changed', muted: false });
  });

  test('mutes', () => {
    const r = of({ mute: ['who-pays'] });
    expect(find(r, 'who-pays')?.muted).toBe(true);
    expect(unmuted(r).map((q) => q.id)).not.toContain('who-pays');
  });

  test('may hold comments, trailing commas and a byte order mark', () => {
    const r = repertoireOf('\uFEFF// ours\n{ "mute": ["who-pays",], }', 'r.json');
    expect(r.problems).toEqual([]);
    expect(find(r, 'who-pays')?.muted).toBe(true);
  });

  test.each<[string, unknown, RegExp]>([
    ['an unknown name', { mutes: [] }, /^r\.json: \$: unknown name "mutes": did you mean "mute"\?/],
    [
      'an unknown level',
      { questions: [{ id: 'a', text: 'A?', level: 'lunch' }] },
      /\$\.questions\[0\]\.level: "lunch" must be one of .*: did you mean "launch"\?/,
    ],
    [
      'a wrong type',
      { questions: [{ id: 'a', text: 7, level: 'launch' }] },
      /\$\.questions\[0\]\.text: 7 must be a string/,
    ],
    [
      'a bad id',
      { questions: [{ id: 'Who Pays', text: 'A?' }] },
      /\$\.questions\[0\]\.id: "Who Pays" must be lower-case words/,
    ],
    ['two lines', { questions: [{ id: 'a', text: 'A?\nB?', level: 'launch' }] }, /\.text: .* must be one line/],
    [
      'a new question without a level',
      { questions: [{ id: 'who-payz', text: 'A?' }] },
      /\$\.questions\[0\]: "who-payz" is not a shipped question: give it "text" and "level", or correct its id \(did you mean "who-pays"\?\)/,
    ],
    [
      'one id twice',
      { questions: [{ id: 'who-pays' }, { id: 'who-pays' }] },
      /\$\.questions\[1\]\.id: "who-pays" is \$\.questions\[0\] already/,
    ],
    [
      'muting what is not there',
      { mute: ['who-payz'] },
      /\$\.mute\[0\]: "who-payz" is not a question: did you mean "who-pays"\?/,
    ],
  ])('says what is wrong, where, and what to do: %s', (_, value, message) => {
    expect(of(value).problems.join('\n')).toMatch(message);
  });

  test('leaves out a wrong question only', () => {
    const r = of({
      questions: [
        { id: 'a', text: 7 },
        { id: 'b', text: 'Who?', level: 'launch' },
      ],
      mute: ['who-pays'],
    });
    expect(find(r, 'a')).toBeUndefined();
    expect(find(r, 'b')).toBeDefined();
    expect(find(r, 'who-pays')?.muted).toBe(true);
    expect(r.problems).toHaveLength(1);
  });

  test('that is not JSON changes nothing and is told with its place', () => {
    const r = repertoireOf('{\n  "mute": [who]\n}', 'r.json');
    expect(r.problems[0]).toMatch(/^r\.json:2:12: not valid JSON: /);
    expect(r.problems.at(-1)).toMatch(/the shipped questions are/);
    expect(unmuted(r)).toHaveLength(shipped.length);
  });

  test('property: whatever it holds, the shipped questions are all there, ids once', () => {
    const known = fc.constantFrom(...shipped.slice(0, 5).map((q) => q.id));
    const question = fc.record(
      {
        id: fc.oneof(known, fc.string({ maxLength: 8 })),
        text: fc.oneof(fc.string(), fc.integer()),
        level: fc.oneof(fc.constantFrom(...LEVELS), fc.string()),
        moments: fc.array(fc.constantFrom(...MOMENTS)),
        extra: fc.boolean(),
      },
      { requiredKeys: ['id'] },
    );
    const file = fc.oneof(
      fc.jsonValue(),
      fc.record({ questions: fc.array(question), mute: fc.array(fc.oneof(known, fc.string())) }, { requiredKeys: [] }),
    );
    fc.assert(
      fc.property(file, (value) => {
        const ids = of(value).questions.map((q) => q.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.slice(0, shipped.length)).toEqual(shipped.map((q) => q.id));
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => repertoireOf(text, 'r').questions.length >= shipped.length));
  });
});

describe('on disk', () => {
  let workspace: string;
  beforeEach(async () => {
    workspace = await mkdtemp(path.join(tmpdir(), 'kernelseek-repertoire-'));
  });
  afterEach(() => rm(workspace, { recursive: true, force: true }));
  const put = async (text: string) => {
    await mkdir(path.dirname(repertoireFile(workspace)), { recursive: true });
    await writeFile(repertoireFile(workspace), text);
  };

  test('no file: the shipped ones, nothing to say', async () => {
    expect(await loadRepertoire(workspace)).toMatchObject({ problems: [], questions: { length: shipped.length } });
  });

  test('a file that cannot be read stops nothing', async () => {
    await mkdir(repertoireFile(workspace), { recursive: true });
    const r = await loadRepertoire(workspace);
    expect(r.questions).toHaveLength(shipped.length);
    expect(r.problems.join()).toMatch(/cannot be read: .*; the shipped questions are used/);
  });

  test('muting keeps comments and what else is there, and can be taken back', async () => {
    await put('{\n  // ours\n  "questions": [],\n  "mute": ["byte-twice"] // enough of it\n}\n');
    expect(await setMuted(workspace, 'who-pays', true)).toBe(true);
    expect(await setMuted(workspace, 'who-pays', true)).toBe(false);
    const text = await readFile(repertoireFile(workspace), 'utf8');
    expect(text).toContain('// ours');
    expect(text).toContain('// enough of it');
    const muted = (await loadRepertoire(workspace)).questions.filter((q) => q.muted).map((q) => q.id);
    expect(muted.sort()).toEqual(['byte-twice', 'who-pays']);
    expect(await setMuted(workspace, 'byte-twice', false)).toBe(true);
    expect((await loadRepertoire(workspace)).questions.filter((q) => q.muted)).toMatchObject([{ id: 'who-pays' }]);
  });

  test('muting what is not there, or in a broken file, is refused and changes nothing', async () => {
    await expect(setMuted(workspace, 'who-payz', true)).rejects.toThrow(/did you mean "who-pays"/);
    await put('{ "mute": [ }');
    await expect(setMuted(workspace, 'who-pays', true)).rejects.toThrow(/put the file right first/);
    expect(await readFile(repertoireFile(workspace), 'utf8')).toBe('{ "mute": [ }');
  });
});
