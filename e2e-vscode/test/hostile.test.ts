import { existsSync } from 'node:fs';
import { rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Dialog, Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CompanionClient, geminiManner } from '../../packages/agents/test/support/companionClient.js';
import { exhaustive } from '../../test/exhaustive.js';
import { ChatFrame } from '../src/chatFrame.js';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { type Desk, useSite } from '../src/vscodeSite.js';

/** Content of a repository that could control or mislead a user who opens it in a trusted window. */
const pictures = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));
const site = useSite();

const link = '[run](command:tandem.pauseSharing).txt';
const icons = '$(bell) $(warning).txt';
const names = [
  link,
  icons,
  '<img src=x onerror=alert(1)>.txt',
  '<a href="command:tandem.pauseSharing">b</a>.txt'.replace('/', '\u2215'),
  'two\nlines.txt',
  'invoice\u202etxt.exe',
  '100%25 #part?query=1&b.txt',
  'command:tandem.pauseSharing',
  `${'long'.repeat(60)}.txt`,
];
/** How these names must be shown. */
const shown = (name: string): string => name.replace('\n', '\u240a').replace('\u202e', '\u27e8202E\u27e9');

/** Fails the test if a part of a name was rendered as more than text. */
async function expectNothingActive(page: Page): Promise<void> {
  const found = await page.evaluate(() => {
    const own = '.notifications-toasts, .pane-body, .quick-input-widget, .monaco-hover';
    const ours = `${own}, .tabs-container, .statusbar`;
    const active = 'a[href*="pauseSharing"], a[data-href*="pauseSharing"], img[src="x"], .codicon-bell';
    const misled = [...document.querySelectorAll(own)]
      .map(({ textContent }) => textContent ?? '')
      .filter((text) => /[\u202a-\u202e\u2066-\u2069]/.test(text));
    return [...document.querySelectorAll(ours)]
      .flatMap((part) => [...part.querySelectorAll(active)])
      .filter((each) => each.closest('#status\\.notifications') === null)
      .map((each) => each.outerHTML.slice(0, 200))
      .concat(misled);
  });
  expect(found).toEqual([]);
}

/** Opens a file with a command of another extension, and waits until the window shows it. */
async function look(desk: Desk, name: string): Promise<void> {
  await desk.companion.call('focus', { path: desk.path(name) });
}

describe('the names of files', () => {
  it('are shown as text everywhere: no link, no icon, no markup, no other direction', async () => {
    const desk = await site.current.share(Object.fromEntries(names.map((name) => [name, 'one\n'])));
    const { window, companion } = desk;
    const { page } = window;
    const refuse = (dialog: Dialog): never => {
      throw new Error(`a script ran: ${dialog.message()}`);
    };
    page.on('dialog', refuse);
    onTestFinished(() => void page.off('dialog', refuse));
    const gemini = await connectAgent(companion, 'gemini');
    await window.showReviews();
    const proposals = [];
    for (const name of names) proposals.push(await gemini.propose(desk.path(name), 'two\n'));
    await window.reviewsBadge(String(names.length)).waitFor();
    // The list, which draws only visible rows, and the tooltip of a row.
    for (const name of names.slice(0, 6)) {
      await window.treeRow(shown(name).slice(0, 40)).first().waitFor();
    }
    await window.hover(window.treeRow(link).first(), link);
    await expectNothingActive(page);
    await page.screenshot({ path: `${pictures}hostile-tree.png` });
    // The quick picks.
    await window.status.hover();
    await expectNothingActive(page);
    await window.status.click();
    for (const name of [link, icons]) await window.row(name).first().waitFor();
    await expectNothingActive(page);
    await page.screenshot({ path: `${pictures}hostile-status.png` });
    await page.keyboard.press('Escape');

    // A notification that names them; VS Code would render `[text](command:name)` as a link.
    for (const [name, words] of [
      [link, '[run] (command:tandem.pauseSharing).txt: This file changed on disk'],
      [icons, `${icons}: This file changed on disk`],
    ] as const) {
      await window.treeRow(name.slice(0, 12)).first().click();
      await window.diff.waitForLine('two');
      await writeFile(desk.path(name), 'three\n');
      const notification = window.notification(words);
      await notification.waitFor();
      await expectNothingActive(page);
      expect(await notification.locator('.notification-list-item-message a').count()).toBe(0);
      await notification.locator('.notification-list-item-message').click();
    }
    await page.screenshot({ path: `${pictures}hostile-notifications.png` });
    expect((await companion.status()).sharing.isPaused).toBe(false);

    // They are decided like all others, and agents receive the exact names.
    for (const [at, name] of names.entries()) {
      await companion.call('review.accept', { id: proposals[at]?.id ?? '', overwrites: true });
      expect(await proposals[at]?.answer(), name).toEqual({ kind: 'accepted', content: 'two\n' });
    }
    for (const name of names) {
      await look(desk, name);
      await gemini.notification('ide/contextUpdate', ({ params }) => {
        const [first] = params.workspaceState.openFiles;
        return first?.path === desk.path(name) && first.isActive === true;
      });
      await expectNothingActive(page);
    }
  });
});

