// The window's connection to a runner: made on first need, kept, made anew after a loss or another setting.
import type * as vscode from 'vscode';
import type { RunnerConnection } from '../runner/types.js';
import type { Editor } from './context.js';
import { onSettingsChange, runnerSettings } from './settings.js';

export class Runner implements vscode.Disposable {
  private connection: Promise<RunnerConnection> | undefined;
  private readonly settings = onSettingsChange('runner', () => void this.close());

  constructor(private readonly editor: Editor) {}

  /**
   * The connection; starts a local runner when the settings name none.
   * @param signal of the command that waits: the attempt goes on for others
   * @throws RunnerError that says what to do
   */
  async get(signal: AbortSignal): Promise<RunnerConnection> {
    signal.throwIfAborted();
    let giveUp: (() => void) | undefined;
    const abandoned = new Promise<never>((_, reject) => {
      giveUp = () => reject(signal.reason as Error);
      signal.addEventListener('abort', giveUp, { once: true });
    });
    try {
      return await Promise.race([this.current(), abandoned]);
    } finally {
      if (giveUp) signal.removeEventListener('abort', giveUp);
    }
  }

  private current(): Promise<RunnerConnection> {
    if (!this.connection) {
      const attempt = this.connect();
      this.connection = attempt;
      // A failed attempt must not answer the next command.
      attempt.catch(() => this.forget(attempt));
    }
    return this.connection;
  }

  /** After a loss: the next command connects anew. */
  drop(): void {
    void this.close();
  }

  /** Ends the local runner, if one was started. */
  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    // It may never have come to a connection.
    const open = await connection?.catch(() => undefined);
    await open?.close();
  }

  dispose(): void {
    this.settings.dispose();
  }

  private async connect(): Promise<RunnerConnection> {
    const { url, token } = runnerSettings();
    const { log } = this.editor;
    const connection = await this.editor
      .engine()
      .connect(this.editor.dist, { ...(url !== undefined && { url }), ...(token !== undefined && { token }) }, (line) =>
        log.info(`runner: ${line}`),
      );
    const { runner, targets, missing } = connection.about;
    log.info(`Connected to ${runner.name} ${runner.version} at ${connection.address}`);
    for (const t of targets) log.info(`  target: ${t.name} (${t.compiler})`);
    for (const m of missing) log.info(`  no ${m.kind} target: ${m.reason}`);
    return connection;
  }

  private forget(attempt: Promise<RunnerConnection>): void {
    if (this.connection === attempt) this.connection = undefined;
  }
}
