// `kernelseek repertoire` as a shell sees it: lists, hints, mutes, credit sent and taken in.
import { Command } from 'commander';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { saveCredit } from '../questions/credit-store.js';
import type { Observation } from '../questions/credit.js';
import { noPaint } from '../report/paint.js';
import type { CliContext } from './context.js';
import { registerRepertoire } from './repertoire.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kernelseek-cli-repertoire-'));
  await mkdir(path.join(folder, '.kernelseek'));
});
afterEach(async () => {
  process.exitCode = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Runs one command; what it wrote, and the exit code it set. */
async function repertoire(...argv: string[]): Promise<{ out: string; err: string; code: unknown }> {
  let out = '';
  let err = '';
  const into = (take: (text: string) => unknown) =>
    ({ write: (text: string) => take(text) }) as unknown as NodeJS.WriteStream;
  const context: CliContext = {
    version: '0',
    program: 'kernelseek',
    dist: '',
    cwd: folder,
    env: {},
    stdout: into((text) => (out += text)),
    stderr: into((text) => (err += text)),
    paint: { out: noPaint, err: noPaint },
  };
  process.exitCode = undefined;
  const program = new Command('kernelseek').exitOverride().configureOutput({ writeErr: (text) => (err += text) });
  registerRepertoire(program, context);
  await program.parseAsync(['repertoire', ...argv], { from: 'user' });
  const code = process.exitCode;
  process.exitCode = undefined;
  return { out, err, code };
}

const observed = (moment: number, gain: number, question?: string): Observation => ({
  session: 's1',
  moment: `m${moment}`,
  kind: 'plateau',
  silent: question === undefined,
  ...(question !== undefined && { question, level: 'data-movement', intent: 'move', moved: true }),
  informed: false,
  gain,
  through: 10,
});
const someCredit = () =>
  saveCredit(folder, 's1', 'NVIDIA H200', [
    ...[0.1, 0.3, 0.2].map((gain, i) => observed(i, gain, 'byte-twice')),
    ...[0, 0.1].map((gain, i) => observed(10 + i, gain)),
    observed(20, 0.5, 'long-gone'),
  ]);

describe('list', () => {
  test('is what `repertoire` alone means: every level with its questions', async () => {
    const { out, code } = await repertoire();
    expect(code).toBeUndefined();
    expect(out).toMatch(/^data movement$/m);
    expect(out).toMatch(/^ {2}byte-twice +Which byte travels twice\? +move$/m);
    expect(out).toMatch(/nothing is known of any question yet/);
  });

  test('shows what is known: how often, whether the agent moved, the gain over silence with its interval', async () => {
    await someCredit();
    const { out } = await repertoire('list');
    expect(out).toMatch(/byte-twice +Which .* move +3 +3\/3 +1\.16× \[\d\.\d+, \d\.\d+\] \(3 beside 2\)/);
    expect(out).toMatch(/long-gone +no longer here +1/);
    expect(out).toMatch(/^on NVIDIA H200$/m);
  });

  test('by level, moment and device; as JSON', async () => {
    await someCredit();
    await saveCredit(folder, 's2', 'CPU emulation', [{ ...observed(1, 0, 'who-pays'), session: 's2' }]);
    const only = JSON.parse((await repertoire('--level', 'launch', '--moment', 'opening', '--json')).out) as {
      device: string;
      devices: string[];
      questions: { level: string; moments: string[] }[];
    };
    expect(only.device).toBe('NVIDIA H200');
    expect(only.devices).toEqual(['CPU emulation', 'NVIDIA H200']);
    expect(only.questions.length).toBeGreaterThan(1);
    expect(only.questions.every((q) => q.level === 'launch' && q.moments.includes('opening'))).toBe(true);
    expect((await repertoire('list', '--device', 'CPU emulation')).out).toMatch(/who-pays .* 1 +1\/1/);
    await expect(repertoire('list', '--device', 'H100')).rejects.toThrow(/no credit on "H100": there is credit on CPU/);
  });

  test('a broken file is told on standard error and stops nothing', async () => {
    await writeFile(path.join(folder, '.kernelseek/repertoire.json'), '{');
    const { out, err } = await repertoire();
    expect(err).toMatch(/warning: .*repertoire\.json:1:2: not valid JSON/);
    expect(out).toMatch(/byte-twice/);
  });
});

describe('lint', () => {
  test('a text: hints with their reason; good ones pass', async () => {
    const bad = await repertoire('lint', 'Have you tried double buffering?');
    expect(bad.out).toMatch(/^hint {2}Have you/);
    expect(bad.out).toMatch(/informs: supplies facts \(the technique "double buffering"/);
    expect(bad.code).toBe(1);
    const good = await repertoire('lint', 'Who reads what nobody wrote?');
    expect(good).toMatchObject({ out: 'good  Who reads what nobody wrote?\n', code: undefined });
  });

  test('a file: errors of the file end with 2, hints with 1, of its own questions only', async () => {
    const file = path.join(folder, '.kernelseek/repertoire.json');
    await writeFile(
      file,
      '{"questions":[{"id":"a","text":"Is it fast?","level":"launch"},{"id":"who-pays","needs":["best"]}]}',
    );
    const hints = await repertoire('lint');
    expect(hints.out).toMatch(/^hint {2}a: Is it fast\?$/m);
    expect(hints.out).toMatch(/^good {2}who-pays: Who pays for this gain\?$/m);
    expect(hints.code).toBe(1);
    await writeFile(file, '{"questions":[{"id":"a"}]}');
    const wrong = await repertoire('lint', file, '--json');
    expect(wrong.code).toBe(2);
    expect(JSON.parse(wrong.out)).toMatchObject({ problems: [expect.stringMatching(/give it "text"/)], questions: [] });
    await expect(repertoire('lint', 'absent.json')).rejects.toThrow(/neither a file nor a question/);
  });
});

test('mute and unmute', async () => {
  expect((await repertoire('mute', 'who-pays')).out).toMatch(/^who-pays is muted: .*repertoire\.json/);
  expect((await repertoire('list', '--level', 'objective')).out).toMatch(/who-pays .* move, muted/);
  expect((await repertoire('unmute', 'who-pays', '--json')).out).toMatch(/"changed": true/);
  await expect(repertoire('mute', 'who-payz')).rejects.toThrow(/did you mean "who-pays"/);
});

test('export and merge: the same once more changes nothing', async () => {
  await someCredit();
  const file = path.join(folder, 'credit.json');
  expect((await repertoire('export', '--out', file)).out).toMatch(/^wrote 6 observations/);
  expect((await repertoire('export')).out).toBe(await readFile(file, 'utf8'));
  const other = path.join(folder, 'other');
  await mkdir(path.join(other, '.kernelseek'), { recursive: true });
  expect((await repertoire('merge', file, '--folder', other)).out).toBe('6 of 6 observations are new\n');
  expect((await repertoire('merge', file, '--folder', other)).out).toBe('0 of 6 observations are new\n');
  expect((await repertoire('export', '--folder', other)).out).toBe(await readFile(file, 'utf8'));
  await writeFile(file, '{"version":1}');
  await expect(repertoire('merge', file)).rejects.toThrow(/credit\.json is no file of credit: devices/);
});
