// What is known of sessions: those of this window as they run, and the newest of each task as it lies on disk.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { CandidateState, SessionState } from '../session/fold.js';
import type { SourceFile } from '../../remote-runner/protocol.js';
import type { Gain } from '../report/gain.js';
import type { Editor } from './context.js';
import type { TaskEntry } from './tasks.js';

/** Sessions of one workspace that are looked at for the newest of each task. */
const LOOK_AT = 20;
const MEMORY = 'discarded';

/** What a task's newest session has won, with the texts to show it and, once it is confirmed, to apply it. */
export interface Best extends Gain {
  session: string;
  sources: {
    /** Absolute path. */ file: string;
    /** When the session began. */ original: string;
    text: string;
  }[];
}

export interface Offer extends Gain {
  /** The files hold what the session began with. */
  appliable: boolean;
}

/** A session of this window. */
export interface RunningSession {
  /** What it does now. */
  phase: string;
  stopping: boolean;
  best?: string;
  stop(): Promise<void>;
}

interface Known {
  folder: string;
  state: SessionState;
  /** Driven by some process when it was read. */
  busy: boolean;
  best?: Best;
}

export class Sessions implements vscode.Disposable {
  private readonly known = new Map<string, Known>();
  private readonly looked = new Map<string, Promise<void>>();
  private readonly active = new Map<string, RunningSession>();
  private readonly discarded: Set<string>;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly bestChanged = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  /** The task whose best candidate is another now. */
  readonly onDidChangeBest = this.bestChanged.event;

  constructor(private readonly editor: Editor) {
    this.discarded = new Set(editor.memory.get<string[]>(MEMORY, []));
  }

  /** Finds the newest session of a task on disk, once; resolves when it is known. */
  find(task: TaskEntry): Promise<void> {
    const key = task.uri.toString();
    let look = this.looked.get(key);
    if (!look) {
      look = this.look(task).catch((error: unknown) => {
        this.editor.log.warn(`Sessions of ${task.name}: ${error instanceof Error ? error.message : String(error)}`);
      });
      this.looked.set(key, look);
    }
    return look;
  }

  /** A new state of a session of this window; `better` when its best candidate is another. */
  async update(task: TaskEntry, folder: string, state: SessionState, better: boolean): Promise<void> {
    const before = this.known.get(task.uri.toString());
    const best = before?.folder === folder ? before.best : undefined;
    const known: Known = { folder, state, busy: false, ...(best && { best }) };
    this.known.set(task.uri.toString(), known);
    this.looked.set(task.uri.toString(), Promise.resolve());
    if (better) await this.loadBest(task, known);
    this.publish();
  }

  start(task: vscode.Uri, session: RunningSession): void {
    this.active.set(task.toString(), session);
    this.publish();
  }

  progressed(): void {
    this.changed.fire();
  }

  finish(task: vscode.Uri, session: RunningSession): void {
    if (this.active.get(task.toString()) === session) this.active.delete(task.toString());
    this.publish();
  }

  running(task: vscode.Uri): RunningSession | undefined {
    return this.active.get(task.toString());
  }

  allRunning(): RunningSession[] {
    return [...this.active.values()];
  }

  /** The newest session, if it stopped before its end and may go on. */
  resumable(task: vscode.Uri): { folder: string; evaluations: number; budget: { evaluations: number } } | undefined {
    const known = this.known.get(task.toString());
    if (!known || known.busy || this.active.has(task.toString())) return undefined;
    const { finished, evaluations, budget } = known.state;
    const open = finished === undefined || finished.reason === 'stopped' || finished.reason === 'failed';
    return open && evaluations < budget.evaluations ? { folder: known.folder, evaluations, budget } : undefined;
  }

  /** Best candidate, or one that is not confirmed and looks like it, unless it was discarded. */
  best(task: vscode.Uri): Best | undefined {
    const best = this.known.get(task.toString())?.best;
    return best && !this.discarded.has(nameOf(best)) ? best : undefined;
  }

  /** What a lens offers: nothing where the files hold the best candidate already. */
  offer(task: TaskEntry): Offer | undefined {
    const best = this.best(task.uri);
    if (!best) return undefined;
    const open = new Map(vscode.workspace.textDocuments.map((d) => [d.uri.fsPath, d]));
    const texts = best.sources.map((s) => ({ ...s, present: open.get(s.file)?.getText() ?? s.original }));
    if (texts.every((t) => t.present === t.text)) return undefined;
    const { candidate, confirmed, speedup, emulated } = best;
    return {
      candidate,
      confirmed,
      emulated,
      ...(speedup && { speedup }),
      appliable: texts.every((t) => t.present === t.original),
    };
  }

  discard(best: Best): void {
    this.discarded.add(nameOf(best));
    void this.editor.memory.update(MEMORY, [...this.discarded].slice(-500));
    this.publish();
  }

  dispose(): void {
    this.changed.dispose();
    this.bestChanged.dispose();
  }

  private async look(task: TaskEntry): Promise<void> {
    const { workspaceOf, newestSessions } = this.editor.engine();
    const workspace = workspaceOf(task.uri.fsPath);
    for await (const listing of newestSessions(workspace, LOOK_AT)) {
      if ('error' in listing) continue;
      if (path.resolve(workspace, listing.state.task) !== task.uri.fsPath) continue;
      if (this.known.has(task.uri.toString())) return;
      const known: Known = { folder: listing.folder, state: listing.state, busy: listing.running };
      this.known.set(task.uri.toString(), known);
      await this.loadBest(task, known);
      this.publish();
      return;
    }
  }

  private async loadBest(task: TaskEntry, known: Known): Promise<void> {
    const { candidateOf, gainOf, readCandidate } = this.editor.engine();
    const gain = gainOf(known.state);
    const best = candidateOf(known.state, gain?.candidate);
    if (gain && best) {
      const { original, candidate } = await readCandidate(known.folder, best.commit);
      known.best = { ...gain, session: known.state.session, sources: pairUp(task, original, candidate, best) };
    } else {
      // What looked like a gain was not borne out.
      delete known.best;
    }
    this.bestChanged.fire(task.uri);
  }

  private publish(): void {
    const set = (name: string, value: boolean) => void vscode.commands.executeCommand('setContext', name, value);
    const tasks = [...this.known.keys()].map((t) => vscode.Uri.parse(t));
    set('kernelseek.sessionRunning', this.active.size > 0);
    set(
      'kernelseek.hasBest',
      tasks.some((t) => this.best(t)?.confirmed === true),
    );
    set(
      'kernelseek.canResume',
      tasks.some((t) => this.resumable(t) !== undefined),
    );
    this.changed.fire();
  }
}

/** Names one candidate among all sessions. */
export function nameOf(best: Best): string {
  return `${best.session}/${best.candidate}`;
}

/** Candidate paths are relative to the job's root, which lies at or above the task: a source is known by its tail. */
function pairUp(
  task: TaskEntry,
  original: SourceFile[],
  candidate: SourceFile[],
  state: CandidateState,
): Best['sources'] {
  const plain = (text: string | undefined) => (text ?? '').replace(/^\uFEFF/, '');
  return candidate.map(({ path: relative, text }) => {
    const file = task.sources.find((s) => s.split(path.sep).join('/').endsWith(`/${relative}`));
    if (file === undefined)
      throw new Error(`${relative} of candidate ${state.id} is no source of ${task.name} any more`);
    // An editor keeps a byte order mark out of its texts.
    return { file, original: plain(original.find((o) => o.path === relative)?.text), text: plain(text) };
  });
}
