import { afterAll, beforeEach, onTestFinished } from 'vitest';
import type { TabOptions } from '../browser.js';
import { DaemonStage } from '../daemon/daemonStage.js';
import { TandemServer } from '../tandem.js';
import { ChatPage } from './chatPage.js';

/** A folder with a real daemon that a scripted model answers, and a companion whose page chats with it. */
export interface ChatStage {
  readonly stage: DaemonStage;
  readonly tandem: TandemServer;
}

/** The limit of a whole test: starting a daemon takes seconds of processor time, and much longer on a busy machine. */
const startLimit = 90_000;

/**
 * One stage for all tests of a file or group, because a daemon takes seconds to start. After a failed test, the next
 * one gets a new daemon and a new companion.
 */
export function useChatStage(options: { readonly mcpServer?: string } = {}): {
  readonly current: ChatStage;
  /** A page with a new chat. */
  newChat(options?: TabOptions): Promise<ChatPage>;
} {
  let current: ChatStage | undefined;
  beforeEach(async () => {
    // Registered first, so it runs last: other failure hooks still see the page.
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await discard();
      else current?.stage.model.clearScript();
    });
    current ??= await createChatStage(options);
  }, startLimit);
  afterAll(() => discard());
  async function discard(): Promise<void> {
    const ended = current;
    current = undefined;
    await ended?.tandem.stop();
    await ended?.stage.dispose();
  }
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

/** Another companion for the daemon of a stage. It stops with the test. `url` is another address of the daemon. */
export async function serveChat(stage: DaemonStage, url = stage.daemon.url): Promise<TandemServer> {
  const tandem = await startCompanion(stage, url);
  onTestFinished(async () => {
    await tandem.stop();
  });
  return tandem;
}

async function createChatStage(options: { readonly mcpServer?: string }): Promise<ChatStage> {
  const stage = await DaemonStage.open(options);
  try {
    return { stage, tandem: await startCompanion(stage) };
  } catch (error) {
    await stage.dispose();
    throw error;
  }
}

/** The token is on no command line. */
function startCompanion(
  { sandbox, workspace, daemon }: DaemonStage,
  url = daemon.url,
): Promise<TandemServer> {
  return TandemServer.start(sandbox, workspace, {
    args: ['--daemon', url],
    env: { QWEN_SERVER_TOKEN: daemon.token },
  });
}