describe('the name that an agent gives to its diff', () => {
  it('is shown as text on the tab, after file and agent [CLA-100]', async () => {
    const desk = await site.current.share({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' });
    const { window, companion } = desk;
    const claude = await connectClaude(companion);
    const tabs = {
      'a.txt': '✻ [Claude Code] a.txt (a1b2c3) ⧉',
      'b.txt': `${icons} <img src=x onerror=alert(1)>\n\u202e`,
      'c.txt': `${link}${'long'.repeat(100_000)}`,
    };
    const calls = Object.entries(tabs).map(([name, tab]) =>
      claude.client.beginOpenDiff(desk.path(name), 'two\n', tab),
    );
    await window.reviewsBadge('3').waitFor();
    await window.tab('a.txt (change by Claude Code)').waitFor();
    await window
      .tab(`b.txt (change by Claude Code) · ${icons} <img src=x onerror=alert(1)>\u240a\u27e8202E\u27e9`)
      .waitFor();
    await window.tab(`c.txt (change by Claude Code) · ${link}${'long'.repeat(5)}l…`).waitFor();
    await expectNothingActive(window.page);
    await window.page.screenshot({ path: `${pictures}hostile-tabs.png` });
    for (const [at, tab_name] of Object.values(tabs).entries()) {
      expect(await claude.call('close_tab', { tab_name })).toEqual(['OK']);
      expect((await claude.client.answer(calls[at] ?? 0)).result.isError).toBe(true);
    }
    await window.tab('change by').first().waitFor({ state: 'detached' });
  });
});

describe('links that lead out of the workspace', () => {
  it('share nothing that the policy hides, and a review shows that it writes outside the workspace', async () => {
    const { sandbox } = site.current;
    const secret = 'API_KEY=outside-secret';
    await sandbox.write(join(sandbox.root, 'outside/.env'), `${secret}\n`);
    await sandbox.write(join(sandbox.root, 'outside/keys/id_rsa'), `${secret}\n`);
    await sandbox.write(join(sandbox.root, 'outside/keys/plain.txt'), 'outside-plain\n');
    const desk = await site.current.share({ 'a.txt': 'a\n' });
    await symlink(join(sandbox.root, 'outside/.env'), desk.path('notes.txt'));
    await symlink(join(sandbox.root, 'outside/keys'), desk.path('docs'));
    await symlink('loop', desk.path('loop'));
    const { window, companion } = desk;
    const [gemini, claude] = [await connectAgent(companion, 'gemini'), await connectClaude(companion)];
    const listening = await CompanionClient.connect(await companion.endpoint('gemini'), geminiManner);
    onTestFinished(() => listening.hangUp());
    for (const [at, name] of ['notes.txt', 'docs/id_rsa'].entries()) {
      await look(desk, name);
      await window.command('Select All');
      await expect.poll(async () => (await companion.status()).sharing.heldBack?.path).toBe(desk.path(name));
      expect(await claude.json('getCurrentSelection')).toMatchObject({ success: false });
      // A later event arrives, so this one would have arrived too.
      await look(desk, 'a.txt');
      await window.select(1, 1, 1);
      await gemini.notification('ide/contextUpdate', ({ params }) =>
        params.workspaceState.openFiles.some(
          (file: { path: string; selectedText?: string }) =>
            file.path === desk.path('a.txt') && (at > 0 || file.selectedText === 'a'),
        ),
      );
    }
    const received = JSON.stringify([listening.received, (await claude.call('getOpenEditors')).join()]);
    for (const word of ['outside-secret', 'id_rsa', 'notes.txt', '.env'])
      expect(received).not.toContain(word);
    await gemini.propose(desk.path('docs/plain.txt'), 'changed\n');
    await window.command('Tandem: Show Review');
    await window.diff.waitForLine('changed');
    await window.diff.warnings.filter({ hasText: 'outside the workspace folders' }).waitFor();
  });
});

describe('enormous files and ignore files', () => {
  it('stop nothing', exhaustive, async () => {
    const name = `${'a'.repeat(200)}.txt`;
    const desk = await site.current.open({
      [name]: 'one\n',
      '.geminiignore': `${'*a'.repeat(20)}*b\n`.repeat(100),
      '.gitignore': `${'**/a*'.repeat(20)}b\n`.repeat(100),
      'huge.txt': '',
    });
    await truncate(desk.path('huge.txt'), 80 * 1024 * 1024);
    const gemini = await connectAgent(desk.companion, 'gemini');
    await expect(gemini.propose(desk.path('huge.txt'), 'x\n')).rejects.toThrow('the limit is');
    await look(desk, name);
    await gemini.notification('ide/contextUpdate', ({ params }) =>
      params.workspaceState.openFiles.some((file: { path: string }) => file.path === desk.path(name)),
    );
    const proposed = await gemini.propose(desk.path(name), 'two\n');
    await desk.window.tab('(change by').click();
    await desk.window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: 'two\n' });
  });
});

