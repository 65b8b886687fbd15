import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { agentIds } from '@tandem/companion/agents';
import { describe, expect, it, vi } from 'vitest';
import { CodexClient } from '../../../packages/agents/test/support/codexClient.js';
import { openExtensionDesk } from './support/extensionDesk.js';
import { settle } from './support/reviewDesk.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

type Desk = Awaited<ReturnType<typeof openExtensionDesk>>;

/** An agent proposes a change, whose review is then shown. */
async function propose({ extension, connect, path }: Desk, name: string, newContent = PROPOSED) {
  const agent = await connect();
  await agent.request('tools/call', { name: 'openDiff', arguments: { filePath: path(name), newContent } });
  await expect.poll(() => extension.reviews().length).toBeGreaterThan(0);
  await settle();
  const [view] = extension.reviews();
  if (view === undefined) throw new Error('there is no review');
  return { agent, view };
}

describe('the status', () => {
  it('shows agents, pending reviews and paused sharing', async () => {
    const desk = await openExtensionDesk({ files: { 'a.txt': BEFORE } });
    const { window, status } = desk;
    await expect.poll(() => status().text).toBe('$(link) Tandem');
    expect(status().tooltip).toBe('No agent is connected');
    const { view } = await propose(desk, 'a.txt');
    await expect.poll(() => status().text).toBe('$(link) 1 $(git-pull-request) 1');
    expect(status().accessibilityInformation?.label).toBe('Tandem: Connected: Gemini CLI, 1 pending review');
    await window.run('tandem.pauseSharing');
    await expect.poll(() => status().text).toBe('$(eye-closed) 1 paused $(git-pull-request) 1');
    expect(window.contexts.get('tandem.isSharingPaused')).toBe(true);
    view.review.reject();
    await expect.poll(() => status().tooltip).toBe('Connected: Gemini CLI\nSharing is paused');
  });

  it('links to reviews, agents and actions', async () => {
    const desk = await openExtensionDesk({ files: { 'a.txt': BEFORE, 'b.txt': BEFORE } });
    const { window } = desk;
    await window.openFile(desk.path('b.txt'));
    const { view } = await propose(desk, 'a.txt');
    expect(view.isActive).toBe(false);
    await expect
      .poll(async () => (await desk.extension.companion()?.sharing.status())?.activeFile?.path)
      .toBe(desk.path('b.txt'));
    const showing = window.run('tandem.showStatus');
    const pick = await window.dialogs.shownInput('Agents see b.txt');
    expect(pick.items.map(({ label }) => label)).toEqual([
      'Reviews',
      '$(git-pull-request) a.txt',
      'Agents',
      '$(hubot) Gemini CLI',
      '$(terminal) Start an Agent…',
      'Recorded without a review',
      `$(history) ${basename(desk.folder)}`,
      'Tandem',
      '$(eye-closed) Pause Sharing',
      '$(copy) Copy Connect Command',
      '$(pulse) Diagnose',
      '$(output) Show Log',
      '$(list-flat) Show Messages',
      '$(gear) Settings',
      '$(book) Get Started',
    ]);
    const recorded = pick.items.find(({ label }) => label.startsWith('$(history)'));
    expect(recorded).toMatchObject({
      description: 'all files that commands of agents change',
      detail: 'no copies',
    });
    pick.choose('a.txt');
    await showing;
    expect(view.isActive).toBe(true);
  });

  it('shows when an agent asked last that has no lasting connection', async () => {
    const { window, extension, folder, status } = await openExtensionDesk();
    const { agents } = extension.companion() ?? {};
    const socket = agents?.connections().find(({ id }) => id === 'codex')?.url ?? '';
    expect(await CodexClient.ask(socket, folder)).toMatchObject({ resultType: 'success' });
    await expect.poll(() => status().tooltip).toBe('Connected: Codex CLI');
    const askedAt = agents?.lastMessageAt(agents.sessions[0]?.id ?? '') ?? 0;
    const descriptionAfter = async (ms: number): Promise<string | undefined> => {
      vi.spyOn(Date, 'now').mockReturnValue(askedAt + ms);
      const showing = window.run('tandem.showStatus');
      const pick = await window.dialogs.shownInput('Agents see no files');
      vi.restoreAllMocks();
      pick.escape();
      await showing;
      return pick.items.find(({ label }) => label === '$(hubot) Codex CLI')?.description;
    };
    expect(await descriptionAfter(12_345)).toBe('Not hooked · codex-tui · last request 12 s ago');
    expect(await descriptionAfter(130_000)).toBe('Not hooked · codex-tui · last request 2 min ago');
  });

  it('offers to open a folder in a window without one', async () => {
    const { window, status } = await openExtensionDesk({ hasFolder: false });
    await expect.poll(() => status().text).toBe('$(debug-disconnect) Tandem');
    void window.run('tandem.showStatus');
    const pick = await window.dialogs.shownInput('Open a folder, so that agents can find this window');
    pick.choose('Open a Folder…');
    await expect.poll(() => window.ran).toContainEqual(['vscode.openFolder']);
  });
});

