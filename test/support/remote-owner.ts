// A program that connects to a runner by address and prints what the runner has, for tests of the client's environment.
import { readFileSync } from 'node:fs';
import { createConnect } from '../../src/runner/connect.js';

const [url = '', tokenFile = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const connect = createConnect({ version: 'test', runnerBundle: '/nowhere' });
  const connection = await connect({ url, token: readFileSync(tokenFile, 'utf8').trim() });
  process.stdout.write(connection.about.targets.map((t) => t.name).join());
  await connection.close();
}

void main();
