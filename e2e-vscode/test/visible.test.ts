import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const pictureFolder = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));
const site = useSite();

const before = `import { readText } from './readText.js';

/** Reads the settings of one user. */
export async function readSettings(path: string) {
  const text = await readText(path);
  return JSON.parse(text);
}

export function isEnabled(settings: any, name: string) {
  return settings[name] == true;
}
`;
const proposed = before
  .replace('path: string)', 'path: string): Promise<Settings>')
  .replace("Text.js';\n", "Text.js';\nimport { type Settings, settingsSchema } from './schema.js';\n")
  .replace('JSON.parse(text)', 'settingsSchema.parse(JSON.parse(text))')
  .replace('settings: any', 'settings: Settings')
  .replace('== true', '=== true');
const schema = `import * as z from 'zod';

export const settingsSchema = z.record(z.string(), z.boolean());
export type Settings = z.infer<typeof settingsSchema>;
`;

describe('the user sees', () => {
  // These are the images of the documentation: see the package's README.
  it('agents, reviews and paused sharing in the status bar, and changes them there', async () => {
    const desk = await site.current.open(
      {
        'src/settings.ts': before,
        'src/readText.ts': 'export declare function readText(path: string): Promise<string>;\n',
        'README.md': '# Settings\n',
        '.vscode/settings.json': JSON.stringify({
          'workbench.colorTheme': 'Default Dark Modern',
          'breadcrumbs.enabled': false,
        }),
      },
      'settings',
    );
    const { window } = desk;
    const { page } = window;
    await page.setViewportSize({ width: 1440, height: 680 });
    await desk.openFile('src/settings.ts');
    const [claude, gemini] = [
      await connectClaude(desk.companion),
      await connectAgent(desk.companion, 'gemini'),
    ];
    const status = window.status;
    await status.filter({ hasText: '2' }).waitFor();
    // VS Code hides it after some seconds. A busy machine may need more than one for the three.
    await Promise.all([
      window
        .notification(/proposes a change to|new proposals are pending/)
        .first()
        .waitFor(),
      gemini.propose(desk.path('README.md'), '# Settings\n\nOne file for each user.\n'),
      claude.propose(desk.path('src/schema.ts'), schema),
      claude.propose(desk.path('src/settings.ts'), proposed),
    ]);
    await status.filter({ hasText: /2\s*3/ }).waitFor();
    await window.showReviews();
    await window.reviewsBadge('3').waitFor();
    await window.command('Notifications: Clear All Notifications');
    await window.treeRow('settings.ts').click();
    await window.diff.waitForLine('settingsSchema.parse');
    await window.diff.line('settingsSchema.parse').click();
    await window.titleButton('Drop This Change').waitFor();
    await takePicture(page, 'review');

    await status.click();
    await window.row('claude-code').first().waitFor();
    await takePicture(page, 'status');
    await window.row('Pause Sharing').first().click();
    await desk.companion.waitForEvent('sharing.paused');
    await status.and(page.locator('[aria-label*="Sharing is paused"]')).waitFor();
    await status.click();
    await window.row('Resume Sharing').first().click();
    await desk.companion.waitForEvent('sharing.resumed');
  });

  it('a walkthrough, a log and the messages of agents', exhaustive, async () => {
    const desk = await site.current.open({ 'a.txt': 'one\n' });
    const { window } = desk;
    await window.command('Tandem: Get Started');
    await window.page.locator('.gettingStartedContainer').filter({ hasText: 'Start an agent' }).waitFor();
    await window.webview.getByText('What each agent needs').waitFor();
    await takePicture(window.page, 'walkthrough');
    await window.page.locator('.getting-started-step').filter({ hasText: 'Review what it changes' }).click();
    const picture = window.webview.getByRole('img', { name: /editable diff/ });
    await expect.poll(() => widthOf(picture)).toBeGreaterThan(0);
    await takePicture(window.page, 'walkthrough-picture');
    // VS Code shows no pictures there but those that it fetches; the release puts them at this address.
    const released =
      /^https:\/\/github\.com\/tandem-companion\/tandem\/raw\/v[\d.]+\/(hosts\/vscode\/media\/\w+\.webp)$/;
    await window.page.context().route(released, async (route) => {
      const [, file = ''] = released.exec(route.request().url()) ?? [];
      await route.fulfill({ path: fileURLToPath(new URL(`../../${file}`, import.meta.url)) });
    });
    await window.command('Extensions: Show Installed Extensions');
    await window.page.locator('.extension-list-item').filter({ hasText: 'Tandem' }).click();
    await window.webview.getByRole('heading', { name: 'Features' }).waitFor();
    const pictures = window.webview.getByRole('img');
    expect(await pictures.count()).toBeGreaterThan(2);
    for (const each of await pictures.all()) await expect.poll(() => widthOf(each)).toBeGreaterThan(0);
    await takePicture(window.page, 'extension-page');
    const claude = await connectClaude(desk.companion);
    const { token } = await desk.companion.endpoint('claude');
    await claude.propose(desk.path('a.txt'), 'content-of-the-proposal\n');
    await window.command('Tandem: Show Messages');
    const output = window.page.locator('.output-view-content, .panel .monaco-editor').first();
    await output.filter({ hasText: 'openDiff' }).waitFor();
    const shown = (await output.textContent()) ?? '';
    expect(shown).not.toContain(token);
    expect(shown).not.toContain('content-of-the-proposal');
    await window.command('Tandem: Show Log');
    await output.filter({ hasText: 'review.opened' }).waitFor();
  });
});

