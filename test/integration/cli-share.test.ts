// What comes after a session, from end to end: its report, the winner as a branch or a folder, the winner taken apart.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verdict } from '../../remote-runner/protocol.js';
import { cli, startCli, type Finished } from '../support/cli-process.js';
import { buildDist } from '../support/dist.js';
import { STORY, storySession } from '../support/story-session.js';
import { WINNER, winnerSession } from '../support/winner-session.js';

let dist: string;
let removeDist: () => Promise<void>;
let state: string;
let folder: string;

beforeAll(async () => {
  ({ dist, remove: removeDist } = await buildDist());
  state = await mkdtemp(path.join(tmpdir(), 'kernelseek-state-'));
});
afterAll(async () => {
  await removeDist();
  await rm(state, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kernelseek-work-'));
  return () => rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]): Promise<Finished> => cli(dist, state, args, { cwd: folder });
const read = (file: string): Promise<string> => readFile(path.join(folder, file), 'utf8');

/** The user's own git, as it is without any configuration but a name. */
function git(...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

describe('report', () => {
  test('of the newest session, into its folder; elsewhere only where nothing is', async () => {
    await storySession(folder);
    const made = await run('report');
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(await readFile(made.stdout.trim(), 'utf8')).toContain('Where the gain came from');
    expect((await run('report', '--out', 'mine.html')).code).toBe(0);
    const again = await run('report', STORY, '--out', 'mine.html');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('EEXIST')]);
  });

  test('a torn trace is reported with what is whole, a damaged one is refused, none says how to get one', async () => {
    expect((await run('report')).stderr).toContain('optimize NAME.task.json');
    const session = await storySession(folder);
    const file = path.join(session, 'trace.jsonl');
    const trace = await readFile(file, 'utf8');
    await writeFile(file, trace.slice(0, -20));
    const torn = await run('report', STORY);
    expect(await readFile(torn.stdout.trim(), 'utf8')).toContain('was torn and is dropped');
    await writeFile(file, trace.replace('"type":"runner"', '"type":"walker"'));
    const damaged = await run('report', session);
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining('line 2')]);
  });

  test('without the repository of its candidates it is a report without changes, and says so', async () => {
    const session = await storySession(folder);
    await rm(path.join(session, 'candidates.git'), { recursive: true });
    const made = await run('report');
    const html = await readFile(made.stdout.trim(), 'utf8');
    expect(html).toContain('not every change can be shown');
    expect(html).toContain('What is kept close that never comes back?');
  });
});

describe('export', () => {
  test('a folder holds kernel, report, verdict and how to repeat it; what is there is never overwritten', async () => {
    await storySession(folder);
    const made = await run('export', '--folder', 'out');
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect((await readdir(path.join(folder, 'out'))).sort()).toEqual([
      'REPRODUCE.md',
      'attention.cu',
      'report.html',
      'verdict.json',
    ]);
    expect(await read('out/attention.cu')).toContain('BLOCK = 128');
    expect(verdict.parse(JSON.parse(await read('out/verdict.json')))).toMatchObject({ mode: 'confirm', faster: true });
    expect(await read('out/REPRODUCE.md')).toMatch(
      /kernelseek evaluate attention\.task\.json --source \S+attention\.cu/,
    );
    const again = await run('export', '--folder', 'out');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('not empty')]);
    expect((await run('export')).code).toBe(2);
    const wrong = await run('export', '--folder', 'other', '--candidate', 'c3');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('c3 is not correct')]);
    expect(existsSync(path.join(folder, 'other'))).toBe(false);
  });

  test('a branch is one commit on HEAD; index, work tree, other branches and hooks do not notice', async () => {
    git('init', '-q', '-b', 'main');
    await storySession(folder);
    git('add', 'attention.cu', 'attention.task.json');
    git('commit', '-q', '-m', 'mine');
    // In the middle of something: a staged change, an unstaged one, an untracked file, and a hook that would tell.
    await writeFile(path.join(folder, 'staged.txt'), 'staged');
    git('add', 'staged.txt');
    await writeFile(path.join(folder, 'attention.task.json'), '{}');
    const hook = path.join(folder, '.git/hooks/reference-transaction');
    await mkdir(path.dirname(hook), { recursive: true });
    await writeFile(hook, `#!/bin/sh\ntouch ${folder}/hook-ran\n`, { mode: 0o755 });
    const before = [
      git('status', '--porcelain'),
      git('rev-parse', 'HEAD'),
      await readFile(path.join(folder, '.git/index')),
    ];

    const made = await run('export', '--branch', 'faster/attention');
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect([
      git('status', '--porcelain'),
      git('rev-parse', 'HEAD'),
      await readFile(path.join(folder, '.git/index')),
    ]).toEqual(before);
    expect(existsSync(path.join(folder, 'hook-ran'))).toBe(false);
    expect(git('rev-parse', 'faster/attention^')).toBe(before[1]);
    expect(git('show', '--format=%s', '--name-status', 'faster/attention').split('\n')).toEqual([
      'Make it faster: a pass less over the scores',
      '',
      'M\tattention.cu',
      `A\tkernelseek/${STORY}/REPRODUCE.md`,
      `A\tkernelseek/${STORY}/report.html`,
      `A\tkernelseek/${STORY}/verdict.json`,
    ]);
    const again = await run('export', '--branch', 'faster/attention');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
    for (const name of ['-d', 'a..b', 'x y']) {
      expect((await run('export', `--branch=${name}`)).stderr).toContain('cannot be the name of a branch');
    }
  });

  test('a branch is refused where HEAD has gone on, and where there is no repository', async () => {
    await storySession(folder);
    const none = await run('export', '--branch', 'b');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('use --folder')]);
    git('init', '-q');
    await writeFile(path.join(folder, 'attention.cu'), '// other\n');
    git('add', 'attention.cu');
    git('commit', '-q', '-m', 'later');
    const later = await run('export', '--branch', 'b');
    expect([later.code, later.stderr]).toEqual([1, expect.stringContaining('not what the session began with')]);
    expect(git('branch', '--list', 'b')).toBe('');
  });
});

