import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageAddress, useOwnBrowser } from '../../src/browser.js';
import { ChatPage } from '../../src/chat/chatPage.js';
import { DaemonLine } from '../../src/daemon/daemonLine.js';
import { DaemonStage } from '../../src/daemon/daemonStage.js';
import { expectNothingGot, liveProtocols, origins, unguardedBrowser } from '../../src/hostileOrigins.js';
import { serveHostilePage } from '../../src/hostilePage.js';
import { say } from '../../src/model/turn.js';
import { TandemServer } from '../../src/tandem.js';

useOwnBrowser(unguardedBrowser);

/** A real daemon behind a proxy that records all requests, and a companion whose page chats with it. */
let stage: DaemonStage;
let line: DaemonLine;
let tandem: TandemServer;
beforeAll(async () => {
  stage = await DaemonStage.open();
  line = await DaemonLine.to(stage.daemon.url);
  tandem = await TandemServer.start(stage.sandbox, stage.workspace, {
    args: ['--daemon', line.url],
    env: { QWEN_SERVER_TOKEN: stage.daemon.token },
  });
});
afterAll(async () => {
  await tandem.stop();
  await line.close();
  await stage.dispose();
});

/** Requests that the user's open chat sends by itself. */
const ownRequests = /heartbeat|\/events 200$/;

describe.each(origins)('a page $what, while the user chats with a daemon', (origin) => {
  it('gets nothing from the chat and does not reach the daemon', async () => {
    const chat = await ChatPage.connected(tandem);
    await chat.begin();
    const page = new URL(pageAddress(tandem));
    const token = page.hash.slice('#key='.length);
    const before = { answers: line.answers.length, asked: stage.model.requests.length };
    await expectNothingGot({
      name: 'the chat',
      target: {
        port: Number(page.port),
        paths: ['/api/chat.send', '/api/chat.follow', '/api/chat.new', '/api/chat.answer', '/live'],
        token,
        subprotocols: [[], await liveProtocols(token)],
        body: '{"text":"stolen","mentions":[],"images":[]}',
      },
      origin,
      hostilePort: await serveHostilePage(),
    });
    expect(line.answers.slice(before.answers).filter((answer) => !ownRequests.test(answer))).toEqual([]);
    expect(stage.model.requests.length).toBe(before.asked);
    // The chat still belongs to the user, and is empty.
    stage.model.script(say('Hello.'));
    await chat.send('Anybody there?');
    await chat.answered('Hello.');
    expect(await chat.answers.count()).toBe(1);
    expect(JSON.stringify(stage.model.requests)).not.toContain('stolen');
  }, 180_000);
});
