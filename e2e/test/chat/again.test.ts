import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { useBrowser } from '../../src/browser.js';
import { ChatPage } from '../../src/chat/chatPage.js';
import { DaemonStage, qwenCommand } from '../../src/daemon/daemonStage.js';
import { say } from '../../src/model/turn.js';
import { serve } from '../../src/stage.js';

useBrowser();

it('shows the conversation that was open when its own daemon had ended and is started anew', async () => {
  const stage = await DaemonStage.open();
  onTestFinished(() => stage.dispose());
  const pidFile = `${stage.sandbox.root}/pid`;
  const [node, qwen] = qwenCommand;
  await stage.sandbox.write(
    `${stage.sandbox.bin}/qwen`,
    `#!/bin/sh\necho $$ > "${pidFile}"\nexec "${node}" "${qwen}" "$@"\n`,
    0o700,
  );
  const chat = await ChatPage.open(await serve(stage.sandbox, stage.workspace));
  await chat.button('Start a daemon for this folder').click();
  await chat.field.waitFor();
  // Not the conversation that everybody shares.
  await chat.begin();
  stage.model.script(say('Here I am.'));
  await chat.send('Hello');
  await chat.answered('Here I am.');
  process.kill(Number(await readFile(pidFile, 'utf8')), 'SIGTERM');
  const bar = chat.panel.getByRole('alert').filter({ hasText: 'The daemon was stopped.' });
  await bar.getByRole('button', { name: 'Connect again' }).click();
  await bar.waitFor({ state: 'detached' });
  await chat.answered('Here I am.');
  stage.model.script(say('Here I am again.'));
  await chat.send('And now?');
  await chat.answered('Here I am again.');
  expect(await chat.said.allTextContents()).toEqual(
    expect.arrayContaining([expect.stringContaining('Hello'), expect.stringContaining('And now?')]),
  );
  expect(await chat.said.count()).toBe(2);
});
