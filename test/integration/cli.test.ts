// The bundled command line from end to end: a real local runner, a real compiler, the CPU target.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { traceEvent } from '../../src/session/events.js';
import { cli, printedVerdict, startCli, type Finished } from '../support/cli-process.js';
import { buildDist } from '../support/dist.js';

const cases = path.resolve(__dirname, '../cases');
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
const evaluate = (...args: string[]) => run('evaluate', ...args, '--target', 'cpu', '--json');

const CONTROL = /[^\P{Cc}\n\t]/u;

describe('evaluate: cases from the field', () => {
  test('24: zeros within the tolerance are never simply correct', async () => {
    await cp(path.join(cases, '24-zeros-within-tolerance'), folder, { recursive: true });
    const original = await evaluate('softmax.task.json');
    expect(original.code).toBe(0);
    expect(printedVerdict(original).warnings.join()).toContain('does not tell it from zeros');
    const zeros = await evaluate('softmax.task.json', '--source', 'zeros.cu');
    expect(printedVerdict(zeros).status).toBe('task_error');
    expect(printedVerdict(zeros).message).toContain('$.tolerance.atol');
    expect(zeros.code).toBe(2);

    const task = await readFile(path.join(folder, 'softmax.task.json'), 'utf8');
    const tight = task.replace('"rtol":1e-2,"atol":1e-2', '"rtol":1e-5,"atol":1e-8');
    await writeFile(path.join(folder, 'tight.task.json'), tight);
    expect(printedVerdict(await evaluate('tight.task.json')).status).toBe('correct');
    const wrong = await evaluate('tight.task.json', '--source', 'zeros.cu');
    expect(wrong.code).toBe(1);
    const [output] = printedVerdict(wrong).scenarios[0]?.outputs ?? [];
    expect(output?.mismatches).toBeGreaterThan(0.99 * 3 * 16384);
  });

  test('27: infinities are matched by sign, and travel as text', async () => {
    await cp(path.join(cases, '27-infinities-and-signs'), folder, { recursive: true });
    const judged = async (source: string) => {
      const result = await evaluate('recip.task.json', '--source', source);
      const { status, scenarios } = printedVerdict(result);
      return { code: result.code, status, first: scenarios[0]?.outputs[0]?.first[0] };
    };
    expect(await judged('same.cu')).toMatchObject({ code: 0, status: 'correct' });
    const wrong = { code: 1, status: 'wrong' };
    expect(await judged('ternary-abs.cu')).toEqual({ ...wrong, first: { index: 1, expected: 'inf', got: '-inf' } });
    const finite = await judged('finite-mask.cu');
    expect(finite).toMatchObject({ ...wrong, first: { index: 0, expected: '-inf' } });
    expect(Number(finite.first?.got)).toBeCloseTo(-3.4028235e38, -32);
    expect(await judged('nan-mask.cu')).toEqual({ ...wrong, first: { index: 0, expected: '-inf', got: 'nan' } });
    const shown = await run('evaluate', 'recip.task.json', '--source', 'ternary-abs.cu', '--target', 'cpu');
    expect(shown.stdout).toContain('index 1: expected inf, got -inf');
    expect(shown.stdout).not.toMatch(CONTROL);
  });
});

/** y = 2 x, with a body and a launch that a test may spoil. */
function scale(body: string, launch = 'scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);', head = ''): string {
  return `#include <cstdio>
#include <cuda_runtime.h>
#define BLOCK 128
${head}
__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ${body}
}
extern "C" void run(const float* x, float* y, int n) { ${launch} }
`;
}
const GOOD = scale('if (i < n) y[i] = 2.f * x[i];');
const TASK = {
  source: 'scale.cu',
  entry: 'run',
  arguments: [
    { name: 'x', type: 'const float*', shape: ['n'], fill: 'normal' },
    { name: 'y', type: 'float*', shape: ['n'], role: 'output' },
    { name: 'n', type: 'int' },
  ],
  scenarios: [{ n: 5000 }],
};

async function writeScale(task: object = TASK): Promise<void> {
  await writeFile(path.join(folder, 'scale.cu'), GOOD);
  await writeFile(path.join(folder, 'scale.task.json'), JSON.stringify(task));
}