describe('bundle', () => {
  test('made here, opened elsewhere: sessions, report and export work there, and on the file itself', async () => {
    await storySession(folder);
    const made = await run('bundle', STORY);
    expect([made.code, made.stderr]).toEqual([0, '']);
    const zip = path.join(folder, `${STORY}.kernelseek.zip`);
    expect(made.stdout).toContain(zip);
    expect((await run('bundle', STORY)).stderr).toContain('EEXIST');

    const there = await mkdtemp(path.join(tmpdir(), 'kernelseek-elsewhere-'));
    const at = (...args: string[]): Promise<Finished> => cli(dist, state, args, { cwd: there });
    expect((await at('report', zip)).stdout.trim()).toBe(path.join(there, `${STORY}.html`));
    expect(await readFile(path.join(there, `${STORY}.html`), 'utf8')).toContain(
      '<span class="add">+constexpr int BLOCK = 128;',
    );
    expect((await at('sessions', zip)).stdout).toContain('attention.task.json');
    expect(existsSync(path.join(there, '.kernelseek'))).toBe(false);
    const opened = await at('bundle', '--open', zip);
    expect([opened.code, opened.stderr]).toEqual([0, '']);
    expect((await at('sessions', '--show', STORY)).stdout).toMatch(/^\+constexpr int BLOCK = 128;/m);
    expect((await at('export', '--folder', 'out')).code).toBe(0);
    const again = await at('bundle', '--open', zip);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')]);
    await rm(there, { recursive: true });
  });

  test('with redacted sources: a report without changes, and nothing to export', async () => {
    await storySession(folder);
    expect((await run('bundle', '--redact-source', '--out', 'r.zip')).code).toBe(0);
    const there = await mkdtemp(path.join(tmpdir(), 'kernelseek-elsewhere-'));
    const at = (...args: string[]): Promise<Finished> => cli(dist, state, args, { cwd: there });
    expect((await at('bundle', '--open', path.join(folder, 'r.zip'))).code).toBe(0);
    const html = await readFile((await at('report')).stdout.trim(), 'utf8');
    expect(html).toContain('sources of this session were left out');
    expect(html).toContain('Which byte travels twice?');
    expect(html).not.toContain('BLOCK');
    const refused = await at('export', '--folder', 'out');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('left out of a bundle')]);
    await rm(there, { recursive: true });
  });

  test('a file that is none is refused in one sentence', async () => {
    await writeFile(path.join(folder, 'no.zip'), 'PK nothing');
    for (const args of [
      ['bundle', '--open', 'no.zip'],
      ['report', 'no.zip'],
      ['sessions', 'no.zip'],
    ]) {
      const refused = await run(...args);
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([
        1,
        '',
        expect.stringMatching(/no\.zip cannot be opened: .*\n$/),
      ]);
    }
    expect((await readdir(folder)).filter((name) => name !== 'no.zip')).toEqual([]);
  });
});

