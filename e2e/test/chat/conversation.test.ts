import { afterEach, describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { breakableLine } from '../../src/brokenLine.js';
import { useBrowser } from '../../src/browser.js';
import { ChatPage } from '../../src/chat/chatPage.js';
import { useChatStage } from '../../src/chat/chatStage.js';
import { questions } from '../../src/daemon/questions.js';
import { call, say, sayHalf, think } from '../../src/model/turn.js';
import { openSandbox, serve } from '../../src/stage.js';
import { takePicture } from '../../src/takePicture.js';

useBrowser();

const open = useChatStage();

/** First, while the companion is in the daemon's shared session. */
describe('two clients of one session', () => {
  it('dismisses a request that another client has answered, and reports it', exhaustive, async () => {
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
    const announced = await chat.watchFor(/Answered elsewhere/);
    await Promise.all([
      announced(),
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

  it('shows the text of a turn once if the page lost its companion during the turn', exhaustive, async () => {
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

  it('says what to install if qwen is missing', exhaustive, async () => {
    const sandbox = await openSandbox();
    const tandem = await serve(sandbox, await sandbox.folder('workspace'));
    const chat = await ChatPage.open(tandem);
    await chat.button('Start a daemon for this folder').click();
    await chat.panel.getByRole('alert').filter({ hasText: 'npm install -g @qwen-code/qwen-code' }).waitFor();
  });
});

describe('a conversation in the page', () => {
  it('works by mouse, from a permission over questions to the answer, and changes the file', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    const path = stage.path('first.txt');
    stage.model.script(
      think('A note is wanted.', 'I write it.'),
      call('write_file', { file_path: path, content: 'one\ntwo\n' }),
      call('ask_user_question', { questions }),
      say('It is **written**.'),
    );
    await chat.send('Hello');
    await chat.answered('I write it.');
    await chat.send('Write a note');
    await chat.asked.getByRole('heading', { name: /first\.txt/ }).waitFor();
    // A request never takes the focus.
    expect(await chat.field.evaluate((field) => field === document.activeElement)).toBe(true);
    await chat.asked.getByRole('button', { name: 'Open diff' }).click();
    await chat.page
      .getByRole('region', { name: 'Change to first.txt, from the chat' })
      .getByText('two')
      .waitFor();
    await chat.asked.getByRole('button', { name: 'Allow', exact: true }).click();
    await chat.asked.getByRole('group', { name: /Which colour/ }).waitFor();
    expect(await stage.read('first.txt')).toBe('one\ntwo\n');
    await chat.asked.getByLabel(/Blue/).check();
    await chat.asked.getByLabel(/Small/).check();
    await chat.asked
      .getByRole('group', { name: /Which sizes/ })
      .getByLabel('Something else…')
      .check();
    await chat.asked.getByRole('textbox', { name: 'Your own answer: Which sizes?' }).fill('Huge');
    await takePicture(chat.page, 'chat-question');
    await chat.asked.getByRole('button', { name: 'Answer' }).click();
    await chat.answered('It is written.');
    expect(stage.model.toolResults.at(-1)).toContain('Small, Huge');
    await chat
      .tool(/first\.txt.*done/)
      .getByText('Allowed')
      .waitFor();
    await chat.waitForMessage('Qwen has answered.');
  });

  it('works by keyboard alone', exhaustive, async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    const { keyboard } = chat.page;
    stage.model.script(
      call('write_file', { file_path: stage.path('second.txt'), content: 'one\n' }),
      call('ask_user_question', { questions }),
      say('All is done.'),
    );
    await keyboard.type('Write a note');
    await keyboard.press('Enter');
    await chat.waitForMessage(/asks for permission.*second\.txt/);
    const allow = chat.asked.getByRole('button', { name: 'Allow', exact: true });
    await allow.waitFor();
    await keyboard.press('Alt+q');
    await allow.and(chat.page.locator(':focus')).waitFor();
    await chat.takesAnswers();
    await keyboard.press('Enter');
    // The focus returns to the field, and the next request does not take it.
    await chat.field.and(chat.page.locator(':focus')).waitFor();
    await chat.waitForMessage('Qwen asks 2 questions');
    expect(await focusedName(chat)).toBe('');
    await keyboard.press('Alt+q');
    await chat.asked.getByRole('radio', { name: /Red/ }).and(chat.page.locator(':focus')).waitFor();
    expect(await stage.read('second.txt')).toBe('one\n');
    await keyboard.press('ArrowDown');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Space');
    await keyboard.press('Enter');
    await chat.answered('All is done.');
    expect(stage.model.toolResults.at(-1)).toMatch(/Blue[\s\S]*Small/);
    await chat.field.and(chat.page.locator(':focus')).waitFor();
  });

  it('shows requests in a corner while it is closed, without taking the focus, and keeps the draft', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    await stage.sandbox.write(stage.path('text.txt'), 'text\n');
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    stage.model.script(
      sayHalf('Wait', held),
      call('write_file', { file_path: stage.path('new.txt'), content: 'new\n' }),
      say('Done.'),
    );
    await chat.send('First');
    await chat.send('Write');
    await chat.field.fill('a draft');
    await chat.button('Close the chat').click();
    const text = await chat.review.openFile('text.txt');
    go();
    await chat.asked.getByRole('heading', { name: /new\.txt/ }).waitFor();
    expect(await text.evaluate((field) => field === document.activeElement)).toBe(true);
    await chat.takesAnswers();
    await chat.page.keyboard.press('Alt+q');
    await chat.page.keyboard.press('Enter');
    await chat.asked.waitFor({ state: 'detached' });
    await expect.poll(() => stage.read('new.txt').catch(() => '')).toBe('new\n');
    await chat.page.keyboard.press('Alt+c');
    expect(await chat.field.inputValue()).toBe('a draft');
  });
});

describe('the composer', () => {
  it('completes a mention of a file and of the selection by keyboard', exhaustive, async () => {
    const { stage } = open.current;
    await stage.sandbox.write(stage.path('src/one.ts'), 'const a = 1;\nconst b = 2;\nconst c = 3;\n');
    const chat = await open.newChat();
    const text = await chat.review.openFile('src/one.ts');
    await text.press('ControlOrMeta+Home');
    await text.press('ArrowDown');
    await text.press('Shift+ArrowDown');
    await chat.page.keyboard.press('Alt+c');
    await chat.field.and(chat.page.locator(':focus')).waitFor();
    stage.model.script(say('I see.'));
    await chat.page.keyboard.type('Look at @sel');
    await chat.page.getByRole('option', { name: /Selection/ }).waitFor();
    await chat.page.keyboard.press('Enter');
    await chat.page.keyboard.type('and @one');
    await chat.page.getByRole('option', { name: 'src/one.ts' }).first().waitFor();
    await chat.page.keyboard.press('Tab');
    await expect.poll(() => chat.field.inputValue()).toBe('Look at @src/one.ts:2 and @src/one.ts ');
    await chat.page.keyboard.press('Enter');
    await chat.answered('I see.');
    expect(stage.model.conversation.at(-1)?.raw).toContain('const b = 2;');
  });

  it('sends a pasted picture', exhaustive, async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    await chat.choose('Model', 'Fake One');
    stage.model.script(say('A dot.'));
    await chat.paste(dot);
    await chat.panel.getByRole('list', { name: 'Pictures to send' }).getByRole('img').waitFor();
    await chat.send('What is this?');
    await chat.answered('A dot.');
    await chat.said.getByRole('img').or(chat.said.getByText('picture')).first().waitFor();
    expect(stage.model.conversation.at(-1)?.raw).toContain(dot);
  });
});

const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function focusedName(chat: ChatPage): Promise<string> {
  return chat.page.evaluate(() => document.activeElement?.textContent ?? '');
}
