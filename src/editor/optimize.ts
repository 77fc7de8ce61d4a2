// Starts, resumes and stops sessions: each a process of its own, followed through its trace.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { gainText } from '../report/gain.js';
import type { SessionState } from '../session/fold.js';
import type { SessionPlace, SessionProgress } from '../session/protocol.js';
import type { SessionClient } from '../session/client.js';
import type { Candidates } from './candidates.js';
import type { Editor } from './context.js';
import type { ModelKey } from './key.js';
import { offer } from './messages.js';
import { presentTexts, unsavedTexts } from './overlay.js';
import type { TaskPicker } from './pick-task.js';
import type { RunningSession, Sessions } from './sessions.js';
import { modelSettings, runnerSettings, taskSettings } from './settings.js';
import type { TaskEntry } from './tasks.js';
import { requireTrust } from './trust.js';
import type { Typing } from './typing.js';

export class Optimize implements vscode.Disposable {
  private readonly clients = new Set<SessionClient>();

  constructor(
    private readonly editor: Editor,
    private readonly sessions: Sessions,
    private readonly candidates: Candidates,
    private readonly picker: TaskPicker,
    private readonly key: ModelKey,
    private readonly typing: Typing,
  ) {}

  register(): vscode.Disposable {
    const command = (name: string, act: (target: unknown) => Promise<void>) =>
      vscode.commands.registerCommand(`kernelseek.${name}`, act);
    return vscode.Disposable.from(
      this,
      command('optimize', async (target) => {
        const task = await this.picker.pickToRun(target);
        if (task) await this.start(task);
      }),
      command('resumeSession', async (target) => {
        const task = await this.picker.pick(target, (t) => this.sessions.resumable(t.uri) !== undefined);
        const stopped = task && this.sessions.resumable(task.uri);
        if (task && stopped) await this.resume(task, stopped.folder);
      }),
      command('stopSession', async (target) => {
        const task = await this.picker.pick(target, (t) => this.sessions.running(t.uri) !== undefined);
        await (task && this.sessions.running(task.uri))?.stop();
      }),
    );
  }

  dispose(): void {
    // A closed pipe is a stop: the best so far is in the trace before the process ends.
    for (const client of this.clients) client.dispose();
  }

  private async start(task: TaskEntry): Promise<void> {
    // Sources always as the editor has them: byte order marks and line ends stay those of the documents.
    const overlay = { ...unsavedTexts(), ...(await presentTexts(task.sources)) };
    const { budget } = taskSettings(task.uri);
    await this.drive(task, async (client) =>
      client.start({ task: task.uri.fsPath, overlay, budget, ...(await this.common(task)) }),
    );
  }

  private async resume(task: TaskEntry, folder: string): Promise<void> {
    const { events } = await this.editor.engine().readTrace(folder);
    const before = this.editor.engine().fold(events);
    await this.drive(task, async (client) => client.resume({ session: folder, ...(await this.common(task)) }), before);
  }

  /** What start and resume are told alike. */
  private async common(task: TaskEntry) {
    const { url, token } = runnerSettings();
    return {
      target: taskSettings(task.uri).target,
      runner: { ...(url !== undefined && { url }), ...(token !== undefined && { token }) },
      model: await this.key.access(),
    };
  }

  private async drive(
    task: TaskEntry,
    begin: (client: SessionClient) => Promise<SessionPlace>,
    before?: SessionState,
  ): Promise<void> {
    if (!(await requireTrust()) || this.sessions.running(task.uri)) return;
    const { log } = this.editor;
    const client = this.makeClient();
    const running: RunningSession = { phase: 'Starting', stopping: false, stop: () => this.stop(client, running) };
    this.sessions.start(task.uri, running);
    try {
      const follower = new Follower(this.editor, this.sessions, task, running, before);
      client.onEvent((event) => follower.event(event));
      client.onProgress((progress) => follower.progress(progress));
      const place = await begin(client);
      log.info(`${task.name}: session ${place.session} in ${place.folder}`);
      follower.placed(place.folder);
      const exit = await client.exited;
      await follower.settled();
      if (exit.message !== undefined) throw new Error(exit.message);
      await this.conclude(task, follower.state);
    } catch (error) {
      this.fail(task, error);
    } finally {
      this.clients.delete(client);
      this.sessions.finish(task.uri, running);
    }
  }

