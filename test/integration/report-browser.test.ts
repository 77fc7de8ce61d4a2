// The report in a real browser, offline: wide, narrow and on paper, light and dark, without a word of complaint.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli } from '../support/cli-process.js';
import { buildDist } from '../support/dist.js';
import { STORY, storySession } from '../support/story-session.js';

const places = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((place) => place !== undefined && existsSync(place));

describe.skipIf(executablePath === undefined)('the report of a session', () => {
  let folder: string;
  let file: string;
  let browser: Browser;
  let removeDist: () => Promise<void>;
  beforeAll(async () => {
    const built = await buildDist();
    removeDist = built.remove;
    folder = await mkdtemp(path.join(os.tmpdir(), 'kernelseek-report-'));
    await storySession(folder);
    const made = await cli(built.dist, folder, ['report', STORY.slice(-8)], { cwd: folder });
    expect(made.stderr).toBe('');
    file = made.stdout.trim();
    browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: ['--no-sandbox'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await removeDist();
    await rm(folder, { recursive: true, force: true });
  });

  const opened = async (width: number, colorScheme: 'light' | 'dark'): Promise<{ page: Page; said: string[] }> => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, offline: true });
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('request', (request) => said.push(...(request.url().startsWith('file:') ? [] : [request.url()])));
    await page.goto(`file://${file}`);
    return { page, said };
  };

  test.each([
    [1100, 'light'],
    [1100, 'dark'],
    [400, 'light'],
  ] as const)('%i px, %s: fits, is styled, asks for nothing', async (width, scheme) => {
    const { page, said } = await opened(width, scheme);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(paper).toBe(scheme === 'dark' ? 'rgb(20, 23, 28)' : 'rgb(255, 255, 255)');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('attention');
    const chart = page.getByRole('img', { name: 'Speedup over the original against evaluations' });
    expect((await chart.boundingBox())?.height).toBeGreaterThan(200);
    expect(said).toEqual([]);
    await page.close();
  });

  test('by keyboard: past the head, and a change opens', async () => {
    const { page } = await opened(1100, 'light');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent')).toMatch(/^Skip to/);
    await page.keyboard.press('Enter');
    expect(page.url()).toMatch(/#gain$/);
    const change = page.locator('#c5-change');
    await change.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await change.locator('.add').first().isVisible()).toBe(true);
    await page.close();
  });

  test('on paper the way to the gain and the winning change are there', async () => {
    const { page } = await opened(720, 'dark');
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByText('Which byte travels twice?').first().isVisible()).toBe(true);
    expect(await page.locator('#result ~ .diff .add').first().isVisible()).toBe(true);
    expect(await page.locator('nav').isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(720);
    await page.close();
  });
});
