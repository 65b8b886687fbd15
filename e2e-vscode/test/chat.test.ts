import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { expectUsable, expectVisible, tabTo } from '../../e2e/src/chat/usableRequest.js';
import { DaemonStage, qwenCommandWith } from '../../e2e/src/daemon/daemonStage.js';
import { questions } from '../../e2e/src/daemon/questions.js';
import { atOnce, call, say } from '../../e2e/src/model/turn.js';
import { exhaustive } from '../../test/exhaustive.js';
import { ChatFrame } from '../src/chatFrame.js';
import { CompanionWatch } from '../src/companionWatch.js';
import { daemonsOf } from '../src/daemonProcesses.js';
import type { EditorWindow } from '../src/editorWindow.js';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { useOwnSite } from '../src/vscodeSite.js';

const pictures = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));
// The views of a side bar have the least space in a small window.
const site = useOwnSite({ viewport: { width: 1280, height: 800 } });
let stage: DaemonStage;
beforeAll(async () => {
  stage = await DaemonStage.open();
});
afterEach(() => stage.model.clearScript());
afterAll(() => stage.dispose());

const connected = new WeakSet<EditorWindow>();

/** The shared window on the daemon's folder, with a new chat for each test. */
async function share(): Promise<ChatFrame> {
  return begin(await site.current.shareWindow(stage.workspace));
}

/** A window on the daemon's folder that starts with its current settings. */
async function open(): Promise<ChatFrame> {
  return begin(await site.current.openWindow(stage.workspace));
}

async function begin(window: EditorWindow): Promise<ChatFrame> {
  const chat = await ChatFrame.open(window);
  if (!connected.has(window)) await chat.connect(stage.daemon);
  connected.add(window);
  await chat.begin();
  return chat;
}

