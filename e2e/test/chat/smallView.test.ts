import { fileURLToPath } from 'node:url';
import type { ChatModel, ChatPermission, ChatQuestions } from '@tandem/chat/model';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { expectAccessibleView } from '../../src/accessibility.js';
import { useBrowser } from '../../src/browser.js';
import { ChatWebview, connectedChat, useChatPanel, type ViewSize } from '../../src/chat/chatWebview.js';
import { editorThemes } from '../../src/chat/editorThemes.js';
import { expectUsable, expectVisible, tabTo } from '../../src/chat/usableRequest.js';

const pictures = fileURLToPath(new URL('../../../test-results/pictures/', import.meta.url));

useBrowser();
useChatPanel();

const permission: ChatPermission = {
  kind: 'permission',
  requestId: 'r',
  toolCallId: 't',
  title: 'Say hello',
  toolKind: 'execute',
  toolName: 'run_shell_command',
  options: [
    { optionId: 'project', name: 'Always Allow in project', isAllow: true, scope: 'project' },
    { optionId: 'user', name: 'Always Allow for user', isAllow: true, scope: 'user' },
    { optionId: 'once', name: 'Allow', isAllow: true, scope: 'once' },
    { optionId: 'cancel', name: 'Reject', isAllow: false, scope: 'once' },
  ],
  content: [],
  locations: [],
  isAnswering: false,
};

const command: ChatPermission = {
  ...permission,
  // Qwen Code names the commands that an option would allow.
  options: permission.options.map((option) =>
    option.isAllow && option.scope !== 'once'
      ? { ...option, name: `${option.name}: npm install *, npm test *` }
      : option,
  ),
  input: {
    command: 'npm install --save-dev vitest && npm test -- --run',
    description: 'Installs and runs the tests',
  },
};

const change: ChatPermission = {
  ...permission,
  toolKind: 'edit',
  toolName: 'write_file',
  input: { file_path: '/w/src/components/notes.txt', content: 'one\ntwo\n' },
  content: [{ type: 'diff', path: '/w/src/components/notes.txt', oldText: 'zero\n', newText: 'one\ntwo\n' }],
};

const questions: ChatQuestions = {
  ...permission,
  kind: 'questions',
  questions: [
    {
      key: '0',
      header: 'Colour',
      question: 'Which colour?',
      options: [{ label: 'Blue', description: 'Like the sky in the morning' }, { label: 'Green' }],
      isMultiSelect: false,
    },
  ],
};

const asking = (request: ChatModel['pending'][number]): ChatModel => ({
  ...connectedChat,
  items: [
    { kind: 'user', id: 0, text: 'Write a note', images: [] },
    { kind: 'assistant', id: 1, text: 'I will write it.' },
  ],
  modes: { current: 'default', available: [{ id: 'default', name: 'Default' }] },
  models: { current: 'm', available: [{ id: 'm', name: 'qwen3-coder-plus' }] },
  plan: Array.from({ length: 5 }, (_, at) => ({
    content: `Step ${at + 1}`,
    status: 'pending',
    priority: 'high',
  })),
  usage: { inputTokens: 1000, outputTokens: 200, contextUsed: 10, contextSize: 100 },
  turn: { state: 'running', promptId: 'p', queued: [{ promptId: 'q', text: 'And then another one' }] },
  pending: [request],
});

/** From less than the default size of the view in a window of 800 pixels, 300 x 371, to more. */
const sizes: readonly ViewSize[] = [
  { width: 200, height: 275 },
  { width: 250, height: 275 },
  { width: 300, height: 275 },
  { width: 300, height: 400 },
  { width: 300, height: 600 },
  { width: 300, height: 900 },
];

const small: ViewSize = { width: 300, height: 275 };

/** A view that asks, in every size one after the other. */
async function inEverySize(
  request: ChatModel['pending'][number],
  check: (chat: ChatWebview) => Promise<void>,
): Promise<void> {
  const chat = await ChatWebview.open({ size: small, theme: editorThemes.dark, model: asking(request) });
  for (const size of sizes) {
    await chat.page.setViewportSize(size);
    await check(chat);
  }
}

