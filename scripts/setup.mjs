// What `npm test`, `npm run demo` and `npm run test:gpu` do first: the right Node, the dependencies, the bundles.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Ends the process with one sentence. */
export function fail(sentence) {
  console.error(`kernelseek: ${sentence}`);
  process.exit(1);
}

/** Runs a program in the checkout with its output shown; ends the process when it fails. */
export function run(file, args, options = {}) {
  const done = spawnSync(file, args, { cwd: root, stdio: 'inherit', ...options });
  if (done.error) fail(`${file} cannot be started: ${done.error.message}`);
  if (done.status !== 0) process.exit(done.status ?? 1);
}

export const npx = (tool, ...args) => run(process.execPath, [path.join(root, 'node_modules', ...tool), ...args]);

function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile())
      latest = Math.max(latest, statSync(path.join(entry.parentPath ?? entry.path, entry.name)).mtimeMs);
  }
  return latest;
}

/** Node version, then dependencies as the lock file says. */
export function ensureInstalled() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 12))
    fail(`Node.js 20.12 or newer is needed; this is ${process.versions.node}.`);
  const lock = path.join(root, 'package-lock.json');
  const installed = path.join(root, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error('kernelseek: installing dependencies from npm …');
  run('npm', ['ci', '--no-audit', '--no-fund'], { shell: process.platform === 'win32' });
}

/** The bundles in dist/, when they are missing or older than a source. */
export function ensureBuilt() {
  const built = path.join(root, 'dist/runner.js');
  const sources = ['src', 'remote-runner', 'scripts'].map((f) => newest(path.join(root, f)));
  if (existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources)) return;
  console.error('kernelseek: building …');
  run(process.execPath, [path.join(root, 'scripts/build.mjs')]);
}