describe('a conversation in VS Code', () => {
  it('answers a permission and questions with the mouse, and the file is changed [DMN-30]', async () => {
    const chat = await share();
    const { window } = chat;
    stage.model.script(
      call('write_file', { file_path: stage.path('first.txt'), content: 'one\ntwo\n' }),
      call('ask_user_question', { questions }),
      say('It is **written**.'),
    );
    await chat.send('Write a note');
    const permission = chat.pick(/Qwen asks: change .*first\.txt/);
    await permission.waitFor();
    await chat.asked.getByRole('button', { name: 'Open diff' }).waitFor();
    await window.page.screenshot({ path: `${pictures}chatPermission.png` });
    await chat.settle(permission, () => window.row('Allow').first().click());
    const colour = chat.pick('Colour (1/2)');
    await colour.waitFor();
    expect(await stage.read('first.txt')).toBe('one\ntwo\n');
    await chat.settle(colour, () => window.row('Blue').first().click());
    const sizes = chat.pick('Sizes (2/2)');
    await sizes.waitFor();
    await window.row('Small').first().click();
    await window.row('Something else').first().click();
    await window.page.screenshot({ path: `${pictures}chatQuestion.png` });
    await chat.settle(window.row('Small').first(), () =>
      window.quickInput.getByRole('button', { name: 'OK' }).first().click(),
    );
    await chat.settleByWords('Sizes (2/2)', 'Huge');
    await chat.answered('It is written.');
    expect(stage.model.toolResults.at(-1)).toContain('Small, Huge');
    expect(stage.model.toolResults.at(-1)).toContain('Blue');
    // An answer given here is not reported as given elsewhere.
    expect(await chat.inside.getByText('elsewhere').count()).toBe(0);
    await window.page.screenshot({ path: `${pictures}chat.png` });
  });

  it('shows a permission whole below the other views, and answers it there with the keyboard', async () => {
    const chat = await share();
    const { page } = chat.window;
    const companion = await CompanionWatch.find(site.current.sandbox, stage.workspace);
    onTestFinished(() => companion.dispose());
    const gemini = await connectAgent(companion, 'gemini');
    const { id } = await gemini.propose(stage.path('of-gemini.txt'), 'one\n');
    await companion.call('review.accept', { id });
    await page
      .locator('.pane-header')
      .filter({ hasText: /^Changes/ })
      .waitFor();
    const command = 'npm install --save-dev vitest && npm test -- --run';
    stage.model.script(call('run_shell_command', { command, description: 'Installs' }), say('Done.'));
    await chat.send('Check the build');
    const pick = chat.pick(/Qwen asks: run npm install/);
    await pick.waitFor();
    await chat.settle(pick, () => page.keyboard.press('Escape'));
    const { asked } = chat;
    await page.screenshot({ path: `${pictures}chatSmall.png` });
    await expectVisible(asked.getByRole('group', { name: 'command' }).locator('pre'));
    await expectUsable(asked, [
      asked.getByRole('heading', { name: 'Run npm install' }),
      asked.getByText('Installs', { exact: true }),
    ]);
    for (const answer of await asked.locator('[data-answers] button').all()) {
      expect(await chat.isInView(answer)).toBe(true);
      await tabTo(answer);
    }
    await tabTo(asked.getByRole('button', { name: 'Reject' }));
    await page.keyboard.press('Enter');
    await asked.waitFor({ state: 'detached' });
  });

  it(
    'answers them with the keyboard alone, and Escape leaves a question to the panel',
    exhaustive,
    async () => {
      const chat = await share();
      const { keyboard } = chat.window.page;
      await rm(stage.path('second.txt'), { force: true });
      stage.model.script(
        call('write_file', { file_path: stage.path('second.txt'), content: 'one\n' }),
        call('ask_user_question', { questions }),
        say('All is done.'),
      );
      await keyboard.type('Write a note');
      await keyboard.press('Enter');
      const permission = chat.pick('Qwen asks: change second.txt?');
      await permission.waitFor();
      await chat.settle(permission, () => keyboard.press('Escape'));
      // Nothing was decided: the question is pending in the panel, and the status bar links to it.
      await chat.asked.getByRole('button', { name: 'Allow', exact: true }).waitFor();
      expect(await stage.read('second.txt').catch(() => 'none')).toBe('none');
      await chat.window.command('Tandem: Answer Chat Question');
      await permission.waitFor();
      await chat.settle(permission, () => keyboard.press('Enter'));
      await chat.asked.getByText('Which colour?').waitFor();
      await chat.window.command('Tandem: Answer Chat Question');
      const colour = chat.pick('Colour (1/2)');
      await colour.waitFor();
      expect(await stage.read('second.txt')).toBe('one\n');
      await keyboard.press('ArrowDown');
      await chat.settle(colour, () => keyboard.press('Enter'));
      const sizes = chat.pick('Sizes (2/2)');
      await sizes.waitFor();
      await keyboard.press('ArrowDown');
      await keyboard.press('Space');
      await chat.settle(sizes, () => keyboard.press('Enter'));
      await chat.answered('All is done.');
      expect(stage.model.toolResults.at(-1)).toMatch(/Blue[\s\S]*(Small|Large)/);
    },
  );

  it('closes the quick pick of a request that was answered elsewhere', exhaustive, async () => {
    const chat = await share();
    const other = stage.chat();
    stage.model.script(
      call('write_file', { file_path: stage.path('third.txt'), content: 'x\n' }),
      say('Written.'),
    );
    await chat.send('Write a note of our own');
    const permission = chat.pick('Qwen asks: change third.txt?');
    await permission.waitFor();
    await other.chat.connect();
    const session = (await other.chat.listSessions()).find(({ isWaiting }) => isWaiting);
    await other.chat.openSession(session?.id ?? '');
    const { requestId } = await other.request();
    await other.chat.answer(requestId, { optionId: 'proceed_once' });
    await permission.waitFor({ state: 'hidden' });
    await chat.asked.getByText('Answered elsewhere').waitFor();
    await chat.answered('Written.');
  });

  it('shows a change in the diff editor, where it is rejected, and closes the quick pick', async () => {
    const chat = await share();
    const { window } = chat;
    await stage.sandbox.write(stage.path('note.txt'), 'before\n');
    stage.model.script(
      call('read_file', { file_path: stage.path('note.txt') }),
      call('write_file', { file_path: stage.path('note.txt'), content: 'after\n' }),
    );
    await chat.send('Change it');
    const permission = chat.pick('Qwen asks: change note.txt?');
    await permission.waitFor();
    await chat.asked.getByRole('button', { name: 'Open diff' }).click();
    await permission.waitFor({ state: 'hidden' });
    await window.diff.waitForLine('after');
    await window.page.screenshot({ path: `${pictures}chatDiff.png` });
    await window.titleButton('Reject').click();
    await window.tab('note.txt (change, chat)').waitFor({ state: 'detached' });
    await chat.inside
      .getByRole('article', { name: /note\.txt/ })
      .getByText('Rejected')
      .waitFor();
    expect(await stage.read('note.txt')).toBe('before\n');
  });

  it('mentions the selection, and inserts code at the cursor', exhaustive, async () => {
    await stage.sandbox.write(stage.path('src/one.txt'), 'const a = 1;\nconst b = 2;\n');
    const chat = await share();
    const { window } = chat;
    await window.openFile(stage.path('src/one.txt'));
    await window.select(2, 1, 5);
    await window.command('Tandem: Focus on Chat View');
    stage.model.script(say('So:\n\n```ts\nlet c = 3;\n```\n'));
    await chat.field.and(chat.inside.locator(':focus')).waitFor();
    await window.page.keyboard.type('Look at @sel');
    await chat.inside.getByRole('option', { name: /Selection/ }).waitFor();
    await window.page.keyboard.press('Enter');
    await window.page.keyboard.type('please');
    await window.page.keyboard.press('Enter');
    await chat.answered('let c = 3;');
    expect(stage.model.conversation.at(-1)?.raw).toContain('const b = 2;');
    await window.command('Tandem: Mention Selection');
    await expect.poll(() => chat.field.inputValue()).toBe('@src/one.txt:2 ');
    await chat.field.and(chat.inside.locator(':focus')).waitFor();
    const companion = await CompanionWatch.find(site.current.sandbox, stage.workspace);
    onTestFinished(() => companion.dispose());
    const claude = await connectClaude(companion);
    await window.command('Tandem: Mention Selection');
    await window.row('Chat with Qwen Code').first().waitFor();
    await window.row('Claude Code').first().click();
    const { params } = await claude.notification('at_mentioned', () => true);
    expect(params).toMatchObject({ filePath: stage.path('src/one.txt'), lineStart: 1 });
    expect(await chat.field.inputValue()).toBe('@src/one.txt:2 ');
    await chat.field.fill('');
    await chat.inside.getByRole('button', { name: 'Copy code' }).click();
    await expect.poll(() => window.page.evaluate(() => navigator.clipboard.readText())).toBe('let c = 3;');
    await chat.inside.getByRole('button', { name: 'Insert at the cursor' }).click();
    await expect.poll(() => window.text).toContain('let c = 3; b = 2;');
  });

  it('quotes no hidden file, even if every agent is switched off', exhaustive, async () => {
    onTestFinished(() => putSettings({}).then(() => {}));
    const agents = ['claude', 'copilot', 'gemini', 'qwen'];
    await putSettings(Object.fromEntries(agents.map((agent) => [`tandem.agents.${agent}`, false])));
    await stage.sandbox.write(stage.path('.env'), 'KEY=1\n');
    const chat = await open();
    const { window } = chat;
    await window.openFile(stage.path('.env'));
    await window.select(1, 1, 4);
    await window.command('Tandem: Focus on Chat View');
    await chat.field.and(chat.inside.locator(':focus')).waitFor();
    await window.page.keyboard.type('Look at @sel');
    await chat.inside.getByRole('option', { name: /Selection/ }).waitFor();
    await window.page.keyboard.press('Enter');
    await window.page.keyboard.type('please');
    await window.page.keyboard.press('Enter');
    await chat.inside
      .getByText(/\.env is hidden from Qwen Code/)
      .first()
      .waitFor();
    expect(JSON.stringify(stage.model.conversation)).not.toContain('KEY=1');
  });
});