describe('evaluate: candidates that go wrong are verdicts', () => {
  const spoiled: [string, string, string[]][] = [
    ['a wrong result', scale('if (i < n) y[i] = 2.f * x[i] + (i == 77);'), ['wrong']],
    ['an output left alone', scale('if (i < n && i > 0) y[i] = 2.f * x[i];'), ['wrong']],
    ['code that does not compile', scale('if (i < n) y[i] = 2.f * z[i];'), ['compile_error']],
    ['an endless loop', scale('if (i < n) y[i] = 2.f * x[i]; volatile int on = 1; while (on) {}'), ['timeout']],
    ['a write far out of bounds', scale('if (i < n) y[i + (1LL << 40)] = 2.f * x[i];'), ['crash']],
    [
      'a write just out of bounds',
      scale('if (i < n) { y[i] = 2.f * x[i]; y[i + n] = 1.f; }'),
      ['wrong', 'finding', 'crash'],
    ],
    ['a launch that fails', scale('if (i < n) y[i] = 2.f * x[i];', 'scale<<<1, 2048>>>(x, y, n);'), ['launch_error']],
  ];

  test.each(spoiled)('%s', async (_name, source, statuses) => {
    await writeScale();
    await writeFile(path.join(folder, 'other.cu'), source);
    const result = await evaluate('scale.task.json', '--source', 'other.cu');
    const { status, message, diagnostics } = printedVerdict(result);
    expect(statuses).toContain(status);
    expect(result.code).toBe(1);
    expect(message).not.toBe('');
    if (status === 'compile_error') {
      expect(diagnostics[0]).toMatchObject({ severity: 'error', file: 'other.cu', line: 7 });
    }
  });

  test('a megabyte of escape sequences stays out of the terminal, and its tail is kept', async () => {
    await writeScale();
    const shout = 'for (int k = 0; k < 20000; ++k) printf("\\033]0;owned\\007\\033[31mloud %d\\n", k);';
    const body = 'if (i < n) y[i] = 2.f * x[i] + 1.f;';
    const launch = `${shout} scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);`;
    await writeFile(path.join(folder, 'other.cu'), scale(body, launch));
    const args = ['evaluate', 'scale.task.json', '--source', 'other.cu', '--target', 'cpu'];
    const shown = await run(...args);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(/^✗ wrong/);
    expect(shown.stdout + shown.stderr).not.toMatch(CONTROL);
    expect(shown.stdout.length).toBeLessThan(20_000);
    const coloured = await cli(dist, state, args, { cwd: folder, env: { FORCE_COLOR: '1' } });
    expect(coloured.stdout).toContain('\u001b[');
    expect(coloured.stdout).not.toContain('owned');
  });
});

describe('evaluate: what is wrong with the task', () => {
  const broken = async (task: object | string): Promise<Finished> => {
    await writeScale();
    const text = typeof task === 'string' ? task : JSON.stringify(task);
    await writeFile(path.join(folder, 'scale.task.json'), text);
    return evaluate('scale.task.json');
  };

  test.each([
    ['not JSON', '{ "source": ', /scale\.task\.json:1/],
    ['an unknown name', { ...TASK, scenaros: [] }, /\$\.scenaros.*did you mean "scenarios"/],
    ['a source that is not there', { ...TASK, source: 'gone.cu' }, /\$\.sources?.*gone\.cu/],
    ['a source outside', { ...TASK, source: '../../etc/passwd' }, /lies outside/],
    ['an entry that is not there', { ...TASK, entry: 'rum' }, /\$\.entry.*did you mean "run"/],
  ])('%s is one JSON document and exit code 2', async (_name, task, words) => {
    const result = await broken(task);
    expect(printedVerdict(result)).toMatchObject({
      status: 'task_error',
      message: expect.stringMatching(words) as string,
    });
    expect(result.code).toBe(2);
  });

  test('a task that is not there, and one that only another target could run', async () => {
    const gone = await evaluate('gone.task.json');
    expect([printedVerdict(gone).status, gone.code]).toEqual(['task_error', 2]);
    await writeScale();
    const asm = scale('unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); if (i < n) y[i] = 2.f * x[i] + 0 * l;');
    await writeFile(path.join(folder, 'other.cu'), asm);
    const unsupported = await evaluate('scale.task.json', '--source', 'other.cu');
    expect(printedVerdict(unsupported).unsupported).toMatchObject({ file: 'other.cu', line: 7 });
    expect(unsupported.code).toBe(2);
  });

  test('a runner that is not there or does not let us in is said, with exit code 3', async () => {
    await writeScale();
    const args = ['evaluate', 'scale.task.json', '--json', '--runner', 'ws://127.0.0.1:9'];
    const withToken = { cwd: folder, env: { KERNELSEEK_RUNNER_TOKEN: 'not-a-token-of-anyone' } };
    const refused = await cli(dist, state, args, withToken);
    expect([printedVerdict(refused).status, refused.code]).toEqual(['infrastructure', 3]);
    expect(refused.stdout + refused.stderr).not.toContain('not-a-token-of-anyone');
    const without = await run(...args);
    expect([printedVerdict(without).status, without.code]).toEqual(['task_error', 2]);
  });
});

