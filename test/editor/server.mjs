// Runs the cached VS Code as a server with a profile of its own.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Dark Modern',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'comments.openView': 'never',
  'files.autoSave': 'off',
  'editor.minimap.enabled': false,
  'chat.disableAIFeatures': true,
};

/** Starts the server with `vsix` installed; resolves when it answers. */
export async function startServer({ node, entry }, folder, vsix, machineSettings, env) {
  const home = path.join(folder, 'home');
  const data = path.join(folder, 'data');
  for (const scope of ['User', 'Machine']) mkdirSync(path.join(data, scope), { recursive: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify(SETTINGS, undefined, 2));
  writeFileSync(path.join(data, 'Machine/settings.json'), JSON.stringify(machineSettings, undefined, 2));
  const environment = {
    ...env,
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_DATA_HOME: path.join(home, '.local/share'),
    XDG_CACHE_HOME: path.join(home, '.cache'),
  };
  const profile = ['--user-data-dir', data, '--extensions-dir', path.join(folder, 'ext')];
  execFileSync(node, [entry, ...profile, '--install-extension', vsix, '--force'], {
    env: environment,
    stdio: 'ignore',
  });
  const port = await freePort();
  const args = ['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check'];
  // A closed page's extension host would otherwise live on for hours.
  args.push('--disable-getting-started-override', '--reconnection-grace-time', '5');
  const child = spawn(node, [entry, ...args, ...profile], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (d) => (output = (output + d).slice(-20_000)));
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  };
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 200; tries += 1) {
    const answered = await fetch(`${url}/healthz`).then(
      (r) => r.ok,
      () => false,
    );
    if (answered) return { url, stop };
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  stop();
  throw new Error(`code-server did not start:\n${output}`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
