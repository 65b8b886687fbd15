import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { breakableLine } from '../../src/brokenLine.js';
import { useBrowser } from '../../src/browser.js';
import { ChatPage } from '../../src/chat/chatPage.js';
import { serveChat, useChatStage } from '../../src/chat/chatStage.js';
import { qwenCommand } from '../../src/daemon/daemonStage.js';
import { call, say, sayHalf } from '../../src/model/turn.js';
import { openSandbox, serve } from '../../src/stage.js';

useBrowser();
/** All tests are in the one session of one daemon, which some of them end and start again. */
const open = useChatStage();

describe('two who look at one session', () => {
  it('dismisses a question that another client has answered, and says so', async () => {
    const { stage, tandem } = open.current;
    const chat = await ChatPage.connected(tandem);
    const other = stage.chat();
    await other.chat.connect();
    stage.model.script(
      call('write_file', { file_path: stage.path('a.txt'), content: 'a\n' }),
      say('Written.'),
    );
    await chat.send('Write');
    await chat.asked.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    const { requestId } = await other.request();
    // What is told gives way to the next a moment later: it is listened for before it happens.
    await Promise.all([
      chat.hears(/Answered elsewhere/),
      chat.asked.getByText('Answered elsewhere').waitFor(),
      other.chat.answer(requestId, { optionId: 'proceed_once' }),
    ]);
    await chat
      .tool(/a\.txt.*done/)
      .getByText('Allowed elsewhere')
      .waitFor();
    await chat.answered('Written.');
    expect(await stage.read('a.txt')).toBe('a\n');
  });

  it('shows what another page of the companion asked and answered', async () => {
    const { stage, tandem } = open.current;
    const one = await ChatPage.connected(tandem);
    const two = await ChatPage.connected(tandem);
    stage.model.script(
      call('write_file', { file_path: stage.path('b.txt'), content: 'a\n' }),
      say('Written by the one.'),
    );
    await one.send('Write');
    await two.asked.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await one.asked.getByRole('button', { name: 'Allow', exact: true }).click();
    await two.asked.getByText('Answered elsewhere').waitFor();
    await two.answered('Written by the one.');
  });

  it('asks in a page that comes when the question waits already', async () => {
    const { stage, tandem } = open.current;
    const one = await ChatPage.connected(tandem);
    stage.model.script(
      call('write_file', { file_path: stage.path('c.txt'), content: 'a\n' }),
      say('Written by the first.'),
    );
    await one.send('Write');
    await one.asked.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    const two = await ChatPage.connected(await serveChat(stage));
    await two.asked.getByRole('button', { name: 'Allow', exact: true }).click();
    await two.answered('Written by the first.');
    expect(await stage.read('c.txt')).toBe('a\n');
  });
});

