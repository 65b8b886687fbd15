import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ChatFrame } from '../src/chatFrame.js';
import { connectAgent } from '../src/mcpAgent.js';
import { useOwnSite } from '../src/vscodeSite.js';

const pictures = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));

const site = useOwnSite({
  settings: {
    'security.workspace.trust.enabled': true,
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
  },
});

describe('in a workspace that is not trusted', () => {
  it('agents are informed, and neither agents nor a daemon are started, until the user trusts it', async () => {
    const desk = await site.current.open({ 'a.txt': 'a\n', 'private.txt': 'p\n' });
    const { window } = desk;
    const starter = `require('node:fs').writeFileSync(${JSON.stringify(desk.path('started'))}, '')`;
    // Settings of a workspace take effect when it is trusted; those that name programs never do.
    const settings = {
      'tandem.sharing.denyList': ['private.txt'],
      'tandem.daemon.command': [process.execPath, '-e', starter],
    };
    await desk.put('.vscode/settings.json', JSON.stringify(settings));
    const gemini = await connectAgent(desk.companion, 'gemini');
    type State = { isTrusted: boolean; openFiles: { path: string }[] };
    const receives = (holds: (state: State) => boolean) =>
      gemini.notification('ide/contextUpdate', ({ params }) => holds(params.workspaceState));
    const names = ({ openFiles }: State): string[] => openFiles.map(({ path }) => path);
    await desk.openFile('private.txt');
    await receives((state) => !state.isTrusted && names(state).includes(desk.path('private.txt')));
    expect((await desk.companion.status()).isTrusted).toBe(false);
    expect(await window.knowsCommand('Tandem: Start Gemini CLI in a Terminal')).toBe(false);
    expect(await window.knowsCommand('Tandem: Copy Connect Command')).toBe(true);

    const chat = await ChatFrame.open(window);
    const start = chat.inside.getByRole('button', { name: 'Start a daemon for this folder' });
    await chat.inside.getByText('This folder is not trusted').waitFor();
    expect(await start.isDisabled()).toBe(true);
    await window.showReviews();
    await window.page.getByRole('button', { name: 'Manage Workspace Trust' }).first().waitFor();
    await window.page.screenshot({ path: `${pictures}restricted.png` });
    expect(existsSync(desk.path('started'))).toBe(false);

    await chat.inside.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    const editor = window.page.locator('.workspace-trust-editor');
    await editor.getByRole('button', { name: 'Trust' }).first().click();
    await receives((state) => state.isTrusted && !names(state).includes(desk.path('private.txt')));
    await chat.inside.getByText('This folder is not trusted').waitFor({ state: 'detached' });
    expect(await start.isEnabled()).toBe(true);
    expect(await window.knowsCommand('Tandem: Start Gemini CLI in a Terminal')).toBe(true);
  });
});
