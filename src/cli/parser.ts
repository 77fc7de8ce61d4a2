// The CUDA parser for commands that read sources; its grammar lies beside the bundle.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createParser, type KernelParser } from '../kernel/parser.js';

/** A function that loads the parser when first called, and gives the same one afterwards. */
export function lazyParser(dist: string): () => Promise<KernelParser> {
  let parser: Promise<KernelParser> | undefined;
  return () => (parser ??= load(path.join(dist, 'grammar')));
}

async function load(folder: string): Promise<KernelParser> {
  const grammar = (name: string) => readFile(path.join(folder, name));
  const [runtimeWasm, grammarWasm] = await Promise.all([
    grammar('web-tree-sitter.wasm'),
    grammar('tree-sitter-cuda.wasm'),
  ]);
  return createParser({ runtimeWasm, grammarWasm });
}
