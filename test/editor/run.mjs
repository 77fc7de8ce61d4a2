// `npm run test:editor`: packs the extension, installs it into a real VS Code and drives that as a user would.
// A machine that cannot do it is told in one sentence; in CI that is a failure.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
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
  process.exit(process.env['CI'] === 'true' ? 1 : 0);
}

const editor = installEditor();
if (!process.argv.includes('--no-package')) await run(process.execPath, [path.join(root, 'scripts/package.mjs')]);
const folder = mkdtempSync(path.join(os.tmpdir(), 'kernelseek-editor-'));
let server;
try {
  const vsix = path.join(root, `${manifest.name}-${manifest.version}.vsix`);
  server = await startServer(editor, folder, vsix, {}, withoutKeys(process.env));
  const only = process.argv.slice(2).filter((a) => !a.startsWith('--'));
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  await run(process.execPath, [vitest, 'run', '--config', 'test/editor/vitest.config.mts', ...only], {
    KERNELSEEK_EDITOR_URL: server.url,
    KERNELSEEK_EDITOR_FOLDER: folder,
    KERNELSEEK_CHROMIUM: chromium(),
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  server?.stop();
  if (!process.argv.includes('--keep'))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
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