describe('a request in a small chat view', () => {
  it('shows a command, all its options and where they are stored', async () => {
    await inEverySize(command, async ({ asked, page }) => {
      const parts = [
        asked.getByRole('heading', { name: 'Run npm install' }),
        asked.getByRole('group', { name: 'command' }).locator('pre'),
        asked.getByText('Installs and runs the tests'),
        asked.getByText('settings.json in this folder').filter({ visible: true }),
        asked.getByText('Applies to every folder').filter({ visible: true }),
      ];
      const isNarrow = (page.viewportSize()?.width ?? 0) < small.width;
      await asked.locator('[data-asked]').evaluate((body) => body.scrollTo(0, 0));
      if (!isNarrow) await expectVisible(asked.getByText('Tool: run_shell_command'));
      await expectUsable(asked, parts, isNarrow ? 2 : undefined);
      for (const { name } of command.options) {
        await tabTo(asked.getByRole('button', { name, exact: true }));
      }
    });
  });

  it('shows a change and the link to its diff', async () => {
    await inEverySize(change, async (chat) => {
      const { asked, page } = chat;
      const link = asked.getByRole('button', { name: 'Open diff' });
      await expectUsable(asked, [
        asked.getByRole('heading', { name: 'Change notes.txt?' }),
        asked.getByText('src/components/notes.txt'),
        asked.getByText('two'),
        link,
      ]);
      await tabTo(link);
      await page.keyboard.press('Enter');
      expect((await chat.calls()).at(-1)).toMatchObject({ method: 'diff.open' });
    });
  });

  it('shows a question with all its answers', exhaustive, async () => {
    await inEverySize(questions, async ({ asked }) => {
      await expectUsable(asked, [
        asked.getByText('Which colour?'),
        asked.getByRole('radio', { name: /Blue/ }),
        asked.getByRole('radio', { name: 'Something else…' }),
        asked.getByRole('textbox'),
      ]);
    });
  });

  it.each(Object.entries(editorThemes))('is accessible in the theme %s', async (name, theme) => {
    const chat = await ChatWebview.open({ size: small, theme, model: asking(command) });
    for (const [kind, request] of Object.entries({ command, change, questions })) {
      await chat.show(asking(request));
      for (const width of [200, 300]) {
        await chat.page.setViewportSize({ ...small, width });
        await chat.page.screenshot({ path: `${pictures}smallChat-${kind}-${name}-${width}.png` });
      }
      await expectAccessibleView(chat.page);
    }
    await chat.page.emulateMedia({ forcedColors: 'active' });
    await chat.page.screenshot({ path: `${pictures}smallChat-questions-${name}-forced.png` });
  });

  it('keeps the focus and the text of a message that is being typed when a request arrives', async () => {
    const idle: ChatModel = { ...asking(command), pending: [] };
    const chat = await ChatWebview.open({ size: small, theme: editorThemes.dark, model: idle });
    await chat.field.fill('First line\nsecond line\nthird');
    await chat.show(asking(change));
    await expectUsable(chat.asked, [chat.asked.getByRole('button', { name: 'Open diff' })]);
    await chat.page.keyboard.type('!');
    expect(await chat.field.inputValue()).toBe('First line\nsecond line\nthird!');
    await chat.field.click();
  });

  it('keeps the focus on a control beside the field', exhaustive, async () => {
    const idle: ChatModel = { ...asking(command), pending: [] };
    const chat = await ChatWebview.open({ size: small, theme: editorThemes.dark, model: idle });
    const mode = chat.page.getByRole('combobox', { name: 'Approval mode' });
    await mode.focus();
    await chat.show(asking(command));
    await expectUsable(chat.asked, []);
    expect(await mode.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});

it('a narrow chat view shows its title', async () => {
  const chat = await ChatWebview.open({
    size: { width: 170, height: 400 },
    theme: editorThemes.dark,
    model: { ...asking(command), pending: [] },
  });
  const title = chat.page.getByRole('heading', { level: 2 });
  expect(await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await chat.page.screenshot({ path: `${pictures}narrowChat.png` });
});
