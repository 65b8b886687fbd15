import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DaemonStage } from '../../e2e/src/daemon/daemonStage.js';
import { questions } from '../../e2e/src/daemon/questions.js';
import { call, say, type Turn } from '../../e2e/src/model/turn.js';
import { ChatFrame } from '../src/chatFrame.js';
import type { EditorWindow } from '../src/editorWindow.js';
import { useSite } from '../src/vscodeSite.js';

const pictures = fileURLToPath(new URL('../../test-results/pictures/', import.meta.url));
const site = useSite();
let stage: DaemonStage;
beforeAll(async () => {
  stage = await DaemonStage.open();
});
afterEach(() => stage.model.clearScript());
afterAll(() => stage.dispose());

const connected = new WeakSet<EditorWindow>();

async function share(): Promise<ChatFrame> {
  const window = await site.current.shareWindow(stage.workspace);
  const chat = await ChatFrame.open(window);
  if (!connected.has(window)) await chat.connect(stage.daemon);
  connected.add(window);
  await chat.begin();
  return chat;
}

/** Nothing was run, written or allowed for later. */
async function expectNothing(): Promise<void> {
  await expect(stage.read('owned.txt')).rejects.toThrow(/ENOENT/);
  await expect(stage.read('.qwen/settings.json')).rejects.toThrow(/ENOENT/);
}

const attacks: readonly (readonly [string, () => Turn, string, string, readonly string[]])[] = [
  [
    'a shell command with no questions',
    () => call('run_shell_command', { command: 'touch owned.txt', questions: [], description: 'List files' }),
    'Qwen asks: run touch owned.txt?',
    'Run touch owned.txt?',
    [
      'Tool: run_shell_command',
      'command: touch owned.txt',
      'description (in the words of the agent): List files',
    ],
  ],
  [
    'a file with harmless questions',
    () => call('write_file', { file_path: stage.path('owned.txt'), content: 'owned\n', questions: [] }),
    'Qwen asks: change owned.txt?',
    'Change owned.txt?',
    ['Tool: write_file', 'questions: []', '+ owned'],
  ],
];

describe('a hostile model in VS Code', () => {
  it.each(attacks)(
    'gets a permission that shows what would be executed, in quick pick and panel: %s',
    async (_name, turn, title, heading, rows) => {
      const chat = await share();
      const { window } = chat;
      stage.model.script(turn(), say('Done.'));
      await chat.send('Ask me something');
      const pick = chat.pick(title);
      await pick.waitFor();
      for (const row of rows) await window.row(row).first().waitFor();
      await chat.asked.getByRole('heading', { name: heading, exact: true }).waitFor();
      expect(await chat.asked.getByRole('button', { name: 'Answer' }).count()).toBe(0);
      // What is there to be read answers nothing.
      await window.quickInput.locator('.quick-input-titlebar .action-label').first().waitFor();
      await window
        .row(rows[0] ?? '')
        .first()
        .click();
      await pick.waitFor();
      await expectNothing();
      await window.page.screenshot({ path: `${pictures}vscodeConsent.png` });
      await chat.settle(pick, () => window.row('Reject').first().click());
      await chat.asked.waitFor({ state: 'detached' });
      await expectNothing();
    },
  );

  it('cannot have a command allowed that the quick pick does not show whole', async () => {
    const chat = await share();
    const { window } = chat;
    const steps = Array.from({ length: 30 }, (_, at) => `echo step ${at}`);
    stage.model.script(
      call('run_shell_command', {
        command: `${steps.join('\n')}\ntouch owned.txt`,
        description: 'List files',
      }),
      say('Done.'),
    );
    await chat.send('Check the build');
    const pick = chat.pick('Qwen asks: run this command?');
    await pick.waitFor();
    await window.row('echo step 0').first().waitFor();
    expect(await window.row('Allow').count()).toBe(0);
    await window.page.screenshot({ path: `${pictures}vscodeConsentLong.png` });
    // What Enter would choose leads to the panel, where all of it stands.
    await chat.settle(pick, () => window.page.keyboard.press('Enter'));
    await expectNothing();
    const command = chat.asked.getByRole('group', { name: 'command (31 lines)' });
    expect(await command.locator('pre').textContent()).toBe(`$ ${steps.join('\n')}\ntouch owned.txt`);
    await chat.asked.getByRole('button', { name: 'Reject' }).click();
    await chat.asked.waitFor({ state: 'detached' });
    await expectNothing();
  });

  it('still can ask real questions, which are answered by nothing but a choice', async () => {
    const chat = await share();
    stage.model.script(call('ask_user_question', { questions: questions.slice(0, 1) }), say('Thanks.'));
    await chat.send('Ask me something');
    const colour = chat.pick('Colour (1/1)');
    await colour.waitFor();
    await chat.settle(colour, () => chat.window.row('Blue').first().click());
    await chat.answered('Thanks.');
    expect(stage.model.toolResults.at(-1)).toContain('Blue');
  });
});
