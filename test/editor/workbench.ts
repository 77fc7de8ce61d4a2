// A person at VS Code: opens folders and files, clicks lenses, types, reads problems. Selectors live here only.
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';

const here = path.dirname(fileURLToPath(import.meta.url));
const screenshots = path.join(here, 'screenshots');

function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run these tests with npm run test:editor`);
  return value;
}

/** A browser for the tests of one file; closed after them, photographed when one fails. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    browser = await chromium.launch({
      executablePath: environment('KERNELSEEK_CHROMIUM'),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterEach(async ({ task }) => {
    const pages = browser?.contexts().flatMap((c) => c.pages()) ?? [];
    for (const page of pages) {
      if (task.result?.state === 'fail') await page.screenshot({ path: path.join(screenshots, 'failed.png') });
      await page.close();
    }
  });
  afterAll(async () => {
    await browser?.close();
  });
  return () => {
    if (!browser) throw new Error('the browser is there only while tests run');
    return browser;
  };
}

/** Where the server keeps its profile. */
export function editorFolder(): string {
  return environment('KERNELSEEK_EDITOR_FOLDER');
}

/** A fresh folder with a copy of each sample and, unless told otherwise, its task. */
export function makeWorkspace(name: string, samples: string[], { tasks = true } = {}): string {
  const parent = path.join(editorFolder(), 'workspaces');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, `${name}-`));
  for (const file of samples.flatMap((s) => (tasks ? [`${s}.cu`, `${s}.task.json`] : [`${s}.cu`]))) {
    cpSync(path.join(here, 'workspace', file), path.join(folder, file));
  }
  return folder;
}

export class Workbench {
  private constructor(readonly page: Page) {}

  /** Opens a folder with one of its files; new folders are not trusted until one says so. */
  static async open(browser: Browser, folder: string, file: string, trust: boolean): Promise<Workbench> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    // Two cores may be busy with other things.
    page.setDefaultTimeout(45_000);
    const workbench = new Workbench(page);
    await workbench.goto(folder, file);
    await page.locator('.part.banner', { hasText: 'Restricted Mode' }).waitFor();
    if (trust) await workbench.trust();
    return workbench;
  }

  /** Trusts the folder through the banner, as the person would. */
  async trust(): Promise<void> {
    await this.page.locator('.part.banner a', { hasText: 'Manage' }).click();
    await this.page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).click();
    await this.page.locator('.part.banner', { hasText: 'Restricted Mode' }).waitFor({ state: 'hidden' });
    // The trust editor lies over everything else.
    await this.page.locator('.workspace-trust-editor').press('Escape');
    await this.page.locator('.workspace-trust-editor').waitFor({ state: 'hidden' });
  }

  async goto(folder: string, file: string): Promise<void> {
    const url = environment('KERNELSEEK_EDITOR_URL');
    const remote = url.replace('http://', 'vscode-remote://');
    const payload = JSON.stringify([['openFile', `${remote}${path.join(folder, file)}`]]);
    await this.page.goto(`${url}/?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(payload)}`);
    await this.page.locator('.editor-container .monaco-editor .view-line').first().waitFor();
  }

  lens(text: string | RegExp): Locator {
    return this.page.locator('.codelens-decoration a, .codelens-decoration span', { hasText: text }).first();
  }

  /** Clicks a lens; one that is redrawn in between is found again. */
  async clickLens(text: string | RegExp): Promise<void> {
    await this.page.locator('.codelens-decoration a', { hasText: text }).first().click();
  }

  /** All lenses that are on screen, as one reads them. */
  async lenses(): Promise<string[]> {
    return (await this.page.locator('.codelens-decoration').allInnerTexts()).map((t) => t.replaceAll('\u00a0', ' '));
  }

  /** Runs a command from the palette, by its title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget input').fill(`>${title}`);
    await this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Titles that the palette offers for `text`. */
  async palette(text: string): Promise<string[]> {
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget input').fill(`>${text}`);
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    // The list fills in two steps: commands by title, then those that are similar.
    await this.page.waitForTimeout(500);
    const rows = await this.page.locator('.quick-input-list .monaco-list-row').all();
    const labels = await Promise.all(rows.map((r) => r.getAttribute('aria-label')));
    await this.page.keyboard.press('Escape');
    return labels.filter((l) => l !== null);
  }

  async focusEditor(): Promise<void> {
    await this.page
      .locator('.editor-container .monaco-editor .view-lines')
      .last()
      .click({ position: { x: 200, y: 5 } });
  }

  /** Selects the first `text` in the file and types over it. */
  async replace(text: string, by: string): Promise<void> {
    await this.focusEditor();
    await this.page.keyboard.press('Control+Home');
    await this.page.keyboard.press('Control+f');
    const find = this.page.locator('.find-widget.visible textarea').first();
    await find.fill(text);
    await this.page.locator('.find-widget .matchesCount', { hasText: / of / }).waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.keyboard.press('Escape');
    await this.page.keyboard.type(by);
  }

  async undo(): Promise<void> {
    await this.page.keyboard.press('Control+z');
  }

  /** Undoes what was typed: VS Code groups keystrokes as it likes. */
  async undoUntil(text: RegExp): Promise<void> {
    for (let steps = 0; steps < 20 && !text.test(await this.text()); steps += 1) await this.undo();
  }

  /** A line of the file on screen. */
  line(text: string): Locator {
    return this.page.locator('.editor-container .monaco-editor .view-line', { hasText: text }).first();
  }

  /** What of the file is on screen. */
  async text(): Promise<string> {
    const lines = await this.page.locator('.editor-container .monaco-editor .view-line').allInnerTexts();
    return lines.join('\n').replaceAll('\u00a0', ' ');
  }

  status(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item', { hasText: text }).first();
  }

  async openProblems(): Promise<void> {
    await this.command('View: Focus Problems');
    await this.page.locator('.markers-panel').waitFor();
  }

  problem(text: string | RegExp): Locator {
    return this.page.locator('.markers-panel .monaco-list-row', { hasText: text }).first();
  }

  /** For the eye: test/editor/screenshots/NAME.png, not part of the repository. */
  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: path.join(screenshots, `${name}.png`) });
  }
}
