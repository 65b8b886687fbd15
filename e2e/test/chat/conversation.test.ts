import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import type { ChatPage } from '../../src/chat/chatPage.js';
import { useChatStage } from '../../src/chat/chatStage.js';
import { questions } from '../../src/daemon/questions.js';
import { call, fail, say, sayHalf, think } from '../../src/model/turn.js';
import { takePicture, takePictures } from '../../src/takePicture.js';

useBrowser();

const open = useChatStage();

describe('a conversation in the page', () => {
  it('goes from a permission over questions to the end by the mouse, and the file is changed', async () => {
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
    // What asks never takes the caret.
    expect(await chat.field.evaluate((field) => field === document.activeElement)).toBe(true);
    await chat.asked.getByRole('button', { name: 'Open as review' }).click();
    await chat.page
      .getByRole('region', { name: 'Change of first.txt, from the chat' })
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
    await chat.hears('Qwen has answered.');
  });

  it('goes the same way by the keyboard alone', async () => {
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
    await chat.hears(/asks for permission.*second\.txt/);
    await keyboard.press('Alt+q');
    expect(await focusedName(chat)).toBe('Allow');
    await keyboard.press('Enter');
    // What was answered is gone, and the caret is back in the field; what is asked next does not take it.
    await chat.field.and(chat.page.locator(':focus')).waitFor();
    await chat.hears('Qwen asks 2 questions');
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

  it('leaves the file as it is when the change is rejected', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    await stage.sandbox.write(stage.path('note.txt'), 'before\n');
    stage.model.script(
      call('read_file', { file_path: stage.path('note.txt') }),
      call('write_file', { file_path: stage.path('note.txt'), content: 'after\n' }),
      say('As you like.'),
    );
    await chat.send('Change it');
    await chat.asked.getByRole('button', { name: 'Reject' }).click();
    await chat
      .tool(/note\.txt/)
      .getByText('Rejected')
      .waitFor();
    expect(await stage.read('note.txt')).toBe('before\n');
  });

  it('says where an option that lasts is written', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(
      call('run_shell_command', { command: 'touch made.txt', is_background: false }),
      say('Made.'),
    );
    await chat.send('Make it');
    const always = chat.asked.getByRole('button', { name: /Always.*project/ });
    await always.waitFor();
    await chat.asked.getByText('Written to .qwen/settings.json in this folder.').waitFor();
    await always.click();
    await chat.answered('Made.');
    expect(await stage.read('.qwen/settings.json')).toContain('touch');
  });

  it('asks in a corner while the chat is closed, without taking the caret from a text', async () => {
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
    await chat.button('Close the chat').click();
    const text = await chat.review.openFile('text.txt');
    go();
    await chat.asked.getByRole('heading', { name: /new\.txt/ }).waitFor();
    expect(await text.evaluate((field) => field === document.activeElement)).toBe(true);
    await chat.page.keyboard.press('Alt+q');
    await chat.page.keyboard.press('Enter');
    await chat.asked.waitFor({ state: 'detached' });
    await expect.poll(() => stage.read('new.txt').catch(() => '')).toBe('new\n');
  });

  it('tells what failed, and tries it again', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(fail(400, 'the context is too long'));
    await chat.send('Hello');
    await chat.conversation
      .getByRole('article', { name: 'Error' })
      .getByText('the context is too long')
      .waitFor();
    stage.model.script(say('Now it works.'));
    await chat.button('Try again').click();
    await chat.answered('Now it works.');
  });

  it('stops an answer', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(sayHalf('The first half', new Promise(() => {})));
    await chat.send('Tell me');
    await chat.answered('The first half');
    await chat.button('Stop').click();
    await chat.conversation.getByText('Stopped.').waitFor();
    await chat.button('Send').waitFor();
  });

  it('says of a question that it was skipped, and not that something failed', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(call('ask_user_question', { questions }), say('Without it, then.'));
    await chat.send('Ask me');
    await chat.asked.getByRole('button', { name: 'Skip' }).click();
    await chat.tool(/Skipped$/).waitFor();
    await chat.button('Send').waitFor();
    await takePicture(chat.page, 'chat-skipped');
    expect(await chat.conversation.getByText('failed').count()).toBe(0);
  });

  it('shows the messages that are queued, where they can be edited and removed', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    stage.model.script(sayHalf('Wait', held), say('To the third.'));
    await chat.send('First');
    await chat.answered('Wait');
    for (const text of ['Second', 'Third', 'Fourth']) await chat.send(text);
    const queue = chat.panel.getByRole('region', { name: 'Sent after this answer' });
    await queue.getByText('Fourth').waitFor();
    expect(await queue.getByRole('listitem').allTextContents()).toEqual(['Second', 'Third', 'Fourth']);
    await expectAccessible(chat.page);
    await takePictures(chat.page, 'chat-queue');
    await chat.page.emulateMedia({ forcedColors: 'active' });
    await takePicture(chat.page, 'chat-queue-forced');
    await chat.page.emulateMedia({ forcedColors: 'none' });
    await queue.getByRole('button', { name: 'Remove queued message 3' }).click();
    await queue.getByText('Fourth').waitFor({ state: 'detached' });
    await queue.getByRole('button', { name: 'Edit queued message 1' }).click();
    await queue.getByText('Second').waitFor({ state: 'detached' });
    expect(await chat.field.inputValue()).toBe('Second');
    await chat.field.and(chat.page.locator(':focus')).waitFor();
    // The answer that runs was not stopped by that.
    expect(await chat.conversation.getByText('Stopped.').count()).toBe(0);
    go();
    await chat.answered('To the third.');
    await queue.waitFor({ state: 'detached' });
    expect(await chat.said.allTextContents()).toEqual(['First', 'Third']);
    await chat.field.fill('');
  });

  it('switches model and approval mode', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    await chat.choose('Approval mode', 'Auto Edit');
    await chat.choose('Model', 'Fake Two');
    stage.model.script(
      call('write_file', { file_path: stage.path('unasked.txt'), content: 'x\n' }),
      say('Done.'),
    );
    await chat.send('Write');
    await chat.answered('Done.');
    expect(await stage.read('unasked.txt')).toBe('x\n');
    expect(stage.model.conversation.at(-1)?.body).toMatchObject({ model: 'fake-model-2' });
  });

  it('begins a new chat, and goes back to one with its history', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(say('The first answer.'));
    await chat.send('The first question');
    await chat.answered('The first answer.');
    await chat.button('New chat').click();
    await chat.panel.getByRole('heading', { name: 'What should Qwen do?' }).waitFor();
    stage.model.script(say('The second answer.'));
    await chat.send('The second question');
    await chat.answered('The second answer.');
    await chat.button('Chats in this folder').click();
    await chat.panel
      .getByRole('region', { name: 'Chats' })
      .getByRole('button', { name: /The first question/ })
      .click();
    await chat.answered('The first answer.');
    expect(await chat.answers.allTextContents()).toEqual(['The first answer.']);
  });
});

