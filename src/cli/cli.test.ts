// The pieces of the terminal that need no runner: exit codes, options, progress, putting a best candidate on disk.
import { Command } from 'commander';
import { mkdtemp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bareVerdict, STATUSES, type Verdict } from '../../remote-runner/protocol.js';
import { noPaint } from '../report/paint.js';
import { RunnerError } from '../runner/types.js';
import { TaskError } from '../task/types.js';
import { applyBest, writeSources, type Best } from './best.js';
import type { CliContext } from './context.js';
import { CliError, codeOfError, exitCode, verdictOfError } from './exit.js';
import { count, minutes, runnerAddress, withRunnerOptions, type RunnerOptions } from './options.js';
import { programOf } from './program.js';
import { ProgressLine } from './progress.js';
import { toldOf } from './stand-in.js';
import { taskFileOf } from './task-file.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kernelseek-cli-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('every status has the exit code of the design', () => {
  const codes = Object.fromEntries(STATUSES.map((status) => [status, exitCode(status)]));
  expect(codes).toEqual({
    correct: 0,
    wrong: 1,
    compile_error: 1,
    launch_error: 1,
    crash: 1,
    timeout: 1,
    out_of_memory: 1,
    nondeterministic: 1,
    finding: 1,
    unsupported: 2,
    task_error: 2,
    inconclusive: 3,
    infrastructure: 3,
  });
});

test('errors before a verdict become one: the task is to blame for its own, the road for the rest', () => {
  const task = new TaskError('$.entry', '"f" is not there');
  const road = new RunnerError('refused', 'no one listens');
  expect(verdictOfError(task, 'first')).toMatchObject({ status: 'task_error', message: '$.entry: "f" is not there' });
  expect(verdictOfError(road, 'confirm')).toMatchObject({ status: 'infrastructure', mode: 'confirm' });
  expect([task, road, new CliError('x'), new RunnerError('cancelled', 'x')].map(codeOfError)).toEqual([2, 3, 2, 130]);
});

function context(env: Record<string, string> = {}): CliContext {
  const { stdout, stderr } = process;
  return {
    version: '0',
    program: 'kernelseek',
    dist: '',
    cwd: folder,
    env,
    stdout,
    stderr,
    paint: { out: noPaint, err: noPaint },
  };
}

describe('runner options', () => {
  const parse = (...argv: string[]) => {
    const quiet = { writeOut: () => undefined, writeErr: () => undefined };
    const command = withRunnerOptions(new Command('x').configureOutput(quiet).exitOverride());
    return command.parse(argv, { from: 'user' }).opts<RunnerOptions>();
  };

  test('without --runner a local one is meant, on the target it finds', async () => {
    expect(parse()).toEqual({ target: 'auto' });
    expect(await runnerAddress(parse(), context())).toEqual({});
  });

  test('the token comes from the environment or from a file, and must be there', async () => {
    const options = parse('--runner', 'ws://box:7420', '--target', 'cuda');
    const address = await runnerAddress(options, context({ KERNELSEEK_RUNNER_TOKEN: 'abc' }));
    expect(address).toEqual({ url: 'ws://box:7420', token: 'abc' });
    await expect(runnerAddress(options, context())).rejects.toThrow('set KERNELSEEK_RUNNER_TOKEN');
    const tokenFile = path.join(folder, 'token');
    await writeFile(tokenFile, 'from-file\n');
    const fromFile = await runnerAddress({ ...options, tokenFile }, context({ KERNELSEEK_RUNNER_TOKEN: 'abc' }));
    expect(fromFile.token).toBe('from-file');
    await writeFile(tokenFile, 'two\nlines\n');
    await expect(runnerAddress({ ...options, tokenFile }, context())).rejects.toThrow('does not hold one token');
    await expect(runnerAddress({ target: 'auto', tokenFile }, context())).rejects.toThrow(
      '--token-file needs --runner',
    );
  });

  test('an address must be a WebSocket one and must not hold a secret', () => {
    expect(() => parse('--runner', 'http://box:7420')).toThrow('ws://host:port');
    expect(() => parse('--runner', 'nonsense')).toThrow('ws://host:port');
    expect(() => parse('--runner', 'ws://user:secret@box')).toThrow('must not hold a secret');
    expect(() => parse('--target', 'tpu')).toThrow('Allowed choices are auto, cpu, cuda');
  });

  test('budgets are checked', () => {
    expect([count('1'), count('100000'), minutes('0.5')]).toEqual([1, 100_000, 0.5]);
    for (const bad of ['0', '-1', '1.5', '100001', 'x', '']) expect(() => count(bad)).toThrow('whole number');
    for (const bad of ['0', '-1', 'x', '', 'NaN', 'Infinity']) expect(() => minutes(bad)).toThrow('above 0');
  });
});

