// A program that owns a local runner, for tests that kill it: prints the runner's process id, then runs a job for ever.
import { createConnect } from '../../src/runner/connect.js';
import { scriptedJob } from './scripted-evaluator.js';

const [runnerBundle = '', state = '', note = ''] = process.argv.slice(2);
const log = (line: string): void => void process.stdout.write(`${line}\n`);
const connect = createConnect({ version: 'test', runnerBundle, state });

async function main(): Promise<void> {
  const connection = await connect({}, { log });
  await connection.run('endless', scriptedJob(`child ${note}`), new Map(), {});
}

void main();
