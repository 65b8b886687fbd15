import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type TabOptions, useBrowser } from '../src/browser.js';
import { ChatPage } from '../src/chat/chatPage.js';
import { useChatStage } from '../src/chat/chatStage.js';
import { connectClaudeAgent, connectHttpAgent, type McpAgent } from '../src/mcpAgents.js';
import { call, say } from '../src/model/turn.js';
import { ReviewPage } from '../src/reviewPage.js';
import { Stage } from '../src/stage.js';
import { proposals, putWeatherStation } from './weatherStation.js';

useBrowser();

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const wide: TabOptions = { viewport: { width: 1360, height: 800 }, deviceScaleFactor: 1.5 };

async function save(page: Page, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // The name of this machine is of no interest to readers.
  await page
    .getByText(/^on /)
    .first()
    .evaluate((element) => element.replaceChildren('on laptop'));
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${folder}${name}.png`, animations: 'disabled' });
}

it('shows reviews of three agents', async () => {
  const stage = await Stage.open({ workspace: 'weather-station' });
  await putWeatherStation(stage);
  const propose = (agent: McpAgent, name: keyof typeof proposals) =>
    agent.propose(stage.path(name), proposals[name]);
  const claude = await connectClaudeAgent(stage.tandem);
  await propose(claude, 'src/forecast.ts');
  await propose(claude, 'src/alarm.ts');
  await propose(await connectHttpAgent(stage.tandem, 'gemini'), 'src/statistics.ts');
  await propose(await connectHttpAgent(stage.tandem, 'qwen'), 'README.md');

  const { page, ...tab } = await openDark(stage, wide);
  await tab.review.openFile('src/sensors.ts');
  await tab.review.openReview('src/forecast.ts');
  await save(page, 'review-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('button', { name: 'Unified' }).click();
  await save(page, 'review-light');

  const narrow = await openDark(stage, { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2 });
  await narrow.review.proposal('src/forecast.ts').waitFor();
  await save(narrow.page, 'review-narrow');
});

async function openDark(stage: Stage, options: TabOptions) {
  const review = await ReviewPage.open(stage.tandem, { ...options, colorScheme: 'dark' });
  return { review, page: review.page };
}

const open = useChatStage();

it('shows a chat that asks before it writes a file', async () => {
  const { stage, tandem } = open.current;
  const greeting = "export function greet(name: string): string {\n  return 'Hello ' + name;\n}\n";
  await stage.sandbox.write(stage.path('src/greet.ts'), greeting);
  const chat = await ChatPage.connected(tandem, wide);
  await chat.begin();
  await chat.review.openFile('src/greet.ts');
  stage.model.script(
    say('It puts the name after “Hello ”, also a name with spaces around it.'),
    call('read_file', { file_path: stage.path('src/greet.ts') }),
    call('write_file', {
      file_path: stage.path('src/greet.ts'),
      content: greeting.replace('+ name', '+ name.trim()'),
    }),
    say('Done.'),
  );
  await chat.send('What does greet do?');
  await chat.answered('also a name with spaces');
  await chat.send('Remove the spaces');
  await chat.asked.getByRole('button', { name: 'Open diff' }).click();
  await chat.page.getByText('From the chat; read only').waitFor();
  await save(chat.page, 'chat');
  await chat.asked.getByRole('button', { name: 'Allow', exact: true }).click();
  await chat.answered('Done.');
  expect(await stage.read('src/greet.ts')).toContain('trim()');
});
