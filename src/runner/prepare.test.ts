// From a task file to a task that can travel, and everything that is refused on the way.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { wireTask } from '../../remote-runner/protocol.js';
import { testParser } from '../../test/support/grammar.js';
import type { KernelParser } from '../kernel/parser.js';
import { TaskError } from '../task/types.js';
import { candidateFrom, prepareTask } from './prepare.js';
import { TaskErrors } from './task-errors.js';

const source = `
#include "scale.h"
__global__ void scale_kernel(float* x, float a, int n) { int i = threadIdx.x; if (i < n) x[i] *= a; }
void scale(float* x, float a, int n) { scale_kernel<<<1, 128>>>(x, a, n); }
`;
const task = {
  source: 'scale.cu',
  entry: 'scale',
  arguments: [
    { name: 'x', type: 'float*', shape: ['n'], role: 'inout' },
    { name: 'a', type: 'float', value: 2 },
    { name: 'n', type: 'int' },
  ],
  scenarios: [{ n: 100 }],
};

let kernelParser: KernelParser;
let top: string;
let root: string;
let taskFile: string;
const parser = () => Promise.resolve(kernelParser);
const write = async (name: string, content: string | Uint8Array): Promise<string> => {
  const file = path.join(root, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
};
const prepare = async (change: object = {}, options: { overlay?: Record<string, string>; root?: string } = {}) => {
  taskFile = await write('kernels/scale.task.json', JSON.stringify({ ...task, ...change }));
  return prepareTask(taskFile, { parser, ...options });
};
const refused = async (change: object): Promise<TaskError> => {
  const error: unknown = await prepare(change).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(TaskError);
  return error as TaskError;
};

beforeAll(async () => {
  kernelParser = await testParser();
});
beforeEach(async () => {
  top = await mkdtemp(path.join(tmpdir(), 'kernelseek-prepare-'));
  root = path.join(top, 'workspace');
  await mkdir(path.join(root, '.git'), { recursive: true });
  await write('kernels/scale.cu', source);
  await write('include/scale.h', '#pragma once\n');
  await write('include/deep/more.h', '// more\n');
  await write('include/.hidden.h', '// hidden\n');
});
afterEach(() => rm(top, { recursive: true }));

test('a task travels with paths below the workspace, its files by hash, and its call', async () => {
  const prepared = await prepare({ files: ['../include/**'] });
  expect(prepared.root).toBe(root);
  expect(prepared.wire).toMatchObject({ directory: 'kernels', call: 'scale(x, a, n)' });
  expect(prepared.wire.original).toEqual([{ path: 'kernels/scale.cu', text: source }]);
  expect(prepared.wire.files.map((f) => f.path)).toEqual(['include/scale.h', 'include/deep/more.h']);
  for (const { sha256, size } of prepared.wire.files) {
    const bytes = prepared.files.get(sha256) as Uint8Array;
    expect(bytes.length).toBe(size);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  }
  expect(wireTask.safeParse(JSON.parse(JSON.stringify(prepared.wire))).success).toBe(true);
});

test('unsaved text wins over the disk, also of the task and of read-only files', async () => {
  const changed = JSON.stringify({ ...task, files: ['../include/scale.h'], scenarios: [{ n: 7 }] });
  const prepared = await prepare(
    {},
    {
      overlay: {
        [path.join(root, 'kernels/scale.task.json')]: changed,
        [path.join(root, 'kernels/scale.cu')]: `// unsaved\n${source}`,
        [path.join(root, 'include/scale.h')]: '// unsaved header',
      },
    },
  );
  expect(prepared.task.scenarios).toEqual([{ n: 7 }]);
  expect(prepared.wire.original[0]?.text).toContain('// unsaved');
  expect(Buffer.from([...prepared.files.values()][0] ?? []).toString()).toBe('// unsaved header');
});

test('the byte order mark and line ends of a source are part of it', async () => {
  const marked = `\uFEFF${source.replaceAll('\n', '\r\n')}`;
  await write('kernels/scale.cu', marked);
  expect((await prepare()).wire.original[0]?.text).toBe(marked);
});

describe('the root', () => {
  test('is the folder with .git, also where .kernelseek is nearer', async () => {
    await mkdir(path.join(root, 'kernels/.kernelseek'));
    expect((await prepare()).root).toBe(root);
  });

  test('is the folder with .kernelseek where there is no .git', async () => {
    await rm(path.join(root, '.git'), { recursive: true });
    await mkdir(path.join(root, '.kernelseek'));
    expect((await prepare({ files: ['../include/scale.h'] })).root).toBe(root);
  });

  test('is else the folder of the task, whose path is then empty', async () => {
    await rm(path.join(root, '.git'), { recursive: true });
    const { wire } = await prepare();
    expect(wire.directory).toBe('');
    expect(wire.original[0]?.path).toBe('scale.cu');
  });

  test('can be given', async () => {
    expect((await prepare({}, { root: path.join(root, 'kernels') })).wire.directory).toBe('');
  });
});

describe('patterns', () => {
  test.each([
    [['../include/*.h'], ['include/scale.h']],
    [['../include/**/*.h'], ['include/scale.h', 'include/deep/more.h']],
    [['../**/more.?'], ['include/deep/more.h']],
    [['../include/.*.h'], ['include/.hidden.h']],
    [['../include/scale.h', '../include/*'], ['include/scale.h']],
    // The editable source is not shipped again as a read-only file.
    [['*.cu', '../include/scale.h'], ['include/scale.h']],
  ])('%j', async (files, expected) => {
    expect((await prepare({ files })).wire.files.map((f) => f.path)).toEqual(expected);
  });

  test('** ends in spite of a link to its own folder', async () => {
    await symlink(path.join(root, 'include'), path.join(root, 'include/loop'));
    const { wire } = await prepare({ files: ['../include/**'] });
    expect(wire.files).toHaveLength(2);
  });

  test('a link that stays inside is followed', async () => {
    await symlink(path.join(root, 'include/scale.h'), path.join(root, 'kernels/linked.h'));
    const { wire } = await prepare({ files: ['linked.h'] });
    expect(wire.files[0]?.path).toBe('kernels/linked.h');
  });

  test('files of fills travel too', async () => {
    await write('kernels/data.bin', new Uint8Array(400));
    const { wire } = await prepare({
      files: ['data.bin'],
      arguments: [{ ...task.arguments[0], fill: { file: 'data.bin' } }, ...task.arguments.slice(1)],
    });
    expect(wire.files.map((f) => [f.path, f.size])).toEqual([['kernels/data.bin', 400]]);
  });
});

describe('refused', () => {
  const cases: [string, object, string, string][] = [
    ['a source that is not there', { source: 'other.cu' }, '$.source', 'there is no file'],
    ['a file that is not there', { files: ['none.h'] }, '$.files[0]', 'there is no file'],
    ['a pattern without files', { files: ['../include/*.cuh'] }, '$.files[0]', 'matches no file'],
    ['a folder', { files: ['../include'] }, '$.files[0]', 'include/**'],
    ['a file above the workspace', { files: ['../../secret'] }, '$.files[0]', 'outside'],
    ['a pattern above the workspace', { files: ['../../**'] }, '$.files[0]', 'outside'],
    ['.. after a wildcard', { files: ['*/../../../x'] }, '$.files[0]', 'after a wildcard'],
    ['** twice', { files: ['**/a/**'] }, '$.files[0]', 'twice'],
    ['an entry that is not there', { entry: 'scael' }, '$.entry', 'scale'],
    ['a call that is more than a call', { call: 'scale(x, a, n); system("true")' }, '$.call', 'one call'],
  ];
  test.each(cases)('%s', async (_, change, at, words) => {
    const error = await refused(change);
    expect(error.path).toBe(at);
    expect(error.message).toContain(words);
  });

  test('a link that leads out of the workspace, as file, as source and on the way', async () => {
    await writeFile(path.join(top, 'secret'), 'password');
    await symlink(path.join(top, 'secret'), path.join(root, 'kernels/innocent.h'));
    await symlink(top, path.join(root, 'kernels/up'));
    for (const files of [['innocent.h'], ['*.h'], ['up/secret'], ['up/*']]) {
      expect((await refused({ files })).message).toContain('outside');
    }
    expect((await refused({ source: 'innocent.h' })).path).toBe('$.source');
  });

  test('a device', async () => {
    await symlink('/dev/zero', path.join(root, 'kernels/zero.h'));
    expect((await refused({ files: ['zero.h'] })).message).toContain('outside');
    expect((await refused({ files: ['*.h'] })).path).toBe('$.files[0]');
  });

  test('a source that is not UTF-8', async () => {
    await write('kernels/scale.cu', Buffer.from([0x2f, 0x2f, 0xe9, 0x0a]));
    expect((await refused({})).message).toContain('not UTF-8');
  });

  test('a task file that is not there', async () => {
    await expect(prepareTask(path.join(root, 'none.task.json'), { parser })).rejects.toThrow('there is no file');
  });
});

test('every fault of a task is told, unknown names first, and a source as the task writes it', async () => {
  const { scenarios: _, arguments: __, ...rest } = task;
  taskFile = await write('kernels/scale.task.json', JSON.stringify({ ...rest, scenaros: [], entri: 'x' }));
  const error: unknown = await prepareTask(taskFile, { parser }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(TaskErrors);
  const { errors, message } = error as TaskErrors;
  expect(errors.map((e) => e.path)).toEqual(['$.scenaros', '$.entri', '$.arguments']);
  expect(message.split('\n')).toEqual(errors.map((e) => e.message));
  expect((await refused({ source: undefined, sources: ['gone.cu'] })).path).toBe('$.sources[0]');
  const many = Array.from({ length: 30 }, (_, i) => ({ name: `p${i}`, type: 'nonsense' }));
  expect((await refused({ arguments: many })).message).toMatch(/\n… and \d+ more$/);
});

describe('another source', () => {
  test('takes the place of the single one, wherever it lies', async () => {
    const other = path.join(top, 'faster.cu');
    await writeFile(other, '// faster');
    expect(await candidateFrom(await prepare(), other, '--source')).toEqual([
      { path: 'kernels/scale.cu', text: '// faster' },
    ]);
  });

  test('cannot stand in for several, and must be there', async () => {
    await write('kernels/second.cu', '// second');
    const several = await prepare({ source: undefined, sources: ['scale.cu', 'second.cu'] });
    await expect(candidateFrom(several, taskFile, '--source')).rejects.toThrow('single one');
    await expect(candidateFrom(await prepare(), path.join(top, 'none.cu'), '--source')).rejects.toThrow(
      '--source: there is no file',
    );
  });
});