/** Slow with few threads a block; the winner has many, and a variable that nothing needs. */
const SLOW = `#include <cuda_runtime.h>
#define BLOCK 4

__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float factor = 2.f;
  if (i < n) y[i] = factor * x[i];
}

extern "C" void run(const float* x, float* y, int n) { scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n); }
`;
const FAST = SLOW.replace('BLOCK 4', 'BLOCK 256').replace('float factor', 'const float factor');
const TASK = {
  source: 'scale.cu',
  entry: 'run',
  arguments: [
    { name: 'x', type: 'const float*', shape: ['n'], fill: 'normal' },
    { name: 'y', type: 'float*', shape: ['n'], role: 'output' },
    { name: 'n', type: 'int' },
  ],
  scenarios: [{ n: 40_000 }],
};

describe('distill', () => {
  beforeEach(async () => {
    await writeFile(path.join(folder, 'scale.cu'), SLOW);
    await writeFile(path.join(folder, 'scale.task.json'), JSON.stringify(TASK));
    await winnerSession(folder, 'scale.task.json', FAST);
  });
  const trace = (): Promise<string> => read(`.kernelseek/sessions/${WINNER}/trace.jsonl`);

  test(
    'keeps the change that pays, drops the one that does not, and the session has it as a candidate',
    { timeout: 180_000 },
    async () => {
      const done = await run('distill', '--target', 'cpu');
      expect(done.code, done.stderr).toBe(0);
      expect(done.stdout).toMatch(/scale\.cu:2 \(\+1 −1\): pays: without it 0\.\d+× \[0\.\d+, 0\.\d+\] of c1’s speed/);
      expect(done.stdout).toMatch(/scale\.cu:6 \(\+1 −1\): does not pay: without it [01]\.\d+×/);
      expect(done.stdout).toContain('distilled from c1: 1 of 2 changes');
      expect(done.stdout).toMatch(/^-#define BLOCK 4\n\+#define BLOCK 256$/m);
      expect(done.stdout).not.toContain('+  const float factor');
      expect(done.stdout).toContain(`recorded as c2 of session ${WINNER}`);
      const shown = await run('sessions', '--show', WINNER, '--json');
      const { state: folded } = JSON.parse(shown.stdout) as { state: { candidates: object[]; finished: object } };
      expect(folded.candidates[1]).toMatchObject({
        id: 'c2',
        parent: 'c1',
        author: 'search',
        confirmed: { status: 'correct', faster: true, mode: 'confirm' },
      });
      expect(folded.finished).toMatchObject({ reason: 'exhausted' });
      // What it made can be exported.
      expect((await run('export', '--candidate', 'c2', '--folder', 'out')).code).toBe(0);
      expect(await read('out/scale.cu')).toBe(SLOW.replace('BLOCK 4', 'BLOCK 256'));
    },
  );

  test('Ctrl-C ends it with nothing recorded', async () => {
    const before = await trace();
    const running = startCli(dist, state, ['distill', '--target', 'cpu'], { cwd: folder });
    await running.seen('without change 1 of 2 (scale.cu:2)'.replace(/[().]/g, '\\$&'));
    process.kill(-(running.child.pid ?? 0), 'SIGINT');
    expect((await running.finished).code).toBe(130);
    expect(await trace()).toBe(before);
  });

  test('--write leaves the session alone and refuses a folder with something in it', { timeout: 180_000 }, async () => {
    const before = await trace();
    const refused = await run('distill', '--write', '.');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('not empty')]);
    const done = await run('distill', '--target', 'cpu', '--write', 'less');
    expect(done.code, done.stderr).toBe(0);
    expect(await read('less/scale.cu')).toBe(SLOW.replace('BLOCK 4', 'BLOCK 256'));
    expect(await trace()).toBe(before);
  });

  test('a task that changed since is refused before anything runs', async () => {
    await writeFile(path.join(folder, 'scale.task.json'), JSON.stringify({ ...TASK, scenarios: [{ n: 5 }] }));
    const refused = await run('distill', '--target', 'cpu');
    expect(refused.stderr).toContain('the task file changed since this session began');
    expect(refused.code).not.toBe(0);
  });
});
