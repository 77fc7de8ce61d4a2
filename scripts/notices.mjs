// The licences of what is bundled: they ask to be told along with the code.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @param {string} root folder that holds node_modules
 * @param {string[]} inputs files that went into the bundles, relative to `root`
 * @param {string[]} more packages shipped as files
 */
export function notices(root, inputs, more) {
  const bundled = inputs.map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  const packages = [...new Set([...bundled, ...more])].filter((name) => name !== undefined).sort();
  return packages.map((name) => noticeOf(path.join(root, 'node_modules', name))).join('\n');
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((f) => /^(licen[cs]e|copying)(\.|$)/i.test(f));
  const text =
    file === undefined
      ? 'No licence text is part of the package.'
      : readFileSync(path.join(folder, file), 'utf8').trim();
  return `${'='.repeat(100)}\n${name} ${version} (${license})\n\n${text}\n`;
}
