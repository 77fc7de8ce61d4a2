// What the GPU suite runs on, as one hash: a record of another one says nothing of today's sources.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Rooms and test material that the suite's outcome depends on. */
const FOLDERS = [
  'remote-runner',
  ...['kernel', 'task', 'profile', 'runner', 'search'].map((room) => `src/${room}`),
  'examples',
  ...['gpu', 'support', 'cheats', 'honest', 'faults', 'calls', 'cases', 'differential', 'isolation'].map(
    (f) => `test/${f}`,
  ),
];
/** Unit tests, and what the suite writes itself. */
const NOT = /\.test\.ts$|^test\/gpu\/record\.|^test\/differential\/recording\.json$/;

/**
 * @param {string} root of the checkout
 * @param {readonly string[]} folders below it
 */
export function sourcesHash(root, folders = FOLDERS) {
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll(path.sep, '/'),
      ),
  );
  const hash = createHash('sha256');
  for (const file of files.filter((f) => !NOT.test(f)).sort())
    hash.update(`${file}\0`).update(
      createHash('sha256')
        .update(readFileSync(path.join(root, file)))
        .digest(),
    );
  return hash.digest('hex');
}
