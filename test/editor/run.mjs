// `npm run test:editor`: packs the extension, installs it into a real VS Code and drives that as a user would.
// A machine that cannot do it is told in one sentence; in CI that is a failure.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installEditor } from './install.mjs';
import { startServer } from './server.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const manifest = createRequire(import.meta.url)('../../package.json');
/** From the start of the server to the last test, milliseconds. */
const TIME_LIMIT = 240_000;

const missing = whatIsMissing();
if (missing !== undefined) {
  console.error(`test:editor SKIPPED: ${missing}`);
  process.exit(process.env['CI'] ? 1 : 0);
}

const vsix = path.join(root, `${manifest.name}-${manifest.version}.vsix`);
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const folder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-editor-'));
let server;
try {
  const editor = installEditor();
  if (!isFresh(vsix)) await run(process.execPath, [path.join(root, 'scripts/package.mjs')]);
  server = await startServer(editor, folder, vsix, {}, withoutKeys(process.env));
  await run(process.execPath, [vitest, 'run', '--config', 'test/editor/vitest.config.mts', ...process.argv.slice(2)], {
    KERNELSEEK_EDITOR_URL: server.url,
    KERNELSEEK_EDITOR_FOLDER: folder,
    KERNELSEEK_CHROMIUM: chromium(),
  });
} catch (error) {
  console.error(`test:editor: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  server?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** True when nothing that goes into the package is newer than it. */
function isFresh(file) {
  if (!existsSync(file)) return false;
  const made = statSync(file).mtimeMs;
  const parts = ['src', 'remote-runner', 'scripts', 'media', 'package.json', 'package-lock.json', 'README.md'];
  return parts.every((part) => newest(path.join(root, part)) <= made);
}

function newest(place) {
  const own = statSync(place);
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(0, ...readdirSync(place).map((name) => newest(path.join(place, name))));
}

function whatIsMissing() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'the real VS Code of this test runs on Linux x64 only.';
  if (chromium() === undefined) {
    return 'Chromium was not found; install it (Debian: apt-get install -y --no-install-recommends chromium) or set CHROMIUM to its path.';
  }
  return undefined;
}

function chromium() {
  const places = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return places.find((p) => p !== undefined && p !== '' && existsSync(p));
}

function withoutKeys(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^ANTHROPIC_|^KERNELSEEK_/.test(name)));
}

function run(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${path.basename(args[0])} took longer than ${TIME_LIMIT / 1000} s and was ended`));
    }, TIME_LIMIT);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new Error(`${path.basename(args[0])} failed`));
    });
  });
}
