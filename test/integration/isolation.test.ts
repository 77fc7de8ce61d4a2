// What compilers and candidates see of the machine: as root, as a plain user, and where namespaces are refused.
import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvaluateParams, Isolation, SourceFile, Verdict } from '../../remote-runner/protocol.js';
import type { PreparedTask } from '../../src/runner/prepare.js';
import { bundle } from '../support/bundle.js';
import type { Elsewhere } from '../support/evaluate-elsewhere.js';
import { Evaluations, root } from '../support/evaluations.js';
import { NOTHING_SEEN, seenBy, Surroundings } from '../support/isolation.js';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('SKIPPED for want of root: isolation as another user, and where namespaces are refused');
const all: Isolation['holds'] = ['files', 'processes', 'network', 'privileges', 'turns'];

let evaluations: Evaluations;
let task: PreparedTask;
let surroundings: Surroundings;
let probe: SourceFile[];
let original: string;
beforeAll(async () => {
  evaluations = await Evaluations.create();
  task = await evaluations.prepare('test/faults/affine.task.json');
  surroundings = await Surroundings.create();
  const text = await readFile(path.join(root, 'test/isolation/probe.cu'), 'utf8');
  probe = candidate(surroundings.fill(text));
  original = task.wire.original[0]!.text;
});
afterAll(async () => {
  surroundings.dispose();
  await evaluations.close();
});

const candidate = (text: string): SourceFile[] => [{ path: task.wire.original[0]!.path, text }];

describe('as whoever runs the tests', () => {
  let seen: Verdict;
  beforeAll(async () => {
    seen = await evaluations.evaluate(task, probe);
  });

  it('a candidate sees, reaches and keeps nothing', () => {
    expect(seen.message).toMatch(/SIGABRT/);
    expect(seenBy(seen)).toEqual(NOTHING_SEEN);
    expect(surroundings.leaksInto(seen)).toBe(false);
  });

  it('the verdict says what held', () => {
    expect(seen.provenance?.isolation).toMatchObject({ holds: all, missing: [] });
    expect(seen.warnings.join()).not.toMatch(/isolation/);
  });

  it('no process outlives its evaluation, however far it went', () => {
    expect(surroundings.survivors()).toEqual([]);
  });

  it('a candidate that computes what it should is as correct as anywhere', async () => {
    // Looking around takes calls that a candidate may not make where the task says nothing.
    const allowing = { ...task, wire: { ...task.wire, task: { ...(task.wire.task as object), forbid: [] } } };
    const quiet = await evaluations.evaluate(allowing, candidate(probe[0]!.text.replace('abort();', '')));
    expect(quiet.status, quiet.message).toBe('correct');
    expect(surroundings.survivors()).toEqual([]);
  });

  it.each([
    ['an absolute include', (secret: string) => `#include "${secret}"\n`],
    ['an include in angle brackets', (secret: string) => `#include <${secret}>\n`],
    ['an include that climbs', (secret: string) => `#include "${'../'.repeat(24)}${secret.slice(1)}"\n`],
    ['an include by macro', (secret: string) => `#define S "${secret}"\n#include S\n`],
    [
      'a question for its being there',
      (secret: string) => `#if __has_include("${secret}")\n#error planted_secret_5d0c2f\n#endif\n`,
    ],
    ['an embedded file', (secret: string) => `const unsigned char s[] = {\n#embed "${secret}"\n};\n`],
    ['an include of the compiler’s environment', () => '#include "/proc/self/environ"\n'],
    ['an include of the runner’s', () => `#include "/proc/${process.pid}/environ"\n`],
    ['a pragma', (secret: string) => `#pragma GCC dependency "${secret}"\n`],
    ['a line that claims another place', (secret: string) => `#line 1 "${secret}"\nint x = planted;\n`],
  ])('%s tells nothing of a file outside the job', async (_, attempt) => {
    const verdict = await evaluations.evaluate(task, candidate(attempt(surroundings.secret) + original));
    expect(['compile_error', 'correct', 'unsupported', 'infrastructure']).toContain(verdict.status);
    expect(surroundings.leaksInto(verdict)).toBe(false);
    expect(JSON.stringify(verdict)).not.toMatch(/TMPDIR=|PATH=/);
  });

  it('a candidate that takes processes without end takes no more than its share, and none is left', async () => {
    // Only where limits are known to hold: elsewhere the machine would pay for this test.
    expect(seen.provenance?.isolation?.missing).toEqual([]);
    const bomb =
      '#include <unistd.h>\n#include <sys/prctl.h>\n' +
      original.replace(
        'stream) {',
        `stream) {\n  prctl(PR_SET_NAME, "${surroundings.name}", 0, 0, 0);\n  for (;;) fork();`,
      );
    const verdict = await evaluations.evaluate(task, candidate(bomb));
    expect(['timeout', 'crash', 'out_of_memory']).toContain(verdict.status);
    await expect.poll(() => surroundings.survivors()).toEqual([]);
  });

  it('a candidate that takes memory without end does not take the machine’s', async () => {
    const greedy =
      '#include <cstdlib>\n#include <cstring>\n' +
      original.replace(
        'stream) {',
        'stream) {\n  for (;;) { void* p = malloc(1 << 28); if (!p) abort(); memset(p, 1, 1 << 12); }',
      );
    const verdict = await evaluations.evaluate(task, candidate(greedy));
    expect(verdict.status).toBe('crash');
  });
});

