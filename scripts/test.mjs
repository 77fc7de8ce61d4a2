// `npm test`: everything that needs no GPU, from a bare clone. Says what was skipped.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { aboutRecord } from './gpu-record.mjs';
import { sourcesHash } from './gpu-sources.mjs';
import { ensureInstalled, fail, npx, root, run } from './setup.mjs';

ensureInstalled();
const has = (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status === 0;
if (!has('g++') && !has('clang++'))
  fail('a C++ compiler is needed to run kernels: install g++ (Debian, Ubuntu: apt-get install g++).');
if (!has('git')) fail('git is needed: sessions keep their candidates in a repository of their own.');

const step = (name, work) => {
  const started = performance.now();
  console.log(`\n── ${name}`);
  work();
  console.log(`── ${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
};
step('types', () => npx(['typescript/bin/tsc'], '--noEmit'));
step('lint', () => {
  npx(['eslint/bin/eslint.js'], '.');
  npx(['prettier/bin/prettier.cjs'], '--check', '--log-level', 'warn', '.');
});
step('build', () => run(process.execPath, [path.join(root, 'scripts/build.mjs')]));
const report = path.join(mkdtempSync(path.join(os.tmpdir(), 'kernelseek-test-')), 'report.json');
step('unit and integration tests', () =>
  npx(['vitest/vitest.mjs'], 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`),
);
step('package', () => run(process.execPath, [path.join(root, 'scripts/package.mjs')]));
step('the extension in a real VS Code', () => run(process.execPath, [path.join(root, 'test/editor/run.mjs')]));
const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
rmSync(path.dirname(report), { recursive: true });
console.log(`\n${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
if (!has('nvidia-smi')) {
  const file = path.join(root, 'test/gpu/record.txt');
  const about = aboutRecord(existsSync(file) ? readFileSync(file, 'utf8') : undefined, sourcesHash(root));
  console.log(`\nskipped for want of an NVIDIA GPU: npm run test:gpu (test/gpu); ${about}`);
}
