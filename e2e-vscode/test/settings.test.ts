import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CompanionWatch } from '../src/companionWatch.js';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { type Desk, useSite } from '../src/vscodeSite.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const site = useSite();

/** A window on a folder that has settings of its own. */
function openWith(settings: object, files: Readonly<Record<string, string>>): Promise<Desk> {
  return site.current.open({ ...files, '.vscode/settings.json': JSON.stringify(settings) });
}

/** The agents that the companion of the folder serves now, which may not be the one that it was. */
async function kindsServed({ folder }: Desk): Promise<string[]> {
  const companion = await CompanionWatch.find(site.current.sandbox, folder);
  try {
    const { agents } = await companion.status();
    return agents.map(({ id }) => id).sort();
  } finally {
    companion.dispose();
  }
}

/** Files that hold their names, of which git ignores one. */
function namedFiles(names: readonly string[]): Record<string, string> {
  return { ...Object.fromEntries(names.map((name) => [name, `${name}\n`])), '.gitignore': 'ignored.txt\n' };
}

/** Opens all these files, and gives what tells which of them an agent hears of. */
async function openAll(desk: Desk, names: readonly string[]): Promise<() => Promise<string[]>> {
  const claude = await connectClaude(desk.companion);
  for (const name of names) {
    await desk.openFile(name);
    await desk.window.command('View: Keep Editor');
  }
  return async () => {
    const { tabs } = await claude.json('getOpenEditors');
    return tabs.map(({ label }: { label: string }) => label).sort();
  };
}