describe('the composer', () => {
  it('mentions a file and the selection, completed by the keyboard', async () => {
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

  it('completes the commands of the daemon', async () => {
    const chat = await open.newChat();
    await chat.field.fill('');
    await chat.page.keyboard.type('/compr');
    await chat.page
      .getByRole('option', { name: /^\/compress\b/ })
      .first()
      .waitFor();
    await chat.page.keyboard.press('Enter');
    await expect.poll(() => chat.field.inputValue()).toMatch(/^\/compress /);
  });

  it('takes a message back to be edited and sent again', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(say('One.'));
    await chat.send('Say on');
    await chat.answered('One.');
    await chat.said.getByRole('button', { name: 'Edit and send again' }).click();
    await expect.poll(() => chat.field.inputValue()).toBe('Say on');
    await chat.panel.getByText('returns to it and drops what followed').waitFor();
    stage.model.script(say('Two.'));
    await chat.send('Say one');
    await chat.answered('Two.');
    expect(await chat.said.allTextContents()).toEqual(['Say one']);
    expect(await chat.answers.allTextContents()).toEqual(['Two.']);
  });

  it('says that an edited message was sent as a new one where the chat cannot go back', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(say('One.'), sayHalf('Half', new Promise(() => {})));
    await chat.send('First');
    await chat.answered('One.');
    await chat.send('Second');
    await chat.answered('Half');
    await chat.said.first().getByRole('button', { name: 'Edit and send again' }).click();
    await chat.send('First, edited');
    await chat.panel.getByText('The chat could not return to that message').first().waitFor();
    expect((await chat.said.allTextContents()).slice(0, 2)).toEqual(['First', 'Second']);
    await chat.button('Stop').click();
  });

  it('sends a picture that was pasted', async () => {
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

  it('refuses a picture for a model that takes none, and sends none that was there before', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    await chat.choose('Model', 'Fake One');
    await chat.paste(dot);
    const pictures = chat.panel.getByRole('list', { name: 'Pictures to send' });
    await pictures.getByRole('img').waitFor();
    await chat.choose('Model', 'Fake Two');
    await chat.panel
      .getByText('Fake Two does not accept pictures, according to the daemon.')
      .first()
      .waitFor();
    const before = stage.model.conversation.length;
    await chat.send('What is this?');
    await chat.hears('Fake Two does not accept pictures');
    expect(await chat.field.inputValue()).toBe('What is this?');
    await pictures.getByRole('button', { name: 'Remove picture 1' }).click();
    await pictures.waitFor({ state: 'detached' });
    await chat.paste(dot);
    await chat.panel
      .getByText('The picture was not added: Fake Two does not accept pictures')
      .first()
      .waitFor();
    expect(await pictures.count()).toBe(0);
    expect(stage.model.conversation).toHaveLength(before);
  });

  it('keeps a draft while the chat is closed', async () => {
    const chat = await open.newChat();
    await chat.field.fill('not yet');
    await chat.button('Close the chat').click();
    await chat.panel.waitFor({ state: 'detached' });
    await chat.page.keyboard.press('Alt+c');
    expect(await chat.field.inputValue()).toBe('not yet');
  });
});

const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function focusedName(chat: ChatPage): Promise<string> {
  return chat.page.evaluate(() => document.activeElement?.textContent ?? '');
}
