// The manifest and the code must agree; what VS Code would forgive here it refuses elsewhere.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json';

const sources = ['src/extension.ts', ...readdirSync('src/editor').map((f) => path.join('src/editor', f))]
  .filter((f) => f.endsWith('.ts') && !f.endsWith('.test.ts'))
  .map((f) => readFileSync(f, 'utf8'))
  .join('\n');
const contributed = manifest.contributes.commands.map((c) => c.command);

test('activates for CUDA sources and its own commands only', () => {
  expect(manifest.activationEvents).toEqual(['onLanguage:cuda-cpp']);
});

test('uses no proposed API, and types of the oldest VS Code it promises to run in', () => {
  expect(manifest).not.toHaveProperty('enabledApiProposals');
  expect(`^${manifest.devDependencies['@types/vscode']}`).toBe(manifest.engines.vscode);
});

test('every command of the manifest is registered, and every registered one is in the manifest', () => {
  const registered = [...sources.matchAll(/registerCommand\(\s*'(kernelseek\.\w+)'/g)].map((m) => m[1]);
  const byName = [...sources.matchAll(/^\s+command\('(\w+)'/gm)].map((m) => `kernelseek.${m[1]}`);
  expect([...registered, ...byName].sort()).toEqual([...contributed].sort());
});

test('menus name commands that exist', () => {
  const named = Object.values(manifest.contributes.menus).flatMap((items) => items.map((item) => item.command));
  expect(contributed).toEqual(expect.arrayContaining([...new Set(named)]));
});

test('a workspace that is not trusted can set no address, endpoint or variable', () => {
  const settings = manifest.contributes.configuration.flatMap((section) => Object.entries(section.properties));
  const machine = settings.filter(([, s]) => s.scope === 'machine').map(([name]) => name);
  expect(machine.sort()).toEqual([...manifest.capabilities.untrustedWorkspaces.restrictedConfigurations].sort());
  const sensitive = settings.map(([name]) => name).filter((name) => /url|variable|path|executable/i.test(name));
  expect(machine).toEqual(expect.arrayContaining(sensitive));
});

test('every setting is read, described, and has a default', () => {
  for (const [name, setting] of manifest.contributes.configuration.flatMap((s) => Object.entries(s.properties))) {
    expect(sources).toContain(`'${name.replace('kernelseek.', '')}'`);
    expect(setting).toHaveProperty('default');
    expect('description' in setting || 'markdownDescription' in setting).toBe(true);
  }
});