describe('several requests', () => {
  it(
    'are asked one after the other, and one that is left stays pending in the panel',
    exhaustive,
    async () => {
      const chat = await share();
      const { keyboard } = chat.window.page;
      const write = (name: string) =>
        call('write_file', { file_path: stage.path(name), content: `${name}\n` });
      stage.model.script(atOnce([write('queueOne.txt'), write('queueTwo.txt')]), say('Both.'));
      await chat.send('Write both');
      const first = chat.pick('Qwen asks: change queueOne.txt?');
      await first.waitFor();
      await chat.settle(first, () => keyboard.press('Enter'));
      const second = chat.pick('Qwen asks: change queueTwo.txt?');
      await second.waitFor();
      expect(await stage.read('queueTwo.txt').catch(() => 'none')).toBe('none');
      await chat.settle(second, () =>
        second.getByRole('button', { name: 'Answer later in the chat' }).click(),
      );
      await chat.asked.getByRole('button', { name: 'Allow', exact: true }).click();
      await chat.answered('Both.');
      expect(await stage.read('queueOne.txt')).toBe('queueOne.txt\n');
      expect(await stage.read('queueTwo.txt')).toBe('queueTwo.txt\n');
    },
  );
});

describe('a wrong setup', () => {
  it('is reported with its solution: no daemon, a wrong token, another folder', exhaustive, async () => {
    const chat = await share();
    const showsTitle = (title: string) => chat.inside.getByRole('heading', { name: title }).waitFor();
    // Only root can listen on this port, and nothing does.
    await chat.name({ url: 'http://127.0.0.1:1', token: '' });
    await showsTitle('No daemon answers');
    await chat.inside.getByText('Start one with "qwen serve", or correct the address.').waitFor();
    await chat.name({ url: stage.daemon.url, token: 'a-wrong-one' });
    await showsTitle('The daemon does not accept the token');
    await chat.inside.getByText('Use the token that it was started with.').waitFor();
    expect(await chat.inside.locator('body').innerHTML()).not.toContain('a-wrong-one');
    await chat.connect(stage.daemon);

    const elsewhere = await ChatFrame.open(await site.current.openWindow(await site.current.folder('other')));
    await elsewhere.name(stage.daemon);
    await elsewhere.inside.getByRole('heading', { name: 'The daemon works in another folder' }).waitFor();
    await elsewhere.inside.getByText(`works in ${stage.workspace}, not in`).waitFor();
  });
});

