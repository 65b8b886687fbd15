import { afterEach, describe, expect, it } from 'vitest';
import { breakableLine } from '../../src/brokenLine.js';
import { useBrowser } from '../../src/browser.js';
import { ChatPage } from '../../src/chat/chatPage.js';
import { useChatStage } from '../../src/chat/chatStage.js';
import { call, say, sayHalf } from '../../src/model/turn.js';
import { openSandbox, serve } from '../../src/stage.js';

useBrowser();
/** All tests use the shared session of one daemon. */
const open = useChatStage();

describe('two clients of one session', () => {
  it('dismisses a request that another client has answered, and reports it', async () => {
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
    // An announcement is replaced after a moment, so wait for it before the cause.
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

  it('shows a pending request and its answer to a page that opens later', async () => {
    const { stage, tandem } = open.current;
    const one = await ChatPage.connected(tandem);
    stage.model.script(
      call('write_file', { file_path: stage.path('b.txt'), content: 'a\n' }),
      say('Written by the one.'),
    );
    await one.send('Write');
    await one.asked.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    const two = await ChatPage.connected(tandem);
    await two.asked.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await one.asked.getByRole('button', { name: 'Allow', exact: true }).click();
    await two.asked.getByText('Answered elsewhere').waitFor();
    await two.answered('Written by the one.');
  });
});

describe('a connection that breaks', () => {
  let go = (): void => {};
  afterEach(() => go());

  it('shows the text of a turn once if the page lost its companion during the turn', async () => {
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
});

describe('setting it up', () => {
  it('refuses another machine and a wrong token, then connects; the page does not store the token', async () => {
    const { stage } = open.current;
    const tandem = await serve(stage.sandbox, stage.workspace);
    const chat = await ChatPage.open(tandem);
    await chat.panel.getByText('Connect to a running daemon').click();
    await chat.panel.getByLabel('Address').fill('http://192.0.2.1:4170');
    await chat.button('Connect').click();
    await chat.panel.getByRole('alert').filter({ hasText: '192.0.2.1 is not this machine' }).waitFor();
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

  it('says what to install if qwen is missing', async () => {
    const sandbox = await openSandbox();
    const tandem = await serve(sandbox, await sandbox.folder('workspace'));
    const chat = await ChatPage.open(tandem);
    await chat.button('Start a daemon for this folder').click();
    await chat.panel.getByRole('alert').filter({ hasText: 'npm install -g @qwen-code/qwen-code' }).waitFor();
  });
});