describe('the diagnosis', () => {
  it('shows why an agent does not connect, and removes stale files', exhaustive, async () => {
    const { window, workspace } = await site.current.share();
    const { sandbox } = site.current;
    const { home } = sandbox;
    const permissions = { defaultMode: 'acceptEdits' };
    const ofProject = await sandbox.write(
      join(workspace, '.claude/settings.json'),
      JSON.stringify({ permissions }),
    );
    onTestFinished(() => rm(ofProject));
    const stale = `${home}/.claude/ide/1.lock`;
    // No system has a process with this id.
    const lock = { pid: 2 ** 22 + 1, workspaceFolders: [workspace], ideName: 'Gone', transport: 'ws' };
    await sandbox.write(stale, JSON.stringify(lock));
    await window.command('Tandem: Diagnose');
    const { webview } = window;
    await webview
      .getByRole('heading', { name: 'Warning: Claude Code opens no diffs in its current mode' })
      .waitFor();
    await webview.getByText('claude --permission-mode default').waitFor();
    await webview.getByRole('heading', { name: 'A discovery file is stale' }).waitFor();
    await takePicture(window.page, 'diagnosis');
    const clipboard = (): Promise<string> => window.page.evaluate(() => navigator.clipboard.readText());
    const copies = webview.getByRole('button', { name: 'Copy' });
    await copies.first().click();
    await expect
      .poll(clipboard)
      .toMatch(/^Tandem: Diagnosis\n[\s\S]*Warning: Claude Code opens no diffs in its current mode/);
    await copies.nth(1).click();
    await expect.poll(clipboard).toBe('claude --permission-mode default');
    await window.page.getByRole('button', { name: 'Remove Files' }).click();
    await webview.getByText(`Removed ${stale}`).waitFor();
    expect(existsSync(stale)).toBe(false);
    await webview.getByRole('heading', { name: 'A discovery file is stale' }).waitFor({ state: 'detached' });
  });
});

describe('the installed extension', () => {
  it('has a manifest for users, and the licences of what it bundles', async () => {
    const folder = inject('installedTandem');
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ license: 'Apache-2.0', repository: { directory: 'hosts/vscode' } });
    for (const field of ['devDependencies', 'dependencies', 'scripts', 'private']) {
      expect(manifest).not.toHaveProperty(field);
    }
    const notices = await readFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['react-dom', 'ws', 'zod']) expect(notices).toContain(`${name} `);
    expect((await readdir(folder)).sort()).toEqual(expect.arrayContaining(['LICENSE.txt', 'dist', 'media']));
  });
});

/** The width of a picture as it was loaded; 0 before that, or if it cannot be. */
function widthOf(picture: Locator): Promise<number> {
  return picture.evaluate((image: HTMLImageElement) => image.naturalWidth);
}

/** Takes a screenshot of the window, without tooltips and without progress indicators. */
async function takePicture(page: Page, name: string): Promise<void> {
  const { height = 0 } = page.viewportSize() ?? {};
  await page.mouse.move(420, height - 60);
  await page.locator('.monaco-hover:visible, .workbench-hover:visible').waitFor({ state: 'hidden' });
  await page.locator('.statusbar-item .codicon-modifier-spin').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: `${pictureFolder}${name}.png` });
}
