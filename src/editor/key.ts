// The model's key: kept in SecretStorage under the origin it may be sent to, set and cleared by command.
import * as vscode from 'vscode';
import type { Editor } from './context.js';
import type { Endpoint } from './model-endpoint.js';
import { endpointOf, environmentKey } from './model-endpoint.js';
import { modelSettings } from './settings.js';

/** What a session is told about its model; without a key it searches instead. */
export interface ModelAccess {
  key?: string;
  baseUrl: string;
  name?: string;
}

export class ModelKey {
  constructor(private readonly editor: Editor) {}

  /**
   * The endpoint of the settings with the key stored for its origin, else the environment's.
   * @throws Error when the configured address is none
   */
  async access(): Promise<ModelAccess> {
    const settings = modelSettings();
    const endpoint = endpointOf(settings.baseUrl, process.env);
    const key =
      (await this.stored(endpoint)) ??
      environmentKey(endpoint, { name: settings.keyVariable, chosen: settings.keyVariableChosen }, process.env);
    return {
      baseUrl: endpoint.baseUrl,
      ...(key !== undefined && { key }),
      ...(settings.name !== undefined && { name: settings.name }),
    };
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand('kernelseek.setModelKey', () => this.set()),
      vscode.commands.registerCommand('kernelseek.clearModelKey', () => this.clear()),
    );
  }

  private async set(): Promise<void> {
    const { origin } = endpointOf(modelSettings().baseUrl, process.env);
    const key = await vscode.window.showInputBox({
      title: 'KernelSeek: Set Model Key',
      prompt: `Sent to ${origin} only, kept in the secret storage of VS Code.`,
      placeHolder: 'Key',
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) => (/\s/.test(text.trim()) ? 'A key has no white space in it.' : undefined),
    });
    if (key === undefined || key.trim() === '') return;
    await this.editor.secrets.store(secretName(origin), key.trim());
    vscode.window.setStatusBarMessage(`$(key) Key for ${origin} is set`, 5000);
  }

  private async clear(): Promise<void> {
    const { origin } = endpointOf(modelSettings().baseUrl, process.env);
    await this.editor.secrets.delete(secretName(origin));
    vscode.window.setStatusBarMessage(`$(key) Key for ${origin} is cleared`, 5000);
  }

  private stored(endpoint: Endpoint): Thenable<string | undefined> {
    return this.editor.secrets.get(secretName(endpoint.origin));
  }
}

function secretName(origin: string): string {
  return `model-key:${origin}`;
}