  private makeClient(): SessionClient {
    const env = { ...process.env };
    // They travel through the pipe; whatever they are called here, no child process inherits them.
    delete env[modelSettings().keyVariable];
    delete env[runnerSettings().tokenVariable];
    const client = new (this.editor.engine().SessionClient)({
      bundle: path.join(this.editor.dist, 'session.js'),
      log: (line) => this.editor.log.debug(`session: ${line}`),
      env,
    });
    this.clients.add(client);
    return client;
  }

  private async stop(client: SessionClient, running: RunningSession): Promise<void> {
    running.stopping = true;
    running.phase = 'Stopping';
    this.sessions.progressed();
    await client.stop().catch((error: unknown) => this.editor.log.warn(String(error)));
    void client.close();
  }

  /** The end: a confirmed candidate in a diff, or one sentence why there is none. */
  private async conclude(task: TaskEntry, state: SessionState | undefined): Promise<void> {
    const { log } = this.editor;
    const finished = state?.finished;
    const best = this.sessions.best(task.uri);
    const own = best?.session === state?.session ? best : undefined;
    log.info(`${task.name}: session finished: ${finished?.message ?? 'no reason was given'}`);
    if (finished?.reason === 'failed') {
      this.fail(task, new Error(finished.message));
    } else if (own?.confirmed) {
      // The lens offers it in any case; an editor that opens while she types would swallow her keys.
      if (!this.typing.isRecent()) await this.candidates.show(task, { preserveFocus: true });
    } else {
      const said = own ? `no gain is confirmed; ${gainText(own)}` : 'no faster candidate found';
      void vscode.window.setStatusBarMessage(`$(info) ${task.name}: ${said}`, 10_000);
    }
  }

  private fail(task: TaskEntry, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.editor.log.error(`${task.name}: ${message}`);
    offer(`${task.name}: ${message}`, 'Show Log', () => this.editor.log.show());
  }
}

/** Folds the events of one session into the state that lenses show. */
class Follower {
  private folder: string | undefined;
  private doing: SessionProgress['phase'] | undefined;
  private work = Promise.resolve();

  constructor(
    private readonly editor: Editor,
    private readonly sessions: Sessions,
    private readonly task: TaskEntry,
    private readonly running: RunningSession,
    public state: SessionState | undefined,
  ) {}

  event(event: Parameters<ReturnType<Editor['engine']>['advance']>[1]): void {
    const { advance, bestOf } = this.editor.engine();
    const before = this.state && bestOf(this.state)?.candidate.id;
    this.state = advance(this.state, event);
    const best = bestOf(this.state)?.candidate.id;
    this.describe();
    if (event.type === 'trouble') this.editor.log.warn(`${this.task.name}: ${event.where}: ${event.message}`);
    if (event.type === 'incumbent' || best !== before || event.type === 'finished') this.publish(true);
    else this.sessions.progressed();
  }

  progress({ phase, detail }: SessionProgress): void {
    this.editor.log.debug(`${this.task.name}: ${phase} ${detail}`);
    this.doing = phase;
    this.describe();
    this.sessions.progressed();
  }

  placed(folder: string): void {
    this.folder = folder;
    this.publish(true);
  }

  /** Resolves when everything told so far is shown. */
  settled(): Promise<void> {
    return this.work;
  }

  private describe(): void {
    if (!this.state) return;
    const { sessionText, bestText } = this.editor.engine();
    if (!this.running.stopping) this.running.phase = sessionText(this.state, this.doing);
    const best = bestText(this.state);
    if (best === undefined) delete this.running.best;
    else this.running.best = best;
  }

  /** One after the other: an older best must not come last. */
  private publish(better: boolean): void {
    const { folder, state } = this;
    if (folder === undefined || !state) return;
    this.work = this.work
      .then(() => this.sessions.update(this.task, folder, state, better))
      .catch((error: unknown) => this.editor.log.warn(`${this.task.name}: ${String(error)}`));
  }
}
