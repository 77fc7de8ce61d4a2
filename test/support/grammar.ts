// A parser for tests, with the grammar as npm installed it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createParser, type KernelParser } from '../../src/kernel/parser.js';

const require = createRequire(path.join(process.cwd(), 'package.json'));

/** One parser for a test file. */
export async function testParser(): Promise<KernelParser> {
  const runtime = path.join(path.dirname(require.resolve('web-tree-sitter')), 'web-tree-sitter.wasm');
  const grammar = path.join(path.dirname(require.resolve('tree-sitter-cuda/package.json')), 'tree-sitter-cuda.wasm');
  return createParser({ runtimeWasm: await readFile(runtime), grammarWasm: await readFile(grammar) });
}