describe('the address in the settings', () => {
  it('is connected by itself, with its stored token, and only on this machine [DMN-32 DMN-9]', async () => {
    const { server } = site.current;
    const chat = await share();
    await chat.inside.getByRole('button', { name: 'Disconnect from the daemon' }).click();
    await chat.inside.getByRole('button', { name: 'Start a daemon for this folder' }).waitFor();
    await server.putMachineSettings({ 'tandem.daemon.url': 'http://192.0.2.1:4170' });
    await chat.window.notification('192.0.2.1 is not this machine').waitFor();
    expect(await chat.field.count()).toBe(0);
    await server.putMachineSettings({ 'tandem.daemon.url': stage.daemon.url });
    await chat.field.waitFor();
    stage.model.script(say('By the setting.'));
    await chat.send('Hello');
    await chat.answered('By the setting.');
    await server.putMachineSettings({});
    await chat.connect(stage.daemon);
  });
});

describe("the chat's webview", () => {
  it('receives events as messages, has no token, and runs only its own script [DMN-31]', async () => {
    const chat = await share();
    const frame = await chat.frame();
    stage.model.script(say('Hello.'));
    await frame.evaluate(() => {
      const messages: string[] = [];
      Object.assign(window, { messages });
      addEventListener('message', ({ data }) => messages.push(JSON.stringify(data)));
    });
    await chat.send('Hello');
    await chat.answered('Hello.');
    const found = await frame.evaluate(async () => {
      Object.assign(window, { ranInline: false });
      const refused = new Promise<string>((resolve) =>
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective)),
      );
      const script = document.createElement('script');
      script.textContent = 'window.ranInline = true';
      document.body.append(script);
      const directive = await refused;
      const { messages, ranInline } = window as unknown as { messages: string[]; ranInline: boolean };
      const policy = document.querySelector('meta[http-equiv]')?.getAttribute('content') ?? '';
      return { messages, ranInline, directive, policy, html: document.documentElement.outerHTML };
    });
    expect(found.messages.join()).toContain('Hello.');
    expect(found.messages.join()).not.toContain(stage.daemon.token);
    expect(found.html).not.toContain(stage.daemon.token);
    expect(found.ranInline).toBe(false);
    expect(found.directive).toMatch(/^script-src/);
    expect(found.policy).toContain("default-src 'none'");
    expect(found.policy).not.toMatch(/unsafe|https?: |\*;/);
  });

  it('is accessible in light, dark and high contrast', exhaustive, async () => {
    const chat = await share();
    const { window } = chat;
    const axe = await readFile(
      createRequire(new URL('../../e2e/package.json', import.meta.url)).resolve('axe-core/axe.min.js'),
      'utf8',
    );
    stage.model.script(
      say(
        'A **word**, `code` and [a link](https://example.com):\n\n```ts\nconst one: number = 1; // two\n```\n',
      ),
      call('write_file', { file_path: stage.path('fourth.txt'), content: 'one\n' }),
    );
    await chat.send('Hello');
    await chat.answered('A word');
    await chat.send('Write');
    await chat.settle(chat.pick('Qwen asks: change fourth.txt?'), () => window.page.keyboard.press('Escape'));
    const objections: string[] = [];
    for (const [theme, kind] of [
      ['Light Modern', 'light'],
      ['Dark Modern', 'dark'],
      ['Default High Contrast', 'high-contrast'],
      ['Default High Contrast Light', 'high-contrast-light'],
    ] as const) {
      await putSettings({ 'workbench.colorTheme': theme });
      await chat.inside.locator(`body[data-vscode-theme-kind="vscode-${kind}"]`).waitFor();
      const frame = await chat.frame();
      await frame.evaluate(axe);
      const results = (await frame.evaluate(
        "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })",
      )) as { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
      for (const { id, nodes } of results.violations)
        for (const { html, failureSummary } of nodes)
          objections.push(`${theme}: ${id}: ${html} ${failureSummary}`);
      await window.page.screenshot({ path: `${pictures}chat-${kind}.png` });
    }
    expect(objections).toEqual([]);
    // A small view shows only a pending question.
    await chat.asked.getByRole('button', { name: 'Reject' }).click();
    await chat.asked.waitFor({ state: 'detached' });
  });
});