describe('a connection that breaks', () => {
  let go = (): void => {};
  afterEach(() => go());

  it('shows a text once that went on while the page had no line to its companion', async () => {
    const { stage, tandem } = open.current;
    const chat = await ChatPage.connected(tandem);
    const line = await breakableLine(chat.page);
    await chat.page.reload();
    await chat.field.waitFor();
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    stage.model.script(sayHalf('The first half, ', held, 'and the second.'));
    await chat.send('Tell me');
    await chat.answered('The first half,');
    await line.cut();
    await chat.panel.getByText('The companion cannot be reached. Reconnecting…').waitFor();
    go();
    line.mend();
    await chat.answered('The first half, and the second.');
    expect(await chat.answers.filter({ hasText: 'The first half, ' }).count()).toBe(1);
  });

  it('tells that the daemon was stopped, keeps what was said, and connects again', async () => {
    const { stage, tandem } = open.current;
    const chat = await ChatPage.connected(tandem);
    stage.model.script(say('Here I am.'));
    await chat.send('Hello');
    await chat.answered('Here I am.');
    await stage.daemon.stop();
    const bar = chat.panel.getByRole('alert').filter({ hasText: 'The daemon was stopped.' });
    await bar.waitFor();
    await chat.answered('Here I am.');
    await stage.restart();
    await bar.getByRole('button', { name: 'Connect again' }).click();
    await bar.waitFor({ state: 'detached' });
    await chat.panel.getByText(', Connected', { exact: true }).waitFor({ state: 'attached' });
    stage.model.script(say('Here I am again.'));
    await chat.send('And now?');
    await chat.answered('Here I am again.');
  });

  it('reconnects by itself to a daemon that was killed and is back', async () => {
    const { stage, tandem } = open.current;
    const chat = await ChatPage.connected(tandem);
    stage.model.script(say('I am there.'));
    await chat.send('Hello');
    await chat.answered('I am there.');
    process.kill(stage.daemon.pid, 'SIGKILL');
    await chat.panel.getByText('The connection to the daemon was lost. Reconnecting…').waitFor();
    await stage.daemon.ended;
    await stage.restart();
    await chat.panel.getByText(', Connected', { exact: true }).waitFor({ state: 'attached' });
    stage.model.script(say('Back again.'));
    await chat.send('And now?');
    await chat.answered('Back again.');
    expect(await chat.answers.filter({ hasText: 'I am there.' }).count()).toBe(1);
  });
});

describe('setting it up', () => {
  it('connects by an address and a token that the person types, which the page does not keep', async () => {
    const { stage } = open.current;
    const tandem = await serve(stage.sandbox, stage.workspace);
    const chat = await ChatPage.open(tandem);
    await chat.panel.getByText('Connect to a running daemon').click();
    await chat.panel.getByLabel('Address').fill(stage.daemon.url);
    await chat.panel.getByLabel('Token').fill('wrong');
    await chat.button('Connect').click();
    await chat.panel.getByRole('heading', { name: 'The daemon does not accept the token' }).waitFor();
    await chat.panel.getByLabel('Token').fill(stage.daemon.token);
    await chat.button('Connect').click();
    await chat.field.waitFor();
    const kept = await chat.page.evaluate(() =>
      JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }]),
    );
    expect(kept).not.toContain(stage.daemon.token);
  });

  it('refuses an address of another machine', async () => {
    const sandbox = await openSandbox();
    const tandem = await serve(sandbox, await sandbox.folder('workspace'));
    const chat = await ChatPage.open(tandem);
    await chat.panel.getByText('Connect to a running daemon').click();
    await chat.panel.getByLabel('Address').fill('http://192.0.2.1:4170');
    await chat.button('Connect').click();
    await chat.panel.getByRole('alert').filter({ hasText: '192.0.2.1 is not this machine' }).waitFor();
  });

  it('says what to install where there is no qwen', async () => {
    const sandbox = await openSandbox();
    const tandem = await serve(sandbox, await sandbox.folder('workspace'));
    const chat = await ChatPage.open(tandem);
    await chat.button('Start a daemon for this folder').click();
    await chat.panel.getByRole('alert').filter({ hasText: 'npm install -g @qwen-code/qwen-code' }).waitFor();
  });

  it('starts a daemon for the folder, and ends it with the companion', async () => {
    const { stage } = open.current;
    const [node, qwen] = qwenCommand;
    await stage.sandbox.write(
      `${stage.sandbox.bin}/qwen`,
      `#!/bin/sh\necho $$ > "${stage.sandbox.root}/pid"\nexec "${node}" "${qwen}" "$@"\n`,
      0o700,
    );
    const tandem = await serve(stage.sandbox, stage.workspace);
    const chat = await ChatPage.open(tandem);
    await chat.button('Start a daemon for this folder').click();
    await chat.field.waitFor();
    stage.model.script(say('Started, here I am.'));
    await chat.send('Hello');
    await chat.answered('Started, here I am.');
    const pid = Number(await readFile(`${stage.sandbox.root}/pid`, 'utf8'));
    expect(() => process.kill(pid, 0)).not.toThrow();
    await tandem.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
