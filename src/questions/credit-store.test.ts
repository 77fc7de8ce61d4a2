// Credit on disk and between machines: merging is a union, damage is told and kept.
import fc from 'fast-check';
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { creditFile, creditIn, fileOf, mergeCredit, type Credit } from './credit-file.js';
import { importCredit, loadCredit, readCredit, saveCredit, size, textOf } from './credit-store.js';
import type { Observation } from './credit.js';
import { LEVELS, MOMENTS } from './types.js';

const anyObservation: fc.Arbitrary<Observation> = fc.record(
  {
    session: fc.constantFrom('s1', 's2', 's3'),
    moment: fc.constantFrom('m1', 'm2', 'm3'),
    kind: fc.constantFrom(...MOMENTS),
    silent: fc.boolean(),
    question: fc.constantFrom('who-pays', 'byte-twice'),
    level: fc.constantFrom(...LEVELS),
    informed: fc.boolean(),
    gain: fc.double({ min: -5, max: 5, noNaN: true }).map((gain) => gain + 0),
    moved: fc.boolean(),
    through: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['session', 'moment', 'kind', 'silent', 'informed', 'gain', 'through'] },
);
const anyCredit: fc.Arbitrary<Credit> = fc
  .dictionary(fc.constantFrom('NVIDIA H200', 'CPU emulation, 2 cores', '__proto__'), fc.array(anyObservation))
  .map((devices) => mergeCredit([new Map(Object.entries(devices))]));

describe('merging', () => {
  test('is commutative, associative and idempotent', () => {
    fc.assert(
      fc.property(anyCredit, anyCredit, anyCredit, (a, b, c) => {
        expect(mergeCredit([a, b])).toEqual(mergeCredit([b, a]));
        expect(mergeCredit([mergeCredit([a, b]), c])).toEqual(mergeCredit([a, mergeCredit([b, c])]));
        expect(mergeCredit([a, a])).toEqual(a);
        expect(mergeCredit([mergeCredit([a, b]), b])).toEqual(mergeCredit([a, b]));
      }),
    );
  });

  test('counts each moment of a session once and forgets none', () => {
    const keys = (credit: Credit) =>
      [...credit].flatMap(([device, all]) => all.map((o) => `${device} ${o.session} ${o.moment}`));
    fc.assert(
      fc.property(anyCredit, anyCredit, (a, b) => {
        const merged = keys(mergeCredit([a, b]));
        expect(new Set(merged).size).toBe(merged.length);
        expect(new Set(merged)).toEqual(new Set([...keys(a), ...keys(b)]));
      }),
    );
  });

  test('the account that takes in more of its trace counts', () => {
    const account = (gain: number, through: number): Credit =>
      new Map([
        ['d', [{ session: 's', moment: 'm1', kind: 'plateau', silent: false, informed: false, gain, through }]],
      ]);
    expect(mergeCredit([account(0.5, 20), account(0, 10)]).get('d')).toMatchObject([{ gain: 0.5 }]);
  });

  test('a file gives back what was put into it', () => {
    fc.assert(
      fc.property(anyCredit, (credit) => {
        expect(creditIn(creditFile.parse(JSON.parse(JSON.stringify(fileOf(credit)))))).toEqual(credit);
      }),
    );
  });
});

