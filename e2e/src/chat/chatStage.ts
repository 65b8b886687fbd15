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

/** As long as a whole test may take: a daemon takes seconds of a core to start, of a busy core many. */
const startLimit = 90_000;

/**
 * One for all tests of a file, or of a group: a daemon takes seconds to start. What a failed test leaves is thrown
 * away, and the next one has a daemon and a companion of its own.
 */
export function useChatStage(): {
  readonly current: ChatStage;
  /** A page with a chat of the test's own. */
  newChat(options?: TabOptions): Promise<ChatPage>;
} {
  let current: ChatStage | undefined;
  beforeEach(async () => {
    // Registered first, it comes last: whatever else tells of a failure sees the page as it was.
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await discard();
      else current?.stage.model.clearScript();
    });
    current ??= await createChatStage();
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

/** Another companion for the daemon of a stage, which goes away with the test. `url` leads to it another way. */
export async function serveChat(stage: DaemonStage, url = stage.daemon.url): Promise<TandemServer> {
  const tandem = await startCompanion(stage, url);
  onTestFinished(async () => {
    await tandem.stop();
  });
  return tandem;
}

async function createChatStage(): Promise<ChatStage> {
  const stage = await DaemonStage.open();
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