/** Runs the evaluations of `params` in a process started by `command`, which gets the program's words. */
async function elsewhere(
  params: EvaluateParams[],
  command: (folder: string, words: string[]) => string[],
): Promise<{ isolation: Isolation; verdicts: Verdict[] }> {
  const program = await bundle('test/support/evaluate-elsewhere.ts');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-elsewhere-'));
  try {
    await chmod(path.dirname(program), 0o755);
    // Our own programs are compiled once: their names carry the hash of what is in them.
    const cache = path.join(folder, 'cache');
    await cp(path.join(evaluations.folder, 'cache/programs'), path.join(cache, 'programs'), { recursive: true });
    for (const place of [folder, cache]) await chown(place, 65534, 65534);
    const input: Elsewhere = { harnessFolder: path.join(path.dirname(program), 'harness'), folder, params };
    const file = path.join(path.dirname(program), 'elsewhere.json');
    await writeFile(file, JSON.stringify(input), { mode: 0o644 });
    const [first, ...words] = command(folder, [process.execPath, program, file]);
    const output = await new Promise<string>((resolve, reject) =>
      execFile(first!, words, { cwd: '/', maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout),
      ),
    );
    return JSON.parse(output) as { isolation: Isolation; verdicts: Verdict[] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const params = (sources?: SourceFile[]): EvaluateParams => ({
  kind: 'evaluate',
  task: task.wire,
  candidate: sources,
  target: 'cpu',
  mode: 'first',
});
const asNobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
/** The kernel makes no user namespace for who lives below another root folder. */
const belowAnotherRoot = (words: string[]): string[] => [
  ...['unshare', '--mount', 'sh', '-c', 'mount --rbind / /mnt && exec chroot /mnt "$@"', 'sh'],
  ...words,
];

describe.runIf(isRoot && process.platform === 'linux')('as a plain user', () => {
  it('user namespaces do the same', async () => {
    const { isolation, verdicts } = await elsewhere([params(probe), params()], (_, words) => [...asNobody, ...words]);
    expect(isolation).toEqual({ means: 'user namespaces', holds: all, missing: [] });
    const [seen, honest] = verdicts;
    expect(seenBy(seen!)).toEqual(NOTHING_SEEN);
    expect(surroundings.leaksInto(seen)).toBe(false);
    expect(honest!.status, honest!.message).toBe('correct');
    expect(surroundings.survivors()).toEqual([]);
  });

  it('where they are refused the verdict warns, evaluates, and still leaves nothing behind', async () => {
    const { isolation, verdicts } = await elsewhere([params(probe), params()], (_, words) =>
      belowAnotherRoot([...asNobody, ...words]),
    );
    expect(isolation).toEqual({
      means: 'none',
      holds: ['privileges'],
      missing: ['files', 'processes', 'network', 'turns'],
    });
    const [seen, honest] = verdicts;
    expect(honest!.status, honest!.message).toBe('correct');
    expect(honest!.warnings.join('\n')).toMatch(/weak isolation .*can read what their user can read.*bubblewrap/);
    // Here it does see what it is kept from elsewhere.
    expect(seenBy(seen!)).toMatchObject({ secret: expect.stringContaining('planted'), network: 'connected' });
    expect(seenBy(seen!)).toMatchObject({ core: '0', fsize: 'limited', root: 'no' });
    await expect.poll(() => surroundings.survivors()).toEqual([]);
  });
});

describe.runIf(isRoot && process.platform === 'linux')('as root without the right to make namespaces', () => {
  it('candidates are not root, nothing is left behind, and the verdict warns', async () => {
    const { isolation, verdicts } = await elsewhere([params(probe), params()], (_, words) =>
      belowAnotherRoot(['setpriv', '--bounding-set', '-sys_admin', ...words]),
    );
    expect(isolation).toEqual({ means: 'none', holds: [], missing: all });
    const [seen, honest] = verdicts;
    expect(honest!.status, honest!.message).toBe('correct');
    expect(honest!.warnings.join('\n')).toMatch(/weak isolation/);
    expect(seenBy(seen!)).toMatchObject({ core: '0', fsize: 'limited', root: 'no', usr: 'no' });
    await expect.poll(() => surroundings.survivors()).toEqual([]);
  });
});