describe('the terminals of a window', () => {
  it('get the variables of its companion, and a command copies them for others', async () => {
    const { window, variables } = await openExtensionDesk();
    await expect.poll(() => [...variables.keys()]).toContain('GEMINI_CLI_IDE_SERVER_PORT');
    const copying = window.run('tandem.copyConnectCommand');
    (await window.dialogs.message('Copied the connect command for bash')).answer();
    await copying;
    const port = variables.get('GEMINI_CLI_IDE_SERVER_PORT')?.value;
    expect(window.clipboard.split('\n')).toContain(`export GEMINI_CLI_IDE_SERVER_PORT='${port}'`);
  });

  it('have launchers first on their PATH, which give agents hooks as a setting says', async () => {
    const { window, variables } = await openExtensionDesk();
    await expect.poll(() => [...variables.keys()]).toContain('TANDEM_HOOK_TOKEN');
    const folder = variables.get('TANDEM_PATH')?.value ?? '';
    expect(variables.get('PATH')?.value).toBe(`${folder}:`);
    // They are needed with the first terminal.
    expect(existsSync(folder)).toBe(false);
    await window.run('tandem.startClaude');
    await expect.poll(() => window.terminals[0]?.sent).toHaveLength(1);
    const launcher = () => readFileSync(join(folder, 'claude'), 'utf8');
    expect(launcher()).toContain('TANDEM_HOOK_MODE=follow');
    window.set('tandem.hooks', 'before');
    await expect.poll(launcher).toContain('TANDEM_HOOK_MODE=before');
    window.set('tandem.hooks', 'off');
    expect([...variables.keys()].filter((name) => /^(PATH|TANDEM_(PATH|HOOK))/.test(name))).toEqual([]);
    await expect.poll(() => existsSync(folder)).toBe(false);
  });

  it('start each agent with its command, which a setting changes, in a trusted workspace only', async () => {
    const { window } = await openExtensionDesk();
    window.set('tandem.startCommands', { gemini: 'gemini --debug' });
    await window.run('tandem.startClaude');
    void window.run('tandem.startAgent');
    (await window.dialogs.shownInput('Choose an agent')).choose('Gemini CLI');
    await expect
      .poll(() => window.terminals)
      .toEqual([
        { name: 'Claude Code', sent: ['claude --permission-mode default'] },
        { name: 'Gemini CLI', sent: ['gemini --debug'] },
      ]);
    window.isTrusted = false;
    void window.run('tandem.startQwen');
    (await window.dialogs.message('starts no agents in a workspace that is not trusted')).answer(
      'Manage Workspace Trust',
    );
    await expect.poll(() => window.ran.at(-1)).toEqual(['workbench.trust.manage']);
    expect(window.terminals).toHaveLength(2);
  });
});

describe('the history of decided reviews', () => {
  it('is bounded by settings, and deleted after a question', async () => {
    const desk = await openExtensionDesk({ files: { 'a.txt': BEFORE } });
    const entries = () => desk.extension.companion()?.history.entries.length;
    const deleting = desk.window.run('tandem.deleteHistory');
    (await desk.window.dialogs.message('The history of reviews is empty')).answer();
    await deleting;
    for (const text of ['1\n', '2\n', '3\n']) (await propose(desk, 'a.txt', text)).view.review.reject();
    expect(entries()).toBe(3);
    desk.window.set('tandem.history.reviews', 2);
    expect(entries()).toBe(2);
    for (const [button, left] of [
      [undefined, 2],
      ['Delete', 0],
    ] as const) {
      void desk.window.run('tandem.deleteHistory');
      const question = await desk.window.dialogs.message('Delete 2 decided reviews?');
      expect(question.isModal).toBe(true);
      question.answer(button);
      await expect.poll(entries).toBe(left);
    }
    (await propose(desk, 'a.txt', '4\n')).view.review.reject();
    expect(entries()).toBe(1);
    desk.window.set('tandem.history.days', 0);
    expect(entries()).toBe(0);
  });
});

