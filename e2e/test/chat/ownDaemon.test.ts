import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { useBrowser } from '../../src/browser.js';
import { ChatPage } from '../../src/chat/chatPage.js';
import { DaemonStage, qwenCommand } from '../../src/daemon/daemonStage.js';
import { say } from '../../src/model/turn.js';
import { serve } from '../../src/stage.js';

useBrowser();

it('starts a daemon, restarts it with the same conversation after its end, and ends it with the companion', async () => {
  const stage = await DaemonStage.open();
  onTestFinished(() => stage.dispose());
  const pidFile = `${stage.sandbox.root}/pid`;
  const [node, qwen] = qwenCommand;
  // More than ten seconds for the agent of a session to start: too little on a machine that is busy with other tests.
  await stage.sandbox.write(
    `${stage.sandbox.bin}/qwen`,
    `#!/bin/sh\necho $$ > "${pidFile}"\nexec "${node}" "${qwen}" "$@" --initialize-timeout-ms 60000\n`,
    0o700,
  );
  const tandem = await serve(stage.sandbox, stage.workspace);
  const chat = await ChatPage.open(tandem);
  await chat.button('Start a daemon for this folder').click();
  await chat.field.waitFor();
  // Not the shared conversation.
  await chat.begin();
  stage.model.script(say('Here I am.'));
  await chat.send('Hello');
  await chat.answered('Here I am.');
  const daemon = async () => Number(await readFile(pidFile, 'utf8'));
  process.kill(await daemon(), 'SIGTERM');
  const bar = chat.panel.getByRole('alert').filter({ hasText: 'The daemon was stopped.' });
  await bar.getByRole('button', { name: 'Retry' }).click();
  await bar.waitFor({ state: 'detached' });
  await chat.answered('Here I am.');
  stage.model.script(say('Here I am again.'));
  await chat.send('And now?');
  await chat.answered('Here I am again.');
  expect(await chat.said.allTextContents()).toEqual(
    expect.arrayContaining([expect.stringContaining('Hello'), expect.stringContaining('And now?')]),
  );
  expect(await chat.said.count()).toBe(2);
  const pid = await daemon();
  expect(() => process.kill(pid, 0)).not.toThrow();
  await tandem.stop();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
