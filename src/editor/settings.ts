// Reads KernelSeek's settings; one place knows their names.
import * as vscode from 'vscode';
import type { TargetChoice } from '../../remote-runner/protocol.js';

const SECTION = 'kernelseek';

export interface Settings {
  target: TargetChoice;
  budget: { evaluations: number; minutes: number };
}

/** What a task is evaluated with; may differ between workspace folders. */
export function taskSettings(scope: vscode.Uri): Settings {
  const config = vscode.workspace.getConfiguration(SECTION, scope);
  return {
    target: config.get<TargetChoice>('target', 'auto'),
    budget: { evaluations: config.get('budget.evaluations', 40), minutes: config.get('budget.minutes', 15) },
  };
}

/** Where the runner is. The token is read from the environment, never from a setting. */
export function runnerSettings(): { url?: string; token?: string; tokenVariable: string } {
  const config = vscode.workspace.getConfiguration(SECTION);
  const url = config.get('runner.url', '').trim();
  const tokenVariable = config.get('runner.tokenEnvironmentVariable', 'KERNELSEEK_RUNNER_TOKEN');
  if (url === '') return { tokenVariable };
  const token = process.env[tokenVariable];
  return { url, tokenVariable, ...(token !== undefined && token !== '' && { token }) };
}

export interface ModelSettings {
  baseUrl: string;
  name?: string;
  keyVariable: string;
  /** The variable was chosen by the user, not left at its default. */
  keyVariableChosen: boolean;
}

/** The model's endpoint and where its key may come from. */
export function modelSettings(): ModelSettings {
  const config = vscode.workspace.getConfiguration(SECTION);
  const variable = config.inspect<string>('model.keyEnvironmentVariable');
  const chosen = variable?.globalValue;
  const name = config.get('model.name', '').trim();
  return {
    baseUrl: config.get('model.baseUrl', '').trim(),
    ...(name !== '' && { name }),
    keyVariable: chosen ?? variable?.defaultValue ?? 'ANTHROPIC_API_KEY',
    keyVariableChosen: chosen !== undefined,
  };
}

/** Calls back when a setting below `prefix` changes. */
export function onSettingsChange(prefix: string, changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((e) => {
    if (e.affectsConfiguration(`${SECTION}.${prefix}`)) changed();
  });
}