/** Slow with few threads a block, because every block pays: `tune` has something to find. */
const TUNABLE = scale('if (i < n) y[i] = 2.f * x[i];').replace('BLOCK 128', 'BLOCK 4');
const tunable = { ...TASK, tunables: { BLOCK: [4, 64, 256, 1024] }, scenarios: [{ n: 100_000 }] };

/** Command lines of the running processes that mention a text. */
async function processesOf(text: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(text)).map((line) => line.replaceAll('\0', ' '));
}

describe('optimize, sessions', () => {
  beforeEach(async () => {
    await writeScale(tunable);
    await writeFile(path.join(folder, 'scale.cu'), TUNABLE);
  });
  const optimize = ['optimize', 'scale.task.json', '--strategy', 'tune', '--target', 'cpu', '--seed', '3'];

  test('tune finds the larger block, shows it as a diff, keeps it in the session, and applies it on request', async () => {
    const result = await run(...optimize, '--evaluations', '3', '--minutes', '3', '--apply');
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(
      /best: c\d \(BLOCK = \d+\): at least \S+× over original \(.*, 99 % interval\) \(CPU emulation: not GPU speed\)/,
    );
    expect(result.stdout).toMatch(/^-#define BLOCK 4\n\+#define BLOCK (64|256|1024)$/m);
    expect(result.stdout).not.toMatch(CONTROL);
    const applied = /BLOCK (\d+)/.exec(await readFile(path.join(folder, 'scale.cu'), 'utf8'))?.[1];
    expect(applied).toBe(/\+#define BLOCK (\d+)/.exec(result.stdout)?.[1]);

    const listed = await run('sessions');
    expect(listed.stdout).toMatch(
      /scale\.task\.json +tune +nothing left to try +at least \d[\d.]*× \(CPU emulation\) +3 of 3/,
    );
    const [id = ''] = await readdir(path.join(folder, '.kernelseek/sessions'));
    const shown = await run('sessions', '--show', id.slice(-8), '--write', 'best');
    expect(shown.stdout).toContain('+#define BLOCK');
    expect(await readFile(path.join(folder, 'best/scale.cu'), 'utf8')).toContain(`#define BLOCK ${applied}`);
  });

  test('events are JSON lines on standard output and nothing else is', async () => {
    const result = await run(...optimize, '--evaluations', '1', '--json-events');
    expect(result.code).toBe(0);
    const lines = result.stdout.trimEnd().split('\n');
    const events = lines.map((line) => traceEvent.parse(JSON.parse(line)));
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['started', 'finished']);
    expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1));
    expect(result.stderr).toContain('session: ');
  });

  test('Ctrl-C stops, keeps what was found, says where, exits with 130; the session goes on with --resume', async () => {
    const session = startCli(dist, state, [...optimize, '--evaluations', '3'], { cwd: folder });
    await session.seen(/c1 .*BLOCK = \d+ .*correct/);
    // As a terminal does: to the whole process group.
    process.kill(-(session.child.pid ?? 0), 'SIGINT');
    const stopped = await session.finished;
    expect(stopped.code).toBe(130);
    const [id = ''] = await readdir(path.join(folder, '.kernelseek/sessions'));
    expect(stopped.stdout).toContain(path.join('.kernelseek/sessions', id));
    expect(stopped.stdout).toMatch(/ended: stopped by you/);
    expect(stopped.stdout).toContain(`cli.js optimize ${path.join(folder, 'scale.task.json')} --resume ${id}`);

    const resumed = await run('optimize', '--resume', id, '--target', 'cpu');
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toMatch(/tune: 3 of 3 evaluations/);
    expect(resumed.stdout).toMatch(/ended \(nothing left to try\)/);
  });

  test('a second Ctrl-C ends at once and leaves no process behind', async () => {
    const session = startCli(dist, state, optimize, { cwd: folder });
    await session.seen(/build|check|time/);
    process.kill(session.child.pid ?? 0, 'SIGINT');
    await session.seen('stopping');
    process.kill(session.child.pid ?? 0, 'SIGINT');
    expect((await session.finished).code).toBe(130);
    // Session and runner notice that we are gone and end by themselves.
    await expect.poll(() => processesOf(dist), { timeout: 30_000, interval: 200 }).toEqual([]);
  });

  test('the command that takes the best works as printed, from any folder', async () => {
    const result = await run(...optimize, '--evaluations', '3', '--minutes', '3');
    const printed = /to take it.*\n +node (\S+) (sessions .*)$/m.exec(result.stdout);
    expect(printed?.[1]).toBe(path.join(dist, 'cli.js'));
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'kernelseek-elsewhere-'));
    const taken = await cli(dist, state, printed?.[2]?.split(' ') ?? [], { cwd: elsewhere });
    expect(taken.stderr).toBe('');
    expect(await readFile(path.join(elsewhere, 'faster/scale.cu'), 'utf8')).toMatch(/#define BLOCK (64|256|1024)/);
    await rm(elsewhere, { recursive: true });
  });

  test('an unknown tunable is the task’s fault: optimize refuses it, evaluate warns', async () => {
    await writeScale({ ...tunable, tunables: { BLOK: [64, 128] } });
    const refused = await run(...optimize);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('$.tunables.BLOK')]);
    const judged = await evaluate('scale.task.json');
    expect(judged.code).toBe(0);
    expect(printedVerdict(judged).warnings.join()).toContain('$.tunables.BLOK');
  });

  test('without a runner nothing is called measured, and no session is left', async () => {
    const env = { KERNELSEEK_RUNNER_TOKEN: 'a-token' };
    const result = await cli(dist, state, [...optimize, '--runner', 'ws://127.0.0.1:9'], { cwd: folder, env });
    expect(result.code).toBe(3);
    expect(result.stderr).toContain('Nothing listens at ws://127.0.0.1:9');
    expect(result.stdout).not.toContain('no gain');
    expect(await readdir(path.join(folder, '.kernelseek/sessions'))).toEqual([]);
  });

  test('an original that is not correct ends the session with its whole verdict and the exit code of it', async () => {
    await writeFile(path.join(folder, 'scale.cu'), scale('if (i < n) y[i] = 2.f * nowhere[i];'));
    const result = await run(...optimize);
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(/the original:\n✗ compile_error[^]*scale\.cu:7:\d+: error: .*nowhere/);
    expect(result.stdout).toMatch(/ended \(failed\): the original itself is not correct.*compile_error/);
  });

  test('says what cannot be done before anything is started', async () => {
    const code = async (...args: string[]) => {
      const { code, stderr } = await run(...args);
      return { code, stderr };
    };
    expect(await code('optimize')).toMatchObject({ code: 2, stderr: expect.stringContaining('which task?') as string });
    expect(await code('optimize', 'gone.task.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('init FILE.cu') as string,
    });
    expect(await code(...optimize.slice(0, 2), '--strategy', 'ask')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ANTHROPIC_API_KEY') as string,
    });
    await writeFile(path.join(folder, 'bad.task.json'), JSON.stringify({ ...tunable, entry: 'rum' }));
    expect(await code('optimize', 'bad.task.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "run"?') as string,
    });
    expect(await code('optimize', '--resume', 'nothing')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there are none') as string,
    });
    await mkdir(path.join(folder, 'empty'));
    expect(await run('sessions', 'empty')).toMatchObject({ code: 0 });
  });
});
