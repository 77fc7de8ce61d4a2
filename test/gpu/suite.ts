// What must be seen on a CUDA machine: run by `npm run test:gpu`, or from the packed runner where there is no Node.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Profile, ProfileParams, SourceFile, Verdict } from '../../remote-runner/protocol.js';
import { createParser } from '../../src/kernel/parser.js';
import { keyFigures } from '../../src/profile/key-figures.js';
import { profileText } from '../../src/profile/text.js';
import { createConnect } from '../../src/runner/connect.js';
import { candidateFrom, prepareTask, type PreparedTask } from '../../src/runner/prepare.js';
import type { RunnerConnection } from '../../src/runner/types.js';
import { readSuite } from '../differential/kernels.js';
import { compareWith, record, recordingOf, type Recorded, type Recording } from '../differential/recording.js';
import { runSuite } from '../differential/run.js';
import { toolchainOf } from '../differential/targets.js';
import { callTasks, callTaskText } from '../support/calls.js';
import { faults } from '../support/faults.js';
import { planted } from '../support/planted.js';
import { corpora } from './corpora.js';
import { isolation } from './isolation.js';
import { tiers } from './tiers.js';

/** The bundle lies in dist/ of a checkout, or of a folder with dist/, examples/ and test/ of one. */
const root = path.resolve(__dirname, '..');
const rows: string[] = [];
let runner: RunnerConnection;

before(async () => {
  const connect = createConnect({
    version: 'gpu-suite',
    runnerBundle: path.join(root, 'dist/runner.js'),
    parser: () => parser,
  });
  runner = await connect({}, { log: (line) => process.stderr.write(`${line}\n`) });
  const cuda = runner.about.targets.find((t) => t.kind === 'cuda');
  assert.ok(cuda, `no CUDA target: ${JSON.stringify(runner.about.missing)}`);
  rows.push(
    `device ${cuda.name}, ${cuda.arch}, driver ${cuda.driver}, ${cuda.compiler}; profiling ${runner.about.profiling}`,
  );
});

after(async () => {
  await runner?.close();
  process.stdout.write(`\n${rows.join('\n')}\n`);
});

const grammar = (name: string): Uint8Array => readFileSync(path.join(root, 'dist/grammar', `${name}.wasm`));
const parser = createParser({ runtimeWasm: grammar('web-tree-sitter'), grammarWasm: grammar('tree-sitter-cuda') });
const prepare = (file: string, overlay?: Record<string, string>): Promise<PreparedTask> =>
  prepareTask(file, { parser: () => parser, root, ...(overlay && { overlay }) });

async function evaluate(
  task: PreparedTask,
  candidate?: SourceFile[],
  mode: 'first' | 'confirm' = 'first',
  { tier, ...more }: { sanitize?: boolean; tier?: 'any' } = {},
): Promise<Verdict> {
  const plans = tier === 'any' ? {} : { plans: { original: { why: 'is run as it stands, for this suite' } } };
  const done = await runner.run(
    randomUUID(),
    { kind: 'evaluate', task: task.wire, candidate, target: 'cuda', mode, fresh: true, ...plans, ...more },
    task.files,
    {},
  );
  assert.equal(done.kind, 'verdict');
  return (done as { verdict: Verdict }).verdict;
}

const took = (v: Verdict): string =>
  Object.entries(v.phases)
    .map(([k, ms]) => `${k} ${ms} ms`)
    .join(', ');