describe('a changed setting', () => {
  it('serves other agents at once', async () => {
    const { window, extension, variables } = await openExtensionDesk();
    const served = () =>
      extension
        .companion()
        ?.agents.connections()
        .map(({ id }) => id);
    expect(served()).toEqual(agentIds);
    await expect.poll(() => [...variables.keys()].join()).toContain('QWEN');
    window.set('tandem.agents.qwen', false);
    await expect.poll(served).toEqual(agentIds.filter((id) => id !== 'qwen'));
    await expect.poll(() => [...variables.keys()].join()).not.toContain('QWEN');
  });

  it("moves Claude Code's lock file [CLA-101]", async () => {
    const { window, extension, folder } = await openExtensionDesk();
    const claude = () =>
      extension
        .companion()
        ?.agents.connections()
        .find(({ id }) => id === 'claude');
    const before = claude()?.discovery[0] ?? '';
    expect(existsSync(before)).toBe(true);
    window.set('tandem.claudeConfigDir', join(folder, 'mine'));
    await expect.poll(claude).toMatchObject({
      discovery: [expect.stringMatching(/\/mine\/ide\/\d+\.lock$/)],
      env: { CLAUDE_CONFIG_DIR: join(folder, 'mine') },
    });
    expect(existsSync(claude()?.discovery[0] ?? '')).toBe(true);
    expect(existsSync(before)).toBe(false);
  });

  it('hides other files without a restart', async () => {
    const { window, extension, path } = await openExtensionDesk({ files: { 'private.txt': 'secret\n' } });
    const companion = extension.companion();
    await window.openFile(path('private.txt'));
    await expect
      .poll(async () => (await companion?.sharing.status())?.activeFile?.path)
      .toBe(path('private.txt'));
    window.set('tandem.sharing.denyList', ['private*']);
    await expect
      .poll(async () => (await companion?.sharing.status())?.heldBack?.path)
      .toBe(path('private.txt'));
    expect(extension.companion()).toBe(companion);
  });
});

describe("beside an agent's own companion", () => {
  it('reports once that there are two, and leaves the agent to the other one', async () => {
    const { window, extension } = await openExtensionDesk({
      prepare: ({ extensions }) => extensions.add('google.gemini-cli-vscode-ide-companion'),
    });
    const message = await window.dialogs.message('Tandem and the companion made by the vendor of Gemini CLI');
    expect(message.buttons).toEqual(['Show Vendor Extension', 'Use Vendor Extension']);
    message.answer('Use Vendor Extension');
    await expect
      .poll(() =>
        extension
          .companion()
          ?.agents.connections()
          .map(({ id }) => id),
      )
      .toEqual(agentIds.filter((id) => id !== 'gemini'));
  });
});

describe('a file whose change was accepted', () => {
  it.each([
    [true, ['front.txt', 'a.txt']],
    [false, ['front.txt']],
  ])('is opened behind the active one, if a setting says so: %s', async (isOn, labels) => {
    const desk = await openExtensionDesk({ files: { 'a.txt': BEFORE, 'front.txt': BEFORE } });
    const { window, path } = desk;
    window.set('tandem.reviews.openAccepted', isOn);
    await window.openFile(path('front.txt'));
    const { view, agent } = await propose(desk, 'a.txt');
    await window.run('tandem.acceptReview', view.key);
    expect((await agent.next('ide/diffAccepted')).params.content).toBe(PROPOSED);
    await expect.poll(() => window.labels).toEqual(['front.txt']);
    await window.write(path('a.txt'), PROPOSED);
    await settle();
    expect(window.labels).toEqual(labels);
    expect(window.tabs.group.activeTab?.label).toBe('front.txt');
  });
});

