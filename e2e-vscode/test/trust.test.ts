import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ChatFrame } from '../src/chatFrame.js';
import { connectAgent } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

/** An extension that has nothing of Claude Code's own companion but its name. */
const official = fileURLToPath(new URL('../officialCompanion', import.meta.url));

const pictures = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));

const site = useSite({
  extensions: [official],
  settings: {
    'security.workspace.trust.enabled': true,
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
  },
});

describe("beside an agent's own companion", () => {
  it('says once that there are two, and leaves the agent to the other if the person wants that', async () => {
    // The first window of this home: it is said once.
    const desk = await site.current.open({ 'a.txt': 'a\n' });
    const hint = desk.window.notification('own companion of Claude Code');
    await hint.waitFor();
    await hint.getByRole('button', { name: 'Leave It to That' }).click();
    await expect
      .poll(async () => JSON.parse(await site.current.server.readSettings())['tandem.agents.claude'])
      .toBe(false);
    const other = await site.current.open({ 'a.txt': 'a\n' });
    const { agents } = await other.companion.status();
    expect(agents.map(({ id }) => id).sort()).toEqual(['gemini', 'qwen']);
    expect(await other.window.notification('own companion').count()).toBe(0);
  });
});

describe('in a workspace that is not trusted', () => {
  it('agents are told so and nothing is started for it, until the person trusts it', async () => {
    const desk = await site.current.open({
      'a.txt': 'a\n',
      'private.txt': 'p\n',
      // What a workspace wants counts only when it is trusted.
      '.vscode/settings.json': JSON.stringify({ 'tandem.sharing.denyList': ['private.txt'] }),
    });
    const { window } = desk;
    const gemini = await connectAgent(desk.companion, 'gemini');
    type Told = { isTrusted: boolean; openFiles: { path: string }[] };
    const isTold = (holds: (state: Told) => boolean) =>
      gemini.told('ide/contextUpdate', ({ params }) => holds(params.workspaceState));
    const names = ({ openFiles }: Told): string[] => openFiles.map(({ path }) => path);
    await desk.openFile('private.txt');
    await isTold((state) => !state.isTrusted && names(state).includes(desk.path('private.txt')));
    expect((await desk.companion.status()).isTrusted).toBe(false);
    expect(await window.knowsCommand('Tandem: Start Gemini CLI in a Terminal')).toBe(false);
    expect(await window.knowsCommand('Tandem: Copy Connect Command')).toBe(true);

    await window.command('Workspaces: Manage Workspace Trust');
    await window.page
      .locator('.workspace-trust-editor')
      .getByRole('button', { name: 'Trust' })
      .first()
      .click();
    await isTold((state) => state.isTrusted && !names(state).includes(desk.path('private.txt')));
    expect(await window.knowsCommand('Tandem: Start Gemini CLI in a Terminal')).toBe(true);
  });

  it('the chat starts no daemon, says why, and leads to where the folder is trusted', async () => {
    const desk = await site.current.open({ 'a.txt': 'a\n' });
    const starter = `require('node:fs').writeFileSync(${JSON.stringify(desk.path('started'))}, '')`;
    const settings = { 'tandem.daemon.command': [process.execPath, '-e', starter] };
    await site.current.sandbox.write(desk.path('.vscode/settings.json'), JSON.stringify(settings));
    const chat = await ChatFrame.open(desk.window);
    const { window } = desk;
    const start = chat.inside.getByRole('button', { name: 'Start a daemon for this folder' });
    await chat.inside.getByText('You do not trust this folder').waitFor();
    expect(await start.isDisabled()).toBe(true);
    await window.showReviews();
    await window.page.getByRole('button', { name: 'Manage Workspace Trust' }).first().waitFor();
    await window.page.screenshot({ path: `${pictures}restricted.png` });
    expect(existsSync(desk.path('started'))).toBe(false);
    await chat.inside.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    const editor = window.page.locator('.workspace-trust-editor');
    await editor.getByRole('button', { name: 'Trust' }).first().click();
    await chat.inside.getByText('You do not trust this folder').waitFor({ state: 'detached' });
    expect(await start.isEnabled()).toBe(true);
  });
});
