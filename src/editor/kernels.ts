// Kernels of an open document: parsed off the typing path, once per version of the text.
import type * as vscode from 'vscode';
import type { KernelFile } from '../kernel/types.js';
import type { Editor } from './context.js';

/** Quiet time after an edit before the text is parsed again, milliseconds. */
const QUIET = 250;

export class Kernels {
  private readonly parsed = new WeakMap<vscode.TextDocument, { version: number; file: Promise<KernelFile> }>();

  constructor(private readonly editor: Editor) {}

  /** The kernels of the present text; undefined when typing went on meanwhile, since then someone asks again. */
  async read(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<KernelFile | undefined> {
    const known = this.parsed.get(document);
    if (known?.version === document.version) return known.file;
    const { version } = document;
    if (known) await pause(QUIET, token);
    if (token.isCancellationRequested || document.isClosed || document.version !== version) return undefined;
    const file = this.editor.engine().readKernels(document.getText(), this.editor.dist);
    this.parsed.set(document, { version, file });
    return file;
  }
}

function pause(milliseconds: number, token: vscode.CancellationToken): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    const cancelled = token.onCancellationRequested(done);
    function done() {
      clearTimeout(timer);
      cancelled.dispose();
      resolve();
    }
  });
}