describe('an interrupted review', () => {
  it('is offered, shown beside its file, and applied to it', async () => {
    const desk = await openExtensionDesk({ files: { 'a.txt': BEFORE } });
    const { window, path, extension } = desk;
    const { agent } = await propose(desk, 'a.txt');
    window.type('TWO', 'TWO and mine');
    await agent.end();
    const message = await window.dialogs.message('Gemini CLI withdrew its proposal for a.txt');
    message.answer('Show Your Text');
    await expect.poll(() => window.labels).toContain('a.txt (interrupted change by Gemini CLI)');
    expect(window.text).toBe('one\nTWO and mine\nthree\n');
    await window.write(path('a.txt'), `${BEFORE}four\n`);
    await window.run('tandem.applyInterrupted');
    await expect.poll(() => readFileSync(path('a.txt'), 'utf8')).toBe('one\nTWO and mine\nthree\nfour\n');
    expect(extension.companion()?.interrupted.all).toEqual([]);
    await expect.poll(() => window.labels).toEqual(['a.txt']);
  });

  it('asks before it writes both versions of the same lines, and before it is discarded', async () => {
    const desk = await openExtensionDesk({ files: { 'a.txt': BEFORE } });
    const { window, path, extension } = desk;
    const { agent } = await propose(desk, 'a.txt');
    window.type('TWO', 'TWO and mine');
    await agent.end();
    (await window.dialogs.message('Gemini CLI withdrew')).answer();
    await window.write(path('a.txt'), 'one\n2\nthree\n');
    const id = extension.companion()?.interrupted.all[0]?.id;
    const discarding = window.run('tandem.discardInterrupted', id);
    (await window.dialogs.message('Discard the interrupted review of a.txt?')).answer();
    await discarding;
    const applying = window.run('tandem.applyInterrupted', id);
    (await window.dialogs.message('Write both versions to a.txt?')).answer('Write Both Versions');
    await applying;
    expect(readFileSync(path('a.txt'), 'utf8')).toMatch(/<<<<<<<.*TWO and mine.*2.*>>>>>>>/s);
    (await window.dialogs.message('Written to a.txt. One conflict is marked')).answer('Undo');
    await expect.poll(() => readFileSync(path('a.txt'), 'utf8')).toBe('one\n2\nthree\n');
  });

  it('is applied and discarded by what the list of its actions offers', async () => {
    const desk = await openExtensionDesk({ files: { 'a.txt': BEFORE, 'b.txt': BEFORE } });
    const { window, path, extension } = desk;
    for (const name of ['a.txt', 'b.txt']) {
      const { agent } = await propose(desk, name);
      window.type('TWO', 'TWO and mine');
      await agent.end();
      (await window.dialogs.message('Gemini CLI withdrew')).answer();
    }
    const kept = () => extension.companion()?.interrupted.all ?? [];
    const choose = async (action: string): Promise<Promise<unknown>> => {
      const acting = window.run('tandem.reviewActions', kept()[0]?.id);
      const pick = await window.dialogs.shownInput('Choose what to do with this review');
      expect(pick.items.map(({ label }) => label)).toEqual(['Apply', '$(warning) Discard']);
      pick.choose(action);
      return acting;
    };
    await choose('Apply');
    expect(readFileSync(path('a.txt'), 'utf8')).toBe('one\nTWO and mine\nthree\n');
    await window.dialogs.message('Written to a.txt.');
    for (const [button, left] of [
      ['Show Again', 1],
      ['Discard', 0],
    ] as const) {
      const discarding = choose('Discard');
      const question = await window.dialogs.message('Discard the interrupted review of b.txt?');
      expect(question.buttons).toEqual(['Show Again', 'Discard']);
      question.answer(button);
      await discarding;
      expect(kept()).toHaveLength(left);
    }
    expect(readFileSync(path('b.txt'), 'utf8')).toBe(BEFORE);
  });
});

describe('the notes on a review', () => {
  it('are shown behind its first line, or in code lenses if those are enabled', async () => {
    const desk = await openExtensionDesk({ files: { 'a.txt': BEFORE } });
    const { window, extension } = desk;
    await propose(desk, 'a.txt', PROPOSED.trimEnd());
    const notes = () =>
      window.tabs.activeEditor?.decorations.map(({ renderOptions }) => renderOptions?.after);
    await expect.poll(notes).toEqual([{ contentText: 'Newline at the end removed' }]);
    window.set('diffEditor.codeLens', true);
    await expect.poll(notes).toEqual([]);
    const document = window.tabs.activeEditor?.document;
    const [lenses] = window.codeLenses;
    const never = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
    const found = document && (await lenses?.provideCodeLenses(document, never));
    expect(found?.map(({ command }) => command?.title)).toEqual([
      '$(check)\u00a0Accept',
      '$(close)\u00a0Reject',
      'Newline at the end removed',
    ]);
    expect(extension.reviews()[0]?.review.state).toBe('pending');
  });
});
