import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessible, findUnreachable } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import type { ChatPage } from '../../src/chat/chatPage.js';
import { useChatStage } from '../../src/chat/chatStage.js';
import { questions } from '../../src/daemon/questions.js';
import { call, say, think } from '../../src/model/turn.js';
import { takePictures } from '../../src/takePicture.js';

useBrowser();
const open = useChatStage();

describe("the daemon's token", () => {
  it('is on no command line, in no message to the page and in nothing that the page stores', async () => {
    const { stage } = open.current;
    const { token } = stage.daemon;
    const chat = await open.newChat();
    const frames: string[] = [];
    const answers: Promise<string>[] = [];
    chat.page.on('websocket', (socket) => {
      const note = ({ payload }: { readonly payload: string | Buffer }) => frames.push(payload.toString());
      socket.on('framereceived', note);
      socket.on('framesent', note);
    });
    chat.page.on('response', (response) => answers.push(response.text().catch(() => '')));
    await chat.page.reload();
    await chat.field.waitFor();
    stage.model.script(say('Nothing to see.'));
    await chat.send('Hello');
    await chat.answered('Nothing to see.');
    const received = [...frames, ...(await Promise.all(answers))].join('\n');
    expect(received).toContain('Nothing to see.');
    expect(received).not.toContain(token);
    const kept = await chat.page.evaluate(() =>
      JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }]),
    );
    expect(kept).not.toContain(token);
    const lines = await commandLines();
    expect(lines.some((line) => line.includes(stage.daemon.url))).toBe(true);
    expect(lines.filter((line) => line.includes(token))).toEqual([]);
  });
});

describe('a message of the model', () => {
  it('never becomes a part of the page', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(
      say(
        [
          'Before <script>window.evil = 1</script> <img src=x onerror="window.evil = 2"> after',
          '[a](javascript:window.evil=3) [b](data:text/html,<script>window.evil=4</script>) [c](https://user:pass@example.org/)',
          '![picture](https://example.org/track.png)',
          '<iframe src="https://example.org"></iframe>',
          '[good](https://example.org/page)',
        ].join('\n\n'),
      ),
    );
    await chat.send('Attack <b>me</b>');
    await chat.answered('window.evil = 1');
    await chat.said.getByText('Attack <b>me</b>').waitFor();
    const answer = chat.answers.last();
    await answer.getByText('<img src=x onerror="window.evil = 2">').waitFor();
    expect(await answer.locator('script, img, iframe, [onerror]').count()).toBe(0);
    expect(
      await answer.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['https://example.org/page']);
    await answer.getByText('(example.org/page)').waitFor();
    await answer.getByText('[picture: picture').waitFor();
    expect(await chat.page.evaluate(() => 'evil' in window)).toBe(false);
  });

  it('contains code that can be copied and inserted at the cursor', exhaustive, async () => {
    const { stage } = open.current;
    await stage.sandbox.write(stage.path('target.ts'), 'const before = 1;\n');
    const chat = await open.newChat();
    const text = await chat.review.openFile('target.ts');
    await text.press('ControlOrMeta+End');
    stage.model.script(say('Take this:\n\n```ts\nconst after = 2;\n```\n'));
    await chat.send('Code, please');
    const code = chat.conversation.getByRole('figure', { name: 'Code, ts' });
    // A keyword is an element of its own once the code is highlighted.
    await code.getByText('const', { exact: true }).waitFor();
    await code.getByRole('button', { name: 'Copy code' }).click();
    await code.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await chat.review.clipboard()).toBe('const after = 2;');
    await code.getByRole('button', { name: 'Insert at the cursor' }).click();
    await text.getByText('const after = 2;').waitFor();
  });
});

describe('the chat', () => {
  it('is accessible in every state and appearance', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(
      think(
        'A thought.',
        '## Head\n\nText with `code`, [a link](https://example.org/).\n\n- [x] one\n- [ ] two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1; // note\n```\n',
      ),
    );
    await chat.send('Show all');
    await chat.answered('Head');
    stage.model.script(
      call('todo_write', {
        todos: [
          { id: '1', content: 'Look', status: 'completed' },
          { id: '2', content: 'Leap', status: 'in_progress' },
        ],
      }),
      call('write_file', { file_path: stage.path('access.txt'), content: 'one\n' }),
      call('run_shell_command', { command: 'touch b.txt', is_background: false }),
      call('ask_user_question', { questions }),
      say('Done.'),
    );
    await chat.send('Ask all');
    const allow = chat.asked.getByRole('button', { name: 'Allow', exact: true });
    await allow.waitFor();
    await chat.asked.getByRole('button', { name: 'Open diff' }).click();
    await chat.page.getByText('From the chat; read only').waitFor();
    await chat.takesAnswers();
    await expectAccessible(chat.page);
    expect(await findUnreachable(chat.page)).toEqual([]);
    await chat.page.keyboard.press('F6');
    await pressUntilFocused(chat, 'F6');
    await allow.click();
    await chat.asked.getByText('touch b.txt').first().waitFor();
    await takePictures(chat.page, 'chat-permission');
    await allow.click();
    await chat.asked.getByRole('group', { name: /Which sizes/ }).waitFor();
    await chat.send('A queued message');
    await chat.panel.getByRole('region', { name: 'Queued messages' }).waitFor();
    await expectAccessible(chat.page);
    await takePictures(chat.page, 'chat-queue');
    await chat.button('Close the chat').click();
    await chat.page.getByRole('complementary', { name: 'The chat asks' }).waitFor();
    await expectAccessible(chat.page);
    await chat.asked.getByRole('button', { name: 'Skip' }).click();
    await chat.page.keyboard.press('Alt+c');
    await chat.button('Chats in this folder').click();
    await chat.panel.getByRole('region', { name: 'Chats' }).getByRole('listitem').first().waitFor();
    await expectAccessible(chat.page);
  });

  it('works in a narrow page', exhaustive, async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    await chat.page.setViewportSize({ width: 390, height: 780 });
    await chat.page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Chat' }).click();
    const panel = chat.page.getByRole('main', { name: 'Chat' });
    stage.model.script(say('Narrow.'));
    await panel.getByRole('textbox', { name: 'Message to Qwen' }).fill('Hello');
    await panel.getByRole('button', { name: 'Send', exact: true }).click();
    await panel.getByText('Narrow.').waitFor();
    expect(await findUnreachable(chat.page)).toEqual([]);
  });
});

/** Presses a key until the message field has the focus. */
async function pressUntilFocused(chat: ChatPage, key: string): Promise<void> {
  const isFocused = () => chat.field.evaluate((field) => field === document.activeElement);
  expect(await isFocused()).toBe(false);
  for (let press = 0; press < 8 && !(await isFocused()); press++) await chat.page.keyboard.press(key);
  expect(await isFocused()).toBe(true);
}

/** The command lines of all processes. */
async function commandLines(): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
}
