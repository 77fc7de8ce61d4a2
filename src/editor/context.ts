// What the editor's features share: the log, memory of the workspace, secrets, and the rooms that load on first need.
import type * as vscode from 'vscode';
import type * as Engine from './engine.js';

export interface Editor {
  readonly log: vscode.LogOutputChannel;
  /** Survives reload of this workspace. */
  readonly memory: vscode.Memento;
  readonly secrets: vscode.SecretStorage;
  /** Folder of the bundles. */
  readonly dist: string;
  /** Grammar, task schema, runner and session clients: a bundle of its own, required when first called. */
  engine(): typeof Engine;
}
