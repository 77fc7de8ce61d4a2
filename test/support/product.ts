// The session and the runner as they ship: two bundles side by side, with grammar and harness.
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { bundle } from './bundle.js';

let made: Promise<string> | undefined;

/** @returns absolute path of session.js, runner.js beside it */
export function sessionBundle(): Promise<string> {
  return (made ??= make());
}

async function make(): Promise<string> {
  const [session, runner] = await Promise.all([bundle('src/session/main.ts'), bundle('remote-runner/main.ts')]);
  const folder = path.dirname(session);
  await copyFile(runner, path.join(folder, 'runner.js'));
  return session;
}
