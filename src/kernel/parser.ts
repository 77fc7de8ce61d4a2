// The tree-sitter parser for CUDA. Its two WebAssembly files are handed in: this room reads no files.
import { Language, Parser, type Tree } from 'web-tree-sitter';

/** Parses masked source text (mask.ts). One instance serves any number of texts; trees live in its memory. */
export class KernelParser {
  constructor(private readonly parser: Parser) {}

  /** Hands a tree to `use` and frees it afterwards, whatever `use` does: trees are not garbage collected. */
  withTree<R>(text: string, use: (tree: Tree) => R): R {
    const tree = this.parser.parse(text);
    if (tree === null) throw new Error('the parser gave no tree');
    try {
      return use(tree);
    } finally {
      tree.delete();
    }
  }

  /** Frees the parser's memory; it must not be used afterwards. */
  dispose(): void {
    this.parser.delete();
  }
}

let runtime: Promise<void> | undefined;

/**
 * @param files.runtimeWasm web-tree-sitter.wasm; only the first call's is used, the runtime exists once per process
 * @param files.grammarWasm tree-sitter-cuda.wasm
 */
export async function createParser(files: { runtimeWasm: Uint8Array; grammarWasm: Uint8Array }): Promise<KernelParser> {
  runtime ??= Parser.init({ wasmBinary: files.runtimeWasm });
  await runtime;
  const parser = new Parser();
  parser.setLanguage(await Language.load(files.grammarWasm));
  return new KernelParser(parser);
}
