import { expect, it, onTestFinished } from 'vitest';
import { StreamedDaemon } from '../../../bench/streamedDaemon.js';
import { exhaustive } from '../../../test/exhaustive.js';
import { useBrowser } from '../../src/browser.js';
import { ChatPage } from '../../src/chat/chatPage.js';

import { openSandbox, serve } from '../../src/stage.js';

useBrowser();

/** A chat with a conversation of 2,000 messages. */
async function longChat(): Promise<{ readonly daemon: StreamedDaemon; readonly chat: ChatPage }> {
  const sandbox = await openSandbox();
  const workspace = await sandbox.folder('workspace');
  const daemon = await StreamedDaemon.start(workspace);
  onTestFinished(() => daemon.close());
  const tandem = await serve(sandbox, workspace, { args: ['--daemon', daemon.url] });
  const chat = await ChatPage.connected(tandem);
  daemon.turns(
    1_000,
    (turn) => `Answer **${turn}**\n\n- one\n- two\n\n\`\`\`ts\nconst turn = ${turn};\n\`\`\`\n`,
  );
  await chat.answered('Answer 1000');
  return { daemon, chat };
}

it('renders few of 2,000 messages and scrolls to any of them', async () => {
  const { chat } = await longChat();
  const rows = chat.conversation.getByRole('listitem');
  expect(await chat.conversation.locator('li[aria-setsize]').count()).toBeLessThan(40);
  expect(await chat.conversation.locator('li[aria-setsize]').last().getAttribute('aria-posinset')).toBe(
    '2000',
  );
  await chat.conversation.focus();
  await chat.page.keyboard.press('Home');
  await chat.said.getByText('Question 1', { exact: true }).waitFor();
  await chat.panel.getByRole('button', { name: 'Scroll to the end' }).click();
  await chat.answered('Answer 1000');
  expect(await rows.count()).toBeLessThan(150);
});

it('renders only the last message while it grows', exhaustive, async () => {
  const { daemon, chat } = await longChat();
  daemon.beginTurn('The last question');
  daemon.chunk('It grows');
  await chat.answered('It grows');
  // Code is highlighted a moment later.
  const isColoured = (): Promise<boolean> =>
    chat.conversation.evaluate((list) =>
      [...list.querySelectorAll('pre')].every((code) => code.querySelector('span') !== null),
    );
  await expect.poll(isColoured).toBe(true);
  await chat.conversation.evaluate((conversation) => {
    const touched = new Set<string>();
    // Rows that appear later are highlighted later.
    const isSettled = (row: Element): boolean =>
      [...row.querySelectorAll('pre')].every((code) => code.querySelector('span') !== null);
    const settled = new Set([...conversation.querySelectorAll('li[data-index]')].filter(isSettled));
    Object.assign(window, { touched, settled: settled.size });
    new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement;
        // Only changes inside a row; the list moves the rows themselves.
        const row = element?.closest('li[data-index]');
        if (row != null && element !== row && settled.has(row))
          touched.add(row.getAttribute('data-index') ?? '');
      }
    }).observe(conversation, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  for (let word = 0; word < 50; word++) {
    daemon.chunk(` word-${word}`);
    await chat.answered(`word-${word}`);
  }
  const touched = await chat.page.evaluate(() => [
    ...(window as unknown as { touched: Set<string> }).touched,
  ]);
  expect(touched).toEqual(['2001']);
  expect(await chat.page.evaluate(() => (window as unknown as { settled: number }).settled)).toBeGreaterThan(
    5,
  );
});

it('stays at its end during an answer unless the user scrolls up', exhaustive, async () => {
  const { daemon, chat } = await longChat();
  const distance = (): Promise<number> =>
    chat.conversation.evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
  const top = (): Promise<number> => chat.conversation.evaluate((list) => list.scrollTop);
  daemon.beginTurn('The last question');
  for (let line = 0; line < 40; line++) {
    daemon.chunk(`line ${line}\n\n`);
    await chat.answered(`line ${line}`);
  }
  await expect.poll(distance).toBeLessThan(2);
  await chat.conversation.hover();
  await chat.page.mouse.wheel(0, -600);
  const button = chat.panel.getByRole('button', { name: 'New messages' });
  await button.waitFor();
  const before = await top();
  for (let line = 40; line < 60; line++) daemon.chunk(`line ${line}\n\n`);
  daemon.chunk('the end');
  await expect.poll(distance).toBeGreaterThan(900);
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
  await button.click();
  await chat.answered('the end');
  await expect.poll(distance).toBeLessThan(2);
});