describe('on disk', () => {
  let workspace: string;
  beforeEach(async () => {
    workspace = await mkdtemp(path.join(tmpdir(), 'kernelseek-credit-'));
  });
  afterEach(() => rm(workspace, { recursive: true, force: true }));
  const observation = (session: string, moment: string, gain = 0.1): Observation => ({
    session,
    moment,
    kind: 'plateau',
    silent: false,
    question: 'who-pays',
    level: 'objective',
    intent: 'move',
    informed: false,
    gain,
    through: 9,
  });
  const folder = () => path.join(workspace, '.kernelseek', 'credit');

  test('nothing there is nothing known', async () => {
    expect(await loadCredit(workspace)).toEqual({ credit: new Map(), problems: [] });
    await saveCredit(workspace, 's', 'd', []);
    expect(await loadCredit(workspace)).toEqual({ credit: new Map(), problems: [] });
  });

  test('each session has its say, by device; what it says later stands for what it said before', async () => {
    await saveCredit(workspace, 's1', 'H200', [observation('s1', 'm1')]);
    await saveCredit(workspace, 's2', 'CPU', [observation('s2', 'm1')]);
    await saveCredit(workspace, 's1', 'H200', [observation('s1', 'm1'), observation('s1', 'm2')]);
    const { credit, problems } = await loadCredit(workspace);
    expect(problems).toEqual([]);
    expect([...credit].map(([device, all]) => [device, all.length])).toEqual([
      ['CPU', 1],
      ['H200', 2],
    ]);
    expect((await readdir(folder())).sort()).toEqual(['s1.json', 's2.json']);
  });

  test('sessions that end at the same moment lose nothing', async () => {
    const sessions = Array.from({ length: 12 }, (_, i) => `s${i}`);
    await Promise.all(sessions.map((s) => saveCredit(workspace, s, 'H200', [observation(s, 'm1')])));
    expect(size((await loadCredit(workspace)).credit)).toBe(12);
  });

  test.each([
    ['torn', (text: string) => text.slice(0, text.length / 2), /s1\.json is not JSON/],
    [
      'of another version',
      (text: string) => text.replace('"version":1', '"version":2'),
      /s1\.json is no file of credit: version/,
    ],
    [
      'with an impossible gain',
      (text: string) => text.replace('"gain":0.1', '"gain":1e9'),
      /no file of credit: devices\.0\.observations\.0\.gain/,
    ],
    ['empty', () => '', /s1\.json is not JSON/],
  ])('a file that is %s is told, kept, and does not count', async (_, damage, message) => {
    await saveCredit(workspace, 's1', 'H200', [observation('s1', 'm1')]);
    await saveCredit(workspace, 's2', 'H200', [observation('s2', 'm1')]);
    const file = path.join(folder(), 's1.json');
    const damaged = damage(await readFile(file, 'utf8'));
    await writeFile(file, damaged);
    const { credit, problems } = await loadCredit(workspace);
    expect(credit.get('H200')).toMatchObject([{ session: 's2' }]);
    expect(problems.join()).toMatch(message);
    expect(problems.join()).toMatch(/it is kept and does not count: mend it or remove it/);
    expect(await readFile(file, 'utf8')).toBe(damaged);
  });

  test('a session cannot be named out of its folder', async () => {
    await expect(saveCredit(workspace, '../s1', 'H200', [observation('s1', 'm1')])).rejects.toThrow(/not a session id/);
  });

  test('what was exported elsewhere is taken in once', async () => {
    await saveCredit(workspace, 's1', 'H200', [observation('s1', 'm1')]);
    const elsewhere = mergeCredit([new Map([['H200', [observation('s1', 'm1'), observation('s9', 'm1')]]])]);
    const file = path.join(workspace, 'theirs.json');
    await writeFile(file, textOf(elsewhere));
    for (let i = 0; i < 2; i++) {
      await importCredit(workspace, await readCredit(file));
      expect(size((await loadCredit(workspace)).credit)).toBe(2);
    }
    expect(await readdir(folder())).toHaveLength(2);
  });

  test('a half written file is not taken for credit', async () => {
    await mkdir(folder(), { recursive: true });
    await writeFile(path.join(folder(), 's1.json.1-ab.partial'), '{');
    expect(await loadCredit(workspace)).toEqual({ credit: new Map(), problems: [] });
  });

  test('property: whatever lies there, loading says so and goes on', async () => {
    await mkdir(folder(), { recursive: true });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.jsonValue().map((v) => JSON.stringify(v)),
        ),
        async (text) => {
          await writeFile(path.join(folder(), 'x.json'), text);
          const { credit, problems } = await loadCredit(workspace);
          expect(problems.length === 1 || size(credit) === 0).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});