test('profile: counters of every line, of the kernel asked for, with a report that can be fetched', async () => {
  const task = await prepare(path.join(root, 'examples/matmul.task.json'));
  const profiled = async (more: Partial<ProfileParams>): Promise<Profile> => {
    const params: ProfileParams = { kind: 'profile', task: task.wire, target: 'cuda', set: 'detailed', ...more };
    const done = await runner.run(randomUUID(), params, task.files, {});
    assert.equal(done.kind, 'profile');
    return (done as { profile: Profile }).profile;
  };
  const all = await profiled({});
  rows.push(`profile detailed: ${all.message}; ${JSON.stringify(all.phases)} ms; ${all.warnings.join('; ')}`);
  assert.equal(all.status, 'correct', all.message);
  assert.equal(all.trouble, undefined);
  const [launch] = all.launches;
  assert.ok(launch && launch.lines.some((l) => l.file === 'examples/matmul.cu' && l.samples > 0));
  assert.ok(keyFigures(launch).stalls.length > 0);
  rows.push(...profileText(all).split('\n'));
  for (const artifact of all.artifacts) assert.equal((await runner.fetch(artifact)).length, artifact.size);
  assert.deepEqual(
    all.artifacts.map((a) => a.name),
    ['report.ncu-rep', 'instructions.json'],
  );
  const basic = await profiled({ set: 'basic', kernel: launch.kernel.base, launches: 1 });
  rows.push(`profile basic: ${JSON.stringify(basic.phases)} ms`);
  assert.equal(basic.launches.length, 1);
  const none = await profiled({ kernel: 'not_there' });
  assert.equal(none.trouble?.kind, 'no-match');
  assert.ok(none.trouble.available?.includes(launch.kernel.base));
});

for (const file of readdirSync(path.join(root, 'examples')).filter((f) => f.endsWith('.task.json'))) {
  test(`examples/${file}: the original is correct, and not faster than itself`, async () => {
    const task = await prepare(path.join(root, 'examples', file));
    for (const mode of ['first', 'confirm'] as const) {
      const verdict = await evaluate(task, undefined, mode);
      assert.equal(verdict.status, 'correct', verdict.message);
      assert.equal(verdict.emulated, false);
      assert.notEqual(verdict.faster, true);
      assert.ok(verdict.resources.length > 0 && verdict.resources.every((r) => r.registers > 0));
      rows.push(`${file} ${mode}: ${verdict.message}; ${took(verdict)}`);
      for (const s of verdict.scenarios)
        if (s.timing) rows.push(`    ${s.id}: ${s.timing.candidateMs.toPrecision(4)} ms, ${s.timing.pairs} pairs`);
    }
  });
}

const cases: [
  folder: string,
  task: string,
  other: string | undefined,
  statuses: string[],
  first?: [number, unknown, unknown],
][] = [
  ['24-zeros-within-tolerance', 'softmax', undefined, ['correct']],
  ['24-zeros-within-tolerance', 'softmax', 'zeros.cu', ['task_error', 'wrong']],
  ['27-infinities-and-signs', 'recip', 'same.cu', ['correct']],
  ['27-infinities-and-signs', 'recip', 'ternary-abs.cu', ['wrong'], [1, 'inf', '-inf']],
  ['27-infinities-and-signs', 'recip', 'finite-mask.cu', ['wrong'], [0, '-inf', -3.4028235e38]],
  ['27-infinities-and-signs', 'recip', 'nan-mask.cu', ['wrong'], [0, '-inf', 'nan']],
  ['44-honest-second-stream', 'forkjoin', undefined, ['correct']],
  // Where the work left behind ends in time to be right, it counts as time: see below.
  ['44-honest-second-stream', 'forkjoin', 'not-joined.cu', ['wrong', 'nondeterministic', 'finding', 'correct']],
];
for (const [folder, name, other, statuses, first] of cases) {
  test(`case ${folder} ${other ?? 'original'}: ${statuses.join(' or ')}`, async () => {
    const at = path.join(root, 'test/cases', folder);
    const task = await prepare(path.join(at, `${name}.task.json`));
    const verdict = await evaluate(
      task,
      other ? await candidateFrom(task, path.join(at, other), '--source') : undefined,
    );
    assert.ok(statuses.includes(verdict.status), `${verdict.status}: ${verdict.message}`);
    if (other && !first) assert.ok(!verdict.speedup || verdict.speedup.low <= 1, verdict.message);
    if (first) {
      const got = verdict.scenarios[0]?.outputs[0]?.first[0];
      assert.deepEqual([got?.index, got?.expected, got?.got], first);
    }
    rows.push(`case ${folder} ${other ?? 'original'}: ${verdict.status}`);
  });
}