describe('progress', () => {
  const stream = (isTTY: boolean) => {
    const written: string[] = [];
    return { isTTY, columns: 20, write: (text: string) => written.push(text), written };
  };

  test('on a terminal one line updates itself, is cut to the width, and makes room for lines that stay', () => {
    const out = stream(true);
    const progress = new ProgressLine(out, {});
    progress.update('build', '\u001b[2Ja very long detail of it');
    progress.log('stays');
    progress.clear();
    const clear = '\r\u001b[2K';
    const line = `${clear}build · a very lon…`;
    expect(out.written).toEqual([line, clear, 'stays\n', line, clear]);
  });

  test('on a terminal that does not know its width the line stays whole', () => {
    const out = { ...stream(true), columns: 0 };
    new ProgressLine(out, {}).update('build', 'a detail that is longer than nothing');
    expect(out.written).toEqual(['\r\u001b[2Kbuild · a detail that is longer than nothing']);
  });

  test('elsewhere a line is printed for each new stage only, without control characters', () => {
    const out = stream(false);
    const progress = new ProgressLine(out, {});
    progress.update('build', '1 of 2');
    progress.update('build', '2 of 2');
    progress.update('check');
    progress.log('stays');
    progress.clear();
    expect(out.written).toEqual(['build · 1 of 2\n', 'check\n', 'stays\n']);
  });
});

test('suggested commands work as they stand: by name where the shell finds it, else by path', () => {
  const PATH = `/usr/bin:/opt/node/bin`;
  expect(programOf('/opt/node/bin/kernelseek', { PATH })).toBe('kernelseek');
  expect(programOf('/opt/node/bin/kernelseek', { PATH, npm_command: 'exec' })).toBe('node /opt/node/bin/kernelseek');
  expect(programOf('/elsewhere/kernelseek', { PATH })).toBe('node /elsewhere/kernelseek');
  expect(programOf("/a b/it's/cli.js", { PATH })).toBe(`node '/a b/it'\\''s/cli.js'`);
});

describe('a task that is given', () => {
  test('as a source says how to get its task, or which it is', async () => {
    await writeFile(path.join(folder, 'k.cu'), '');
    expect(() => taskFileOf('k.cu', context())).toThrow(
      'k.cu is a CUDA source, not a task: run `kernelseek init k.cu`',
    );
    await writeFile(path.join(folder, 'k.task.json'), '{}');
    expect(() => taskFileOf('k.cu', context())).toThrow('give its task, k.task.json');
    expect(taskFileOf('k.task.json', context())).toBe(path.join(folder, 'k.task.json'));
    expect(() => taskFileOf('gone.task.json', context())).toThrow('does not exist');
  });
});

test('a verdict on a file that stands in for the source speaks of that file, not of the source', () => {
  const at = { file: 'k/gelu.cu', line: 8, message: 'declared in k/gelu.cu:8' };
  const compiled: Verdict = {
    ...bareVerdict('compile_error', 'k/gelu.cu:8:14: expected ; near k/gelu.cuh', 'first'),
    diagnostics: [{ ...at, severity: 'error', related: [at, { ...at, file: 'k/gelu.cuh' }] }],
    findings: [{ code: 'x', ...at }],
    unsupported: { construct: 'asm', file: 'k/gelu.cu', line: 1, cudaWouldDo: true },
    output: 'k/gelu.cu(8): error\nlib/k/gelu.cu(9): note',
  };
  const told = toldOf(compiled, 'k/gelu.cu', '../other.cu');
  expect(told.message).toBe('../other.cu:8:14: expected ; near k/gelu.cuh');
  const there = { file: '../other.cu', message: 'declared in ../other.cu:8' };
  expect(told.diagnostics[0]).toMatchObject({ ...there, related: [there, { ...there, file: 'k/gelu.cuh' }] });
  expect(told.findings[0]).toMatchObject(there);
  expect(told.unsupported?.file).toBe('../other.cu');
  expect(told.output).toBe('../other.cu(8): error\nlib/k/gelu.cu(9): note');
  const ofOriginal = { ...compiled, message: 'the original does not compile: k/gelu.cu:8' };
  expect(toldOf(ofOriginal, 'k/gelu.cu', '../other.cu')).toBe(ofOriginal);
});

describe('the best candidate on disk', () => {
  const best: Best = {
    id: 'c1',
    original: [
      { path: 'k/a.cu', text: 'old\r\n' },
      { path: 'k/b.cu', text: 'same' },
    ],
    sources: [
      { path: 'k/a.cu', text: 'new\r\n' },
      { path: 'k/b.cu', text: 'same' },
    ],
  };
  const file = () => path.join(folder, 'k/a.cu');
  beforeEach(async () => {
    await mkdir(path.join(folder, 'k'));
    await writeFile(file(), 'old\r\n');
  });

  test('is applied to unchanged files, byte for byte, and only where it changes something', async () => {
    expect(await applyBest(folder, best)).toEqual([file()]);
    expect(await readFile(file(), 'utf8')).toBe('new\r\n');
  });

  test('is not applied over an edit made meanwhile', async () => {
    await writeFile(file(), 'edited');
    await expect(applyBest(folder, best)).rejects.toThrow('was changed since the session began');
    expect(await readFile(file(), 'utf8')).toBe('edited');
  });

  test('never leaves the folder: not by name, not through a link', async () => {
    const out = { path: '../out.cu', text: 'x' };
    await expect(writeSources(path.join(folder, 'k'), [out])).rejects.toThrow('leads out of');
    await rm(file());
    await writeFile(path.join(folder, 'outside.cu'), 'old\r\n');
    await symlink(path.join(folder, 'outside.cu'), file());
    const inner = { ...best, original: [{ path: 'a.cu', text: 'old\r\n' }], sources: [{ path: 'a.cu', text: 'new' }] };
    await expect(applyBest(path.join(folder, 'k'), inner)).rejects.toThrow('leads out of');
    expect(await readFile(path.join(folder, 'outside.cu'), 'utf8')).toBe('old\r\n');
  });
});
