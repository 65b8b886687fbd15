import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import type { TabOptions } from '../browser.js';
import { DaemonStage } from '../daemon/daemonStage.js';
import { TandemServer } from '../tandem.js';
import { ChatPage } from './chatPage.js';

/** A folder with a real daemon that a scripted model answers, and a companion whose page chats with it. */
export interface ChatStage {
  readonly stage: DaemonStage;
  readonly tandem: TandemServer;
}

/** One for all tests of a file, or of a group: a daemon takes seconds to start. */
export function useChatStage(): {
  readonly current: ChatStage;
  /** A page with a chat of the test's own. */
  newChat(options?: TabOptions): Promise<ChatPage>;
} {
  let current: ChatStage | undefined;
  beforeAll(async () => {
    const stage = await DaemonStage.open();
    current = { stage, tandem: await startCompanion(stage) };
  });
  afterEach(() => current?.stage.model.clearScript());
  afterAll(async () => {
    await current?.tandem.stop();
    await current?.stage.dispose();
  });
  const require = (): ChatStage => {
    if (current === undefined) throw new Error('The stage is used before the tests.');
    return current;
  };
  return {
    get current() {
      return require();
    },
    async newChat(options) {
      const chat = await ChatPage.connected(require().tandem, options);
      await chat.begin();
      return chat;
    },
  };
}

/** One that goes away with the test, which may end and break parts of it. */
export async function openChatStage(): Promise<ChatStage> {
  const stage = await DaemonStage.open();
  onTestFinished(() => stage.dispose());
  return { stage, tandem: await serveChat(stage) };
}

/** Another companion for the daemon of a stage, which goes away with the test. */
export async function serveChat(stage: DaemonStage): Promise<TandemServer> {
  const tandem = await startCompanion(stage);
  onTestFinished(async () => {
    await tandem.stop();
  });
  return tandem;
}

/** The token is on no command line. */
function startCompanion({ sandbox, workspace, daemon }: DaemonStage): Promise<TandemServer> {
  return TandemServer.start(sandbox, workspace, {
    args: ['--daemon', daemon.url],
    env: { QWEN_SERVER_TOKEN: daemon.token },
  });
}
