// `npm run demo`: from a fresh clone to a faster kernel, without a GPU and without a model key. The checkout stays clean.
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const EXAMPLE = 'softmax';
const BUDGET = ['--evaluations', '12', '--minutes', '1.5'];

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

function fail(message) {
  console.error(`demo: ${message}`);
  process.exit(1);
}

function run(command, args, cwd = root) {
  const { status, signal, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error) fail(`${command} cannot be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? (signal === 'SIGINT' ? 130 : 1));
}

/** Time of the last change below some paths, in milliseconds; 0 where there is nothing. */
async function newest(...paths) {
  let time = 0;
  for (const file of paths) {
    const info = await stat(file).catch(() => undefined);
    if (!info) continue;
    const inner = info.isDirectory() ? await newest(...(await readdir(file)).map((name) => path.join(file, name))) : 0;
    time = Math.max(time, info.isDirectory() ? inner : info.mtimeMs);
  }
  return time;
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 12)) {
  fail(`Node 20.12 or newer is needed, this is ${process.versions.node}; see https://nodejs.org`);
}
const compilers = ['nvcc', 'g++', 'clang++'].filter((name) => spawnSync(name, ['--version']).status === 0);
if (compilers.length === 0) {
  fail(
    'no compiler was found; install g++ or clang++ (on Debian and Ubuntu: apt-get install g++), or the CUDA toolkit',
  );
}

const at = (...parts) => path.join(root, ...parts);
if ((await newest(at('node_modules/.package-lock.json'))) < (await newest(at('package-lock.json')))) {
  console.error('demo: installing packages from npm …');
  const npm = process.env.npm_execpath;
  if (npm) run(process.execPath, [npm, 'ci']);
  else run('npm', ['ci']);
}
const sources = ['src', 'remote-runner', 'scripts/build.mjs', 'package.json', 'package-lock.json'].map((p) => at(p));
if ((await newest(at('dist/cli.js'))) < (await newest(...sources))) {
  console.error('demo: building …');
  run(process.execPath, [at('scripts/build.mjs')]);
}

const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'kernelseek-demo-')));
await cp(at('examples', EXAMPLE), folder, { recursive: true });
const task = `${EXAMPLE}.task.json`;
console.error(`demo: searching for a faster ${EXAMPLE} on a copy in ${folder}; about two minutes at most`);
run(process.execPath, [at('dist/cli.js'), 'optimize', task, '--strategy', 'tune', '--seed', '1', ...BUDGET], folder);

console.log(`
Next:
  node dist/cli.js init YOUR.cu                  a task for a kernel of yours
  node dist/cli.js evaluate YOUR.task.json       is it correct, how fast is it
  node dist/cli.js optimize YOUR.task.json       with ANTHROPIC_API_KEY set a coding agent proposes the changes
A GPU machine, the editor and the task file: README.md`);
