// Measures how far the original is off by itself and freezes that as the tolerance in a new task file.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Calibration } from '../../remote-runner/protocol.js';
import type { Proposal } from '../task/propose.js';
import type { Editor } from './context.js';
import type { Problems } from './diagnostics.js';
import { offer } from './messages.js';
import { unsavedTexts } from './overlay.js';
import { placesOf } from './problems.js';
import type { Results, Running } from './results.js';
import { calibrationHint } from '../report/original.js';
import type { Runner } from './runner.js';
import { taskSettings } from './settings.js';

export class Tolerance {
  constructor(
    private readonly editor: Editor,
    private readonly results: Results,
    private readonly problems: Problems,
    private readonly runner: Runner,
  ) {}

  /** Runs the original; the file is changed only if nobody has touched it meanwhile. */
  async measure(document: vscode.TextDocument, proposal: Proposal): Promise<void> {
    const abort = new AbortController();
    const running: Running = { phase: 'Measuring tolerance', cancel: () => abort.abort() };
    this.results.start(document.uri, running);
    const { version } = document;
    try {
      const calibration = await this.calibrate(document.uri, abort.signal);
      if (calibration.status !== 'correct') await this.tell(document.uri, calibration);
      else if (document.version === version) await this.freeze(document, proposal, calibration);
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      this.results.finish(document.uri, running);
    }
  }

  private async calibrate(task: vscode.Uri, signal: AbortSignal): Promise<Calibration> {
    const unsaved = unsavedTexts();
    const prepared = await this.editor.engine().prepareOriginal(this.editor.dist, task.fsPath, unsaved);
    const connection = await this.runner.get(signal);
    signal.throwIfAborted();
    const params = { kind: 'calibrate', task: prepared.wire, target: taskSettings(task).target } as const;
    const result = await connection.run(randomUUID(), params, prepared.files, { signal });
    if (result.kind !== 'calibration') throw new Error('the runner answered a calibration with something else');
    return result.calibration;
  }

  private async freeze(document: vscode.TextDocument, proposal: Proposal, calibration: Calibration): Promise<void> {
    const { freezeTolerance, taskText, withTolerances } = this.editor.engine();
    const frozen = freezeTolerance(calibration.outputs);
    for (const warning of frozen.warnings) this.editor.log.warn(warning);
    const { proposal: measured, remarks } = withTolerances(proposal, frozen.tolerances, calibration.target?.name);
    const edit = new vscode.WorkspaceEdit();
    const everything = new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
    edit.replace(document.uri, everything, taskText(measured, remarks));
    if (await vscode.workspace.applyEdit(edit)) await document.save();
  }

  private async tell(task: vscode.Uri, calibration: Calibration): Promise<void> {
    const hint = calibrationHint(calibration);
    const { status } = calibration;
    const message = hint === undefined ? calibration.message : `${calibration.message}: ${hint}`;
    this.editor.log.error(`The tolerance was not measured: ${status}: ${message}`);
    const root = this.editor.engine().workspaceRootOf(task.fsPath);
    await this.problems.set(task, placesOf(calibration, root, task.fsPath));
    offer(`The tolerance was not measured: ${message}`, 'Show Log', () => this.editor.log.show());
  }
}
