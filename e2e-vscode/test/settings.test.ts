import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectClaude } from '../src/mcpAgent.js';
import { type Desk, useOwnSite } from '../src/vscodeSite.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const site = useOwnSite();

/** A window on a folder with its own settings. */
function openWith(settings: object, files: Readonly<Record<string, string>>): Promise<Desk> {
  return site.current.open({ ...files, '.vscode/settings.json': JSON.stringify(settings) });
}

describe('a setting', () => {
  it("of the machine moves Claude Code's lock file, and one of a folder does not [CLA-101]", async () => {
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

  it('opens an accepted file behind the active one by default', async () => {
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

  it('of VS Code for previews lets no accepted file replace one', async () => {
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
});