describe('the settings of a trusted folder', () => {
  it('choose no program that runs, and no address that the chat connects to', async () => {
    const { sandbox } = site.current;
    const connections: unknown[] = [];
    const listener = createServer((socket) => {
      connections.push(socket.remoteAddress);
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => void listener.close(() => resolve())));
    const address = listener.address();
    const port = typeof address === 'object' ? address?.port : 0;
    // The machine's versions of these programs.
    const qwen = await sandbox.write(`${sandbox.bin}/qwen`, '#!/bin/sh\necho "qwen was given ($*)"\n', 0o755);
    onTestFinished(() => rm(qwen));
    const started = join(sandbox.root, 'started-by-the-folder');
    const starter = `require('node:fs').writeFileSync(${JSON.stringify(started)}, '')`;
    const desk = await site.current.open({
      '.vscode/settings.json': JSON.stringify({
        'tandem.startCommands': { qwen: `touch ${started}` },
        'tandem.daemon.command': [process.execPath, '-e', starter],
        'tandem.daemon.url': `http://127.0.0.1:${port}`,
      }),
    });
    const { window } = desk;
    expect((await desk.companion.status()).isTrusted).toBe(true);
    await window.command('Tandem: Start Qwen Code in a Terminal');
    await window.page
      .locator('.terminal-wrapper.active .xterm-rows')
      .filter({ hasText: 'qwen was given (--approval-mode default)' })
      .waitFor();
    const chat = await ChatFrame.open(window);
    // It offers to start or to connect, because it knows no address.
    await chat.inside.getByRole('button', { name: 'Start a daemon for this folder' }).click();
    await chat.inside.getByRole('alert').waitFor();
    expect(existsSync(started)).toBe(false);
    expect(connections).toEqual([]);
  });
});
