// `npm run bench:evaluator`: figures of the evaluator beside the bare alternative, in one run, with the machine's name.
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createParser } from '../../../src/kernel/parser.js';
import { createConnect } from '../../../src/runner/connect.js';
import { prepareTask } from '../../../src/runner/prepare.js';
import { benchFirst } from './first.js';
import { benchQueue } from './queue.js';

/** The bundle lies in dist/ of a checkout, or of a folder with dist/, examples/ and test/ of one. */
const root = path.resolve(__dirname, '..');
const grammar = (name: string): Uint8Array => readFileSync(path.join(root, 'dist/grammar', `${name}.wasm`));

async function main(): Promise<void> {
  const parser = createParser({ runtimeWasm: grammar('web-tree-sitter'), grammarWasm: grammar('tree-sitter-cuda') });
  const connect = createConnect({ version: 'bench', runnerBundle: path.join(root, 'dist/runner.js') });
  const runner = await connect({}, { log: () => undefined });
  try {
    const cpu = os.cpus();
    process.stdout.write(`${cpu[0]?.model.trim() ?? os.arch()}, ${cpu.length} cores, ${new Date().toISOString()}\n`);
    const repeats = Number(process.argv[2] ?? 12);
    const prepare = (file: string): ReturnType<typeof prepareTask> => prepareTask(file, { parser: () => parser, root });
    const options = { runner, prepare, root, repeats };
    for (const bench of [benchFirst, benchQueue]) {
      for (const line of await bench(options)) process.stdout.write(`${line}\n`);
    }
  } finally {
    await runner.close();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