describe('a daemon that goes away', () => {
  it('is shown as disconnected, and the chat continues when it is back', exhaustive, async () => {
    const chat = await share();
    stage.model.script(say('Before.'));
    await chat.send('Hello');
    await chat.answered('Before.');
    process.kill(-stage.daemon.pid, 'SIGKILL');
    await stage.daemon.ended;
    await chat.inside.getByText('The connection to the daemon was lost. Reconnecting').waitFor();
    await stage.restart();
    await chat.inside.getByText(', Connected', { exact: true }).waitFor({ state: 'attached' });
    stage.model.script(say('After.'));
    await chat.send('Again');
    await chat.answered('After.');
    await chat.answered('Before.');
  });
});

describe('a window that is reloaded', () => {
  it('restores the conversation that was open, not the shared one', exhaustive, async () => {
    const chat = await share();
    stage.model.script(say('Kept.'));
    await chat.send('Hello');
    await chat.answered('Kept.');
    await chat.window.reload();
    const again = await ChatFrame.open(chat.window);
    await again.answered('Kept.');
    expect(await again.answers.count()).toBe(1);
  });
});

describe('a daemon of our own', () => {
  it(
    'ends with the window and with a killed extension host, and is started again and not reported as lost when the chat is shown after a reload',
    exhaustive,
    async () => {
      await putQwen({ ide: { enabled: true } });
      const desk = await site.current.open({ 'a.txt': 'a\n' });
      const chat = await ChatFrame.open(desk.window);
      await startOwn(chat);
      stage.model.script(say('Before the reload.'));
      await chat.send('Hello');
      await chat.answered('Before the reload.');
      await desk.companion.waitForEvent('session.connected', { agent: 'qwen' });
      const daemons = await daemonsOf(site.current.sandbox.home);
      expect(daemons).not.toEqual([]);
      for (const { line, token } of daemons) {
        expect(token).not.toBe('');
        expect(line).not.toContain(token);
      }
      // This agent is lost, and is reported when all lost agents would be.
      await connectClaude(desk.companion);
      await desk.window.command('View: Show Explorer');
      await desk.window.reload();
      const { companion, window } = await desk.reconnect();
      await expect.poll(() => daemonsOf(site.current.sandbox.home)).toEqual([]);
      await companion.waitForEvent('session.lost', { agent: 'claude' });
      const { agents } = await companion.status();
      expect(agents.filter(({ lost }) => lost !== undefined).map(({ id }) => id)).toEqual(['claude']);
      await expect.poll(() => window.notification('has not reconnected').count()).toBe(1);
      const again = await ChatFrame.open(window);
      await again.answered('Before the reload.');
      expect(await again.answers.count()).toBe(1);
      await again.inside.getByRole('button', { name: 'Disconnect from the daemon' }).click();
      await again.inside.getByRole('button', { name: 'Start a daemon for this folder' }).waitFor();
      await expect.poll(() => daemonsOf(site.current.sandbox.home)).toEqual([]);

      await startOwn(again);
      process.kill(companion.pid, 'SIGKILL');
      await expect.poll(() => daemonsOf(site.current.sandbox.home)).toEqual([]);
    },
  );
});

/** Starts a daemon with the command, to replace the one of the window. */
async function startOwn(chat: ChatFrame): Promise<void> {
  await chat.window.command('Tandem: Start a Daemon for This Folder');
  // The chat disconnects from the old daemon before the new one runs, so a field now belongs to the new one.
  await expect.poll(async () => (await daemonsOf(site.current.sandbox.home)).length).toBeGreaterThan(0);
  await chat.field.waitFor();
}

/** Settings of the workspace, which its windows apply immediately. */
function putSettings(settings: Readonly<Record<string, unknown>>): Promise<string> {
  return stage.sandbox.write(stage.path('.vscode/settings.json'), JSON.stringify(settings));
}

/** Makes the pinned Qwen Code the one that is started, with the settings of the stage. */
async function putQwen(more: object = {}): Promise<void> {
  const { sandbox } = site.current;
  const settings = await readFile(`${stage.sandbox.home}/.qwen/settings.json`, 'utf8');
  const content = JSON.stringify({ ...JSON.parse(settings), ...more });
  await sandbox.write(`${sandbox.home}/.qwen/settings.json`, content);
  await site.current.server.putMachineSettings({ 'tandem.daemon.command': qwenCommandWith('') });
}
