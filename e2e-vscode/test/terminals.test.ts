import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { claude } from '../../e2e/src/agents/claude.js';
import { connectClaude } from '../src/mcpAgent.js';
import { startInTerminal } from '../src/terminalAgent.js';
import { useSite } from '../src/vscodeSite.js';

const site = useSite();
const _run = promisify(execFile);

describe('the terminals of a window', () => {
  it('have the variables by which each agent reaches the companion of this window [GEM-19 QWN-19 QWL-19]', async () => {
    const first = await site.current.share();
    const second = await first.another();
    for (const desk of [first, second]) {
      await desk.window.bringToFront();
      const terminal = await desk.window.openTerminal();
      const kinds = ['claude', 'copilot', 'gemini', 'qwen'];
      const endpoints = await Promise.all(kinds.map((kind) => desk.companion.endpoint(kind)));
      const wanted = endpoints.flatMap(({ env }) => Object.entries(env));
      // First all that the companion reports, then the variables that the specifications require.
      const { port } = new URL(endpoints[0]?.url ?? '');
      for (const name of ['GEMINI_CLI_IDE_SERVER_PORT', 'QWEN_CODE_IDE_SERVER_PORT'])
        wanted.push([name, port]);
      expect(Number(endpoints[0]?.env.CLAUDE_CODE_SSE_PORT)).toBe(Number(port));
      const lines = wanted.map(([name, value]) => `[ "$${name}" = '${value}' ] || echo "${name} differs"`);
      const script = await site.current.sandbox.write(
        join(site.current.sandbox.root, 'compare.sh'),
        [...lines, 'echo compared'].join('\n'),
      );
      expect(await terminal.run(`sh '${script}'`)).toBe('compared');
    }
    const [one, other] = [
      await first.companion.endpoint('claude'),
      await second.companion.endpoint('claude'),
    ];
    expect(one.env.CLAUDE_CODE_SSE_PORT).not.toBe(other.env.CLAUDE_CODE_SSE_PORT);
  });
});

describe('Copilot CLI', () => {
  it('finds the window from a subfolder in which a terminal is [COP-15]', async () => {
    const desk = await site.current.share({ 'sub/a.txt': 'one\n' });
    const terminal = await desk.window.openTerminal();
    const announced = async (): Promise<string> => {
      const { discovery } = await desk.companion.endpoint('copilot');
      return (await Promise.all(discovery.map((file) => readFile(file, 'utf8')))).join();
    };
    expect(await announced()).not.toContain(desk.path('sub'));
    await terminal.run(`cd '${desk.path('sub')}'`);
    await expect.poll(announced).toContain(desk.path('sub'));
  });
});

describe('Claude Code', () => {
  it('in a terminal has hooks: what it writes without a question is recorded, and waits once the user wants that', async () => {
    const desk = await site.current.share({ 'hooked.txt': 'one\ntwo\n' });
    const path = desk.path('hooked.txt');
    const { running } = await startInTerminal(desk, claude, undefined, ['--permission-mode', 'acceptEdits']);
    await running.propose(claude.replaceText(path, 'two', 'TWO'));
    await running.waitUntilDone();
    expect(await desk.read('hooked.txt')).toBe('one\nTWO\n');
    // Other tests of the window have changed files, too.
    const changed = await desk.companion.call('changes.list', {});
    expect(changed.filter((file) => file.path === path)).toMatchObject([{ added: 1, removed: 1 }]);

    const { agents } = await desk.companion.status();
    const session = agents.find(({ id }) => id === 'claude')?.sessions.at(-1);
    expect(session).toMatchObject({ hooks: 'follow' });
    await desk.companion.call('session.hooks', { session: session?.id, hooks: 'before' });
    await running.propose(claude.replaceText(path, 'one', 'ONE'));
    const review = await desk.companion.nextReview({ path });
    await desk.window.diff.waitForLine('ONE');
    expect(await desk.read('hooked.txt')).toBe('one\nTWO\n');
    await desk.window.diff.accept.click();
    expect(await desk.companion.outcomeOf(review)).toBe('accepted');
    await running.waitUntilDone();
    expect(await desk.read('hooked.txt')).toBe('ONE\nTWO\n');
  });

  it('receives mentions from the palette, by key and from every menu', async () => {
    const desk = await site.current.share({ 'mentioned.txt': 'one\ntwo\nthree\n' });
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    const mentioned = async () => (await claude.notification('at_mentioned', () => true)).params;
    const file = { filePath: desk.path('mentioned.txt') };
    await desk.openFile('mentioned.txt');
    await window.select(2, 1, 5);
    const lines = { ...file, lineStart: 1, lineEnd: 2 };
    await window.command('Tandem: Mention Selection');
    expect(await mentioned()).toEqual(lines);
    await window.page.keyboard.press('Control+Alt+K');
    expect(await mentioned()).toEqual(lines);
    const { activeGroup } = window;
    await window.chooseFromMenu(activeGroup.locator('.view-line').nth(1), 'Mention Selection');
    expect(await mentioned()).toEqual(lines);

    await window.command('Tandem: Mention File');
    expect(await mentioned()).toEqual(file);
    await window.chooseFromMenu(window.tab('mentioned.txt').first(), 'Mention File');
    expect(await mentioned()).toEqual(file);
    await window.command('View: Show Explorer');
    const explorer = window.page.locator('.explorer-folders-view .monaco-list-row');
    await window.chooseFromMenu(explorer.filter({ hasText: 'mentioned.txt' }), 'Mention File');
    expect(await mentioned()).toEqual(file);
    await activeGroup.locator('.view-line').first().click();
    await window.chooseFromMenu(activeGroup.locator('.view-line').first(), 'Mention File');
    expect(await mentioned()).toEqual(file);
  });
});
