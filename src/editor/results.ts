// The last verdict of each task and the evaluations under way; verdicts survive reload in the workspace's memory.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Editor } from './context.js';
import type { VerdictFacts } from './verdict-text.js';

const MEMORY = 'verdicts';
/** Tasks whose last verdict is remembered. */
const MOST = 200;

export interface StoredVerdict {
  facts: VerdictFacts;
  /** Hash of each evaluated source by absolute path. */
  texts: Record<string, string>;
  at: number;
}

export interface Running {
  /** What it does now, in a few words. */
  phase: string;
  cancel(): void;
}

export class Results implements vscode.Disposable {
  private readonly verdicts: Map<string, StoredVerdict>;
  private readonly running = new Map<string, Running>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly hashes = new WeakMap<vscode.TextDocument, { version: number; hash: string }>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly editor: Editor) {
    this.verdicts = new Map(editor.memory.get<[string, StoredVerdict][]>(MEMORY, []));
  }

  verdict(task: vscode.Uri): StoredVerdict | undefined {
    return this.verdicts.get(task.toString());
  }

  setVerdict(task: vscode.Uri, verdict: StoredVerdict): void {
    // Newest last, so that the oldest are the ones forgotten.
    this.verdicts.delete(task.toString());
    this.verdicts.set(task.toString(), verdict);
    void this.editor.memory.update(MEMORY, [...this.verdicts].slice(-MOST));
    this.changed.fire();
  }

  /** True when `document` no longer holds the text that the verdict speaks of. */
  isStale(verdict: StoredVerdict, document: vscode.TextDocument): boolean {
    const evaluated = verdict.texts[document.uri.fsPath];
    return evaluated !== undefined && evaluated !== this.hashOf(document);
  }

  evaluation(task: vscode.Uri): Running | undefined {
    return this.running.get(task.toString());
  }

  evaluations(): Running[] {
    return [...this.running.values()];
  }

  /** Shows an evaluation as under way until `finish`. */
  start(task: vscode.Uri, running: Running): void {
    this.running.set(task.toString(), running);
    this.publish();
  }

  progressed(): void {
    this.changed.fire();
  }

  finish(task: vscode.Uri, running: Running): void {
    if (this.running.get(task.toString()) !== running) return;
    this.running.delete(task.toString());
    this.publish();
  }

  dispose(): void {
    for (const running of this.running.values()) running.cancel();
    this.changed.dispose();
  }

  private publish(): void {
    void vscode.commands.executeCommand('setContext', 'kernelseek.evaluating', this.running.size > 0);
    this.changed.fire();
  }

  private hashOf(document: vscode.TextDocument): string {
    const known = this.hashes.get(document);
    if (known?.version === document.version) return known.hash;
    const hash = hashText(document.getText());
    this.hashes.set(document, { version: document.version, hash });
    return hash;
  }
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