for (const name of Object.keys(callTasks)) {
  test(`called as ${name}: correct`, async () => {
    const file = path.join(root, 'test/calls/calls.task.json');
    const task = await prepareTask(file, { parser: () => parser, root, overlay: { [file]: callTaskText(name) } });
    const verdict = await evaluate(task);
    assert.equal(verdict.status, 'correct', `${verdict.message}\n${verdict.output ?? ''}`);
    rows.push(`called as ${name}: ${verdict.status}`);
  });
}

test('the differential suite runs, twice with the same bytes, and gives what is recorded', async () => {
  const folder = path.join(root, 'test/differential');
  const file = path.join(folder, 'recording.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recording) : undefined;
  const suite = readSuite(folder);
  const cacheFolder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-differential-cache-'));
  const toolchain = await toolchainOf('cuda', { harnessFolder: path.join(root, 'dist/harness'), cacheFolder });
  const recorded: Record<string, Recorded> = {};
  const failed: string[] = [];
  await runSuite(toolchain, suite, path.join(cacheFolder, 'programs'), (outcome) => {
    const kernel = suite.kernels.find((k) => k.name === outcome.name)!;
    if ('error' in outcome) return failed.push(`${kernel.name}: ${outcome.error}`);
    recorded[kernel.name] = record(kernel, outcome.bytes);
    const compared = known && compareWith(known.kernels[kernel.name], kernel, outcome.bytes);
    return compared && !compared.agrees ? failed.push(`${kernel.name}: ${compared.why}`) : 0;
  });
  rmSync(cacheFolder, { recursive: true, force: true });
  const made = recordingOf(toolchain.info, new Date().toISOString().slice(0, 10), recorded);
  writeFileSync(path.join(root, 'differential-recording.json'), `${JSON.stringify(made, null, 1)}\n`);
  rows.push(
    `differential: ${Object.keys(recorded).length} of ${suite.kernels.length} kernels recorded in differential-recording.json`,
  );
  assert.deepEqual(failed, []);
});

for (const fault of faults) {
  test(`fault: ${fault.name} → ${fault.cuda.join(' or ')}, and the next candidate runs`, async () => {
    const task = await prepare(path.join(root, 'test/faults/affine.task.json'));
    const candidate = [{ path: task.wire.original[0]!.path, text: fault.source }];
    const started = Date.now();
    const verdict = await evaluate(task, candidate);
    assert.ok(fault.cuda.includes(verdict.status), `${verdict.status}: ${verdict.message}`);
    if (fault.says) assert.match(verdict.message, fault.says);
    rows.push(
      `fault ${fault.name}: ${verdict.status} in ${Date.now() - started} ms (${verdict.message.slice(0, 100)})`,
    );
    const next = await evaluate(task);
    assert.equal(next.status, 'correct', next.message);
  });
}

corpora({ root, rows, prepare, evaluate });

tiers({ root, rows, prepare, evaluate });

isolation({ root, rows, prepare, evaluate });

for (const fault of planted.filter((p) => p.cuda !== undefined)) {
  test(`sanitizers: ${fault.name}: ${fault.cuda}`, async () => {
    const task = await prepare(path.join(root, 'test/faults/affine.task.json'));
    const file = task.wire.original[0]!.path;
    const verdict = await evaluate(task, [{ path: file, text: fault.source }], 'first', { sanitize: true });
    rows.push(`sanitizers: ${fault.name}: ${verdict.status}, ${verdict.message}; ${took(verdict)}`);
    assert.equal(verdict.status, 'finding', JSON.stringify(verdict, undefined, 1));
    const found = verdict.findings.find((f) => f.code === fault.cuda);
    assert.ok(found, JSON.stringify(verdict.findings, undefined, 1));
    assert.equal(found.file, file);
    assert.ok(fault.lines.includes(found.line ?? 0), JSON.stringify(found));
  });
}

test('sanitizers: an honest kernel is covered by all tools', async () => {
  const task = await prepare(path.join(root, 'test/faults/affine.task.json'));
  const all = ['memcheck', 'initcheck', 'synccheck', 'racecheck'];
  const first = await evaluate(task, undefined, 'first', { sanitize: true });
  rows.push(`sanitizers: honest: ${first.status}; ${first.warnings.join('; ')}; ${took(first)}`);
  assert.equal(first.status, 'correct', JSON.stringify(first, undefined, 1));
  assert.deepEqual(
    first.sanitized?.map((s) => s.covered),
    [all, all],
    JSON.stringify(first.sanitized),
  );
});

test('a faster kernel is confirmed, a slower one is not', async () => {
  const task = await prepare(path.join(root, 'test/faults/affine.task.json'));
  const original = readFileSync(path.join(root, 'test/faults/affine.cu'), 'utf8');
  const slower = original.replace(
    'if (i < n) y[i] = a * x[i] + 1.f;',
    'if (i < n) { float s = 0; for (int k = 0; k < 2000; ++k) s += __sinf(x[i] + k); y[i] = a * x[i] + 1.f + (s > 1e9f); }',
  );
  assert.notEqual(slower, original);
  const down = await evaluate(task, [{ path: task.wire.original[0]!.path, text: slower }], 'confirm');
  assert.equal(down.status, 'correct', down.message);
  assert.equal(down.faster, false);
  // The slow one as the original: now the plain kernel is a gain.
  const reversed = { ...task, wire: { ...task.wire, original: [{ path: task.wire.original[0]!.path, text: slower }] } };
  const up = await evaluate(reversed, [{ path: task.wire.original[0]!.path, text: original }], 'confirm');
  assert.equal(up.faster, true, up.message);
  assert.equal(up.sanitized?.[0]?.covered.length, 4, JSON.stringify(up.sanitized));
  rows.push(`slower: ${down.message}`, `faster: ${up.message}`);
});

test('identical code is rarely called different: 20 provisional and 6 confirmed verdicts', async () => {
  const task = await prepare(path.join(root, 'examples/softmax.gpu.task.json'));
  const one = { ...task, wire: { ...task.wire, task: { ...task.task, scenarios: task.task.scenarios.slice(1, 2) } } };
  const text = task.wire.original[0]!.text;
  const called = { first: 0, confirm: 0 };
  for (const [mode, times] of [
    ['first', 20],
    ['confirm', 6],
  ] as const) {
    for (let i = 0; i < times; i++) {
      // Another comment is another build.
      const candidate = [{ path: task.wire.original[0]!.path, text: `${text}\n// ${mode} ${i}\n` }];
      const { status, speedup, message } = await evaluate(one, candidate, mode);
      assert.equal(status, 'correct', message);
      if (speedup!.low > 1 || speedup!.high < 1) called[mode]++;
    }
  }
  rows.push(
    `A/A: ${called.first} of 20 provisional (95 %) and ${called.confirm} of 6 confirmed (99 %) verdicts called identical code different`,
  );
  assert.ok(called.first <= 6, `${called.first} of 20`);
  assert.ok(called.confirm <= 1, `${called.confirm} of 6`);
});

for (const name of ['softmax', 'matmul', 'reduce']) {
  test(`tune ${name} at native sizes, in the terminal`, async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-tune-'));
    cpSync(path.join(root, 'examples'), path.join(folder, 'examples'), { recursive: true });
    const task = path.join(folder, 'examples', `${name}.gpu.task.json`);
    const args = [
      path.join(root, 'dist/cli.js'),
      'optimize',
      task,
      '--strategy',
      'tune',
      '--target',
      'cuda',
      '--evaluations',
      '12',
      '--minutes',
      '1',
      '--seed',
      '1',
    ];
    const { code, stdout, stderr } = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) =>
      execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      ),
    );
    rmSync(folder, { recursive: true, force: true });
    assert.equal(code, 0, stderr.slice(-2000));
    rows.push(
      `tune ${name}:`,
      ...stdout
        .trimEnd()
        .split('\n')
        .map((l) => `    ${l}`),
    );
  });
}
