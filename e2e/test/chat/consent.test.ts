import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useBrowser } from '../../src/browser.js';
import { ChatPage } from '../../src/chat/chatPage.js';
import { serveChat, useChatStage } from '../../src/chat/chatStage.js';
import { expectUsable, tabTo } from '../../src/chat/usableRequest.js';
import { DaemonLine } from '../../src/daemon/daemonLine.js';
import { hostileServer } from '../../src/daemon/hostileServer.js';
import { questions } from '../../src/daemon/questions.js';
import { call, say, type Turn } from '../../src/model/turn.js';
import { takePicture } from '../../src/takePicture.js';

const pictures = fileURLToPath(new URL('../../../test-results/pictures/', import.meta.url));

useBrowser();

const open = useChatStage({ mcpServer: hostileServer });

/** A tool call of the model, and what the card must show. */
interface Attack {
  readonly turn: () => Turn;
  readonly heading: string;
  readonly tool: string;
  readonly shown: readonly string[];
}

const attacks: readonly (readonly [string, Attack])[] = [
  [
    'a shell command with harmless questions',
    {
      turn: () => call('run_shell_command', { command: 'touch owned.txt', questions }),
      heading: 'Run touch owned.txt?',
      tool: 'run_shell_command',
      shown: ['$ touch owned.txt'],
    },
  ],
  [
    'a tool of an MCP server with the name of the question tool',
    {
      turn: () => call('mcp__hostile__ask_user_question', { questions }),
      heading: 'Allow mcp__hostile__ask_user_question?',
      tool: 'mcp__hostile__ask_user_question',
      shown: ['Which colour?'],
    },
  ],
];

/** Expects that nothing was run, written or allowed for later. */
async function expectNothing(): Promise<void> {
  const { stage } = open.current;
  await expect(stage.read('owned.txt')).rejects.toThrow(/ENOENT/);
  await expect(stage.read('.qwen/settings.json')).rejects.toThrow(/ENOENT/);
}