describe('a setting', () => {
  it('says which agents are served, also while the window is open', async () => {
    const desk = await openWith({ 'tandem.agents.qwen': false }, { 'a.txt': BEFORE });
    expect(await kindsServed(desk)).toEqual(['claude', 'gemini']);
    const terminal = await desk.window.openTerminal();
    expect(await terminal.run('env | grep -c "^QWEN"')).toBe('0');
    await desk.put('.vscode/settings.json', JSON.stringify({ 'tandem.agents.claude': false }));
    await expect.poll(() => kindsServed(desk)).toEqual(['gemini', 'qwen']);
  });

  it('of a folder holds back more: by name, what git ignores, and everything from the start', async () => {
    const desk = await openWith(
      {
        'tandem.sharing.startPaused': true,
        'tandem.sharing.respectGitignore': true,
        'tandem.sharing.denyList': ['private-*', '!.env'],
      },
      namedFiles(['plain.txt', '.env', 'private-a.txt', 'ignored.txt']),
    );
    const told = await openAll(desk, ['plain.txt', '.env', 'private-a.txt', 'ignored.txt']);
    expect(await told()).toEqual([]);
    await desk.window.command('Tandem: Resume Sharing');
    await expect.poll(told).toEqual(['plain.txt']);
  });

  it('of the person holds back, and allows, whatever a folder says', async () => {
    const names = ['plain.txt', '.env', 'private-a.txt', 'ignored.txt'];
    await site.current.server.putSettings({
      'tandem.sharing.startPaused': true,
      'tandem.sharing.respectGitignore': true,
      'tandem.sharing.denyList': ['private-*', '!.env'],
    });
    onTestFinished(() => site.current.server.putSettings({}));
    const desk = await openWith(
      {
        'tandem.sharing.startPaused': false,
        'tandem.sharing.respectGitignore': false,
        'tandem.sharing.denyList': ['!private-*', '.env'],
      },
      namedFiles(names),
    );
    const told = await openAll(desk, names);
    expect(await told()).toEqual([]);
    await desk.window.command('Tandem: Resume Sharing');
    await expect.poll(told).toEqual(['.env', 'plain.txt']);
  });

  it("of the machine put Claude Code's lock file elsewhere, and those of a folder do not [CLA-101]", async () => {
    const { sandbox, server } = site.current;
    const [mine, theirs] = [join(sandbox.root, 'mine'), join(sandbox.root, 'theirs')];
    await server.putMachineSettings({ 'tandem.claudeConfigDir': mine });
    onTestFinished(() => server.putMachineSettings({}));
    const desk = await openWith({ 'tandem.claudeConfigDir': theirs }, { 'a.txt': BEFORE });
    const { discovery, env } = await desk.companion.endpoint('claude');
    expect(discovery).toEqual([expect.stringMatching(/\/mine\/ide\/\d+\.lock$/)]);
    expect(existsSync(discovery[0] ?? '')).toBe(true);
    expect(env.CLAUDE_CONFIG_DIR).toBe(mine);
    expect(existsSync(theirs)).toBe(false);
  });

  it('makes closing a diff keep the change waiting', async () => {
    const desk = await openWith({ 'tandem.reviews.whenClosed': 'keep' }, { 'a.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.diff.appendToLine('TWO', '!');
    await window.pause();
    await window.closeTab('change by');
    await window.tab('change by').waitFor({ state: 'detached' });
    await window.command('Tandem: Show Review');
    await window.diff.waitForLine('TWO!');
    expect(await window.dialog().count()).toBe(0);
    await window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED.replace('TWO', 'TWO!') });
  });

  it('makes closing a diff ask, and leaves accepted files closed', async () => {
    const desk = await openWith(
      { 'tandem.reviews.whenClosed': 'ask', 'tandem.reviews.openAccepted': false },
      { 'a.txt': BEFORE, 'barrier.txt': BEFORE },
    );
    const gemini = await connectAgent(desk.companion, 'gemini');
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    await desk.openFile('barrier.txt');
    const proposed = await gemini.propose(desk.path('a.txt'), PROPOSED);
    await window.tab('change by').click();
    await window.diff.waitForLine('TWO');
    await window.closeTab('change by');
    await window
      .dialog('Accept or reject the change')
      .getByRole('button', { name: 'Accept', exact: true })
      .click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED });
    // The editor is told of both files by the same watcher, one after the other.
    await writeFile(desk.path('a.txt'), PROPOSED);
    await writeFile(desk.path('barrier.txt'), PROPOSED);
    await window.activeGroup.locator('.view-line').filter({ hasText: 'TWO' }).waitFor();
    const { tabs } = await claude.json('getOpenEditors');
    expect(tabs.map(({ label }: { label: string }) => label)).toEqual(['barrier.txt']);
  });

  it('of the usual kind opens a file that was accepted behind the one in front', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE, 'front.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    await desk.openFile('front.txt');
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.tab('change by').click();
    await window.diff.waitForLine('TWO');
    await window.diff.accept.click();
    await proposed.answer();
    await window.tab('change by').waitFor({ state: 'detached' });
    await writeFile(desk.path('a.txt'), PROPOSED);
    await window.tab('a.txt').waitFor();
    expect(await window.activeTab.textContent()).toContain('front.txt');
  });

  it('of VS Code that opens previews lets no accepted file take the place of one', async () => {
    const desk = await openWith(
      { 'workbench.editor.enablePreviewFromQuickOpen': true },
      { 'a.txt': BEFORE, 'front.txt': BEFORE },
    );
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.diff.waitForLine('TWO');
    await desk.openFile('front.txt');
    await window.activeTab.locator('.label-name.italic, .italic .label-name').first().waitFor();
    await window.command('Tandem: Accept All Changes of an Agent');
    await proposed.answer();
    await window.tab('change by').waitFor({ state: 'detached' });
    await writeFile(desk.path('a.txt'), PROPOSED);
    await window.tab('a.txt').waitFor();
    expect(await window.activeTab.textContent()).toContain('front.txt');
  });

  it('of VS Code has commands in diffs, and without it there are notes in their place', async () => {
    const desk = await openWith({}, { 'a.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const { diff } = desk.window;
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED.trimEnd());
    await diff.waitForLine('TWO');
    const note = 'Removes the newline at the end';
    await diff.waitForNote(note);
    expect(await diff.lenses.count()).toBe(0);
    await desk.put('.vscode/settings.json', JSON.stringify({ 'diffEditor.codeLens': true }));
    await diff.lenses.filter({ hasText: note }).first().waitFor();
    await diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED.trimEnd() });
  });
});
