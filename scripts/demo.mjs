// `npm run demo`: from a fresh clone to a faster kernel, without a GPU and without a model key. The checkout stays clean.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBuilt, ensureInstalled, fail, root, run } from './setup.mjs';

const EXAMPLE = 'softmax';
const BUDGET = ['--evaluations', '12', '--minutes', '1.5'];

ensureInstalled();
const has = (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status === 0;
if (!['g++', 'clang++', 'nvcc'].some(has)) {
  fail('no compiler was found: install g++ (Debian, Ubuntu: apt-get install g++), clang++, or the CUDA toolkit.');
}
if (!has('git')) fail('git is needed: sessions keep their candidates in a repository of their own.');
ensureBuilt();

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kernelseek-demo-')));
cpSync(path.join(root, 'examples'), folder, { recursive: true });
// The sizes for a laptop would measure little but launches on a GPU.
const onGpu = spawnSync('nvidia-smi', ['-L'], { stdio: 'ignore' }).status === 0 && has('nvcc');
const task = `${EXAMPLE}${onGpu ? '.gpu' : ''}.task.json`;
console.error(`kernelseek: searching for a faster ${EXAMPLE}, on a copy in ${folder}; about two minutes at most`);
// Ctrl-C is for the search: it stops, says what it has, and ends; then so do we.
process.on('SIGINT', () => undefined);
const cli = path.join(root, 'dist/cli.js');
run(process.execPath, [cli, 'optimize', task, '--strategy', 'tune', '--seed', '1', ...BUDGET], {
  cwd: folder,
});

console.log(`
Next, for a kernel of yours:
  node dist/cli.js init YOUR.cu                  makes its task file
  node dist/cli.js evaluate YOUR.task.json       is it correct, and how fast
  node dist/cli.js optimize YOUR.task.json       with ANTHROPIC_API_KEY set, a coding agent proposes the changes
README.md: a GPU machine, the editor, the task file.`);