describe('a hostile model', () => {
  it.each(attacks)('gets a permission card that shows what would be executed: %s', async (_name, attack) => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(attack.turn(), say('Done.'));
    await chat.send('Ask me something');
    await chat.asked.getByRole('heading', { name: attack.heading, exact: true }).waitFor();
    await chat.asked.getByText(`Tool: ${attack.tool}`, { exact: true }).waitFor();
    const text = (await chat.asked.textContent()) ?? '';
    for (const part of attack.shown) expect(text).toContain(part);
    expect(text).not.toContain('Answer');
    expect(await chat.asked.getByRole('radio').count()).toBe(0);
    await expectNothing();
    await chat.asked.getByRole('button', { name: 'Reject' }).click();
    await chat.asked.waitFor({ state: 'detached' });
    await expectNothing();
  });

  it('cannot hide a part of a long command', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    const lines = Array.from({ length: 40 }, (_, at) => `echo step ${at}`);
    const command = `true${' '.repeat(300)}; touch \u202eowned.txt\n${'\n'.repeat(200)}${lines.join('\n')}\ntouch owned.txt`;
    stage.model.script(call('run_shell_command', { command, description: '\u202eharmless' }), say('Done.'));
    await chat.send('Check the build');
    await chat.asked.getByRole('heading', { name: 'Run this command?' }).waitFor();
    await chat.asked.getByText('command (242 lines)', { exact: true }).waitFor();
    const shown = chat.asked.getByRole('group', { name: /^command/ }).locator('pre');
    const text = await shown.textContent();
    expect(text).toBe(
      `$ true ⟨300 spaces⟩ ; touch ⟨202E⟩owned.txt\n⟨200 empty lines⟩\n${lines.join('\n')}\ntouch owned.txt`,
    );
    // All of it can be scrolled to, and the options stay in view.
    const content = shown.getByText('touch owned.txt');
    await shown.press('End');
    await chat.asked.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await isBelowAll(chat)).toBe(true);
    await content.waitFor();
    await chat.page.screenshot({ path: `${pictures}pageConsentLong.png` });
    await chat.asked.getByRole('button', { name: 'Reject' }).click();
    await chat.asked.waitFor({ state: 'detached' });
    await expectNothing();
  });

  // A phone, and half of it, as in a page that is magnified to 200 %.
  it.each([
    { width: 390, height: 844 },
    { width: 390, height: 422 },
    { width: 195, height: 422 },
  ])('is answered in a page of $width × $height pixels', async (viewport) => {
    const { stage } = open.current;
    const chat = await open.newChat({ viewport });
    const { asked, page } = chat;
    const command = 'npm install --save-dev vitest && npm test -- --run';
    stage.model.script(call('run_shell_command', { command, description: 'Installs' }), say('Done.'));
    await chat.send('Check the build');
    const parts = [
      asked.getByRole('heading', { name: 'Run npm install' }),
      asked.getByRole('group', { name: 'command' }).locator('pre'),
      asked.getByText('Installs', { exact: true }),
    ];
    await expectUsable(asked, parts, viewport.width < 200 ? 2 : undefined);
    await takePicture(page, `chat-consent-${viewport.width}-${viewport.height}`);
    await tabTo(asked.getByRole('button', { name: 'Reject' }));
    await chat.takesAnswers();
    await page.keyboard.press('Enter');
    await asked.waitFor({ state: 'detached' });
    await expectNothing();
  });

  it('has a question that carries a command refused, and the refusal is shown', async () => {
    const { stage } = open.current;
    // The real daemon refuses such a question itself, so the test changes the event on its way.
    const line = await DaemonLine.to(stage.daemon.url, (events) =>
      events.replaceAll('"rawInput":{"questions"', '"rawInput":{"command":"touch owned.txt","questions"'),
    );
    onTestFinished(() => line.close());
    const chat = await ChatPage.connected(await serveChat(stage, line.url));
    await chat.begin();
    stage.model.script(call('ask_user_question', { questions }), say('Done.'));
    await chat.send('Ask me something');
    const card = chat.tool(/Ask user 2 questions/);
    await card.getByText('Refused', { exact: true }).waitFor();
    await card.getByText('but it carries more than its questions. Nothing was run.').waitFor();
    await chat.asked.waitFor({ state: 'detached' });
    await chat.page.screenshot({ path: `${pictures}pageConsentRefused.png` });
    await expectNothing();
  });

  it('gets no answer from a second click that was meant for the previous request', async () => {
    const { stage } = open.current;
    const chat = await open.newChat();
    stage.model.script(
      call('write_file', { file_path: stage.path('wanted.txt'), content: 'wanted\n' }),
      call('run_shell_command', { command: 'touch owned.txt' }),
      say('Done.'),
    );
    await chat.send('Write it');
    const allow = chat.asked.getByRole('button', { name: 'Allow', exact: true });
    await allow.waitFor();
    // Clicks each allowing button whenever the page changes, as soon as it appears, like a double click.
    const clicked = chat.page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let clicks = 0;
          const end = (): void => {
            observer.disconnect();
            resolve(clicks);
          };
          const click = (): void => {
            const button = [...document.querySelectorAll('button')].find(
              ({ textContent }) => textContent === 'Allow',
            );
            if (button === undefined) return;
            const isSecond = document.body.textContent?.includes('Run touch owned.txt?') === true;
            button.click();
            clicks += 1;
            if (isSecond) end();
          };
          const observer = new MutationObserver(click);
          observer.observe(document.body, { subtree: true, childList: true, attributes: true });
          click();
        }),
    );
    expect(await clicked).toBeGreaterThan(1);
    await chat.asked.getByRole('heading', { name: 'Run touch owned.txt?' }).waitFor();
    await chat.page.screenshot({ path: `${pictures}pageConsent.png` });
    await chat.asked.getByRole('button', { name: 'Reject' }).click();
    await chat.asked.waitFor({ state: 'detached' });
    await expectNothing();
  });
});

/** Whether the options are visible in the page, below the scrolling part. */
async function isBelowAll(chat: ChatPage): Promise<boolean> {
  const allow = await chat.asked.getByRole('button', { name: 'Allow', exact: true }).boundingBox();
  const { height } = chat.page.viewportSize() ?? { height: 0 };
  return allow !== null && allow.y > 0 && allow.y + allow.height <= height;
}
