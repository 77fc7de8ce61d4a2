// What compilers say when it is not the sources' fault, and what only looks like it.
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { machineFault } from './machine-fault.js';
import type { ToolRun } from './run-tool.js';

const run = (of: Partial<ToolRun>): ToolRun => ({ timedOut: false, stdout: '', stderr: '', milliseconds: 1, ...of });
const fault = (of: Partial<ToolRun>): Promise<string | undefined> => machineFault('g++', run(of), tmpdir());

test.each<[string, Partial<ToolRun>, RegExp]>([
  ['the compiler itself', { signal: 'SIGKILL' }, /^g\+\+ was killed \(SIGKILL\)$/],
  [
    'a part of g++',
    {
      code: 1,
      stderr:
        'In file included from a.h:1:\ng++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n',
    },
    /^g\+\+ was killed while it ran cc1plus$/,
  ],
  ['a part of nvcc', { code: 9, stderr: "nvcc error   : 'cicc' died due to signal 9 (Kill signal)\n" }, /ran cicc$/],
  [
    'a part of clang',
    { code: 254, stderr: 'clang++: error: unable to execute command: Killed\n' },
    /^g\+\+ was killed$/,
  ],
])('killed: %s', async (_, of, words) => {
  expect(await fault(of)).toMatch(words);
});

test.each<[string, Partial<ToolRun>]>([
  ['success', { code: 0, stderr: 'g++: fatal error: Killed signal terminated program cc1plus' }],
  ['a time limit', { signal: 'SIGKILL', timedOut: true }],
  [
    'a source that says so',
    { code: 1, stderr: 'k.cu:1:2: error: #error fatal error: Killed signal terminated program x' },
  ],
  ['a compiler that a source crashes', { code: 1, stderr: 'g++: internal compiler error: Segmentation fault' }],
  ['a disk that has room', { code: 1, stderr: 'k.cu:1:2: error: #error No space left on device' }],
])('not the machine’s: %s', async (_, of) => {
  expect(await fault(of)).toBeUndefined();
});
