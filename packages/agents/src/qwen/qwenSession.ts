import {
  describeError,
  type EditorContext,
  type Logger,
  type Reviews,
  type SharedContext,
} from '@tandem/core';
import type { McpSession, McpSessionHandler, McpTool, SessionEnd } from '@tandem/mcp';
import { closeDiff } from './closeDiff.js';
import { openDiff } from './openDiff.js';
import { QwenDiffs } from './qwenDiffs.js';
import { encodeContext } from './wire.js';

/** One connected Qwen Code: its two tools, and the context it is told. */
export class QwenSession implements McpSessionHandler {
  readonly tools: readonly McpTool[];
  readonly #session: McpSession;
  readonly #services: QwenSessionServices;
  readonly #diffs: QwenDiffs;
  #lastSent: string | undefined;
  #isStreamOpen = false;

  constructor(session: McpSession, services: QwenSessionServices) {
    this.#session = session;
    this.#services = services;
    this.#diffs = new QwenDiffs(session, services.reviews);
    this.tools = [openDiff(this.#diffs), closeDiff(this.#diffs)];
  }

  /** A stream that opens knows nothing yet, also when it follows one that broke. */
  onStreamOpen(): void {
    this.#isStreamOpen = true;
    this.#lastSent = undefined;
    void this.#sendPresentContext();
    this.#diffs.streamOpened();
    this.#services.onStreamOpen(this.#session.id);
  }

  onStreamClose(): void {
    this.#isStreamOpen = false;
    this.#services.onStreamClose(this.#session.id);
  }

  /** `ide/contextUpdate` (qwen-companion.md, section II), unless it says what the last one said. */
  sendContext(context: EditorContext): void {
    if (!this.#isStreamOpen) return;
    try {
      const params = encodeContext(context);
      const key = JSON.stringify(params);
      if (key === this.#lastSent) return;
      this.#lastSent = key;
      void this.#session.notify('ide/contextUpdate', params);
    } catch (error) {
      this.#services.logger.error('a context update was not sent because it is not valid', {
        session: this.#session.id,
        error: describeError(error),
      });
    }
  }

  /** Opens anew what this session had proposed to a companion that this one follows. Its CLI still waits for it. */
  resume(filePath: string, newContent: string): void {
    this.#diffs.open(filePath, newContent, new AbortController().signal).catch((error: unknown) => {
      this.#services.logger.warn('a proposal could not be opened again', { error: describeError(error) });
    });
  }

  onClosed(reason: SessionEnd): void {
    this.#isStreamOpen = false;
    this.#services.reviews.withdrawSession(
      this.#session.id,
      reason === 'closed' ? 'stopped' : 'disconnected',
    );
    this.#services.onClosed(this.#session.id);
  }

  /** Asks the policy anew: sharing may have been paused, or an ignore file changed, since the last update. */
  async #sendPresentContext(): Promise<void> {
    await this.#services.context.refresh();
    this.sendContext(this.#services.context.current);
  }
}

export interface QwenSessionServices {
  readonly reviews: Reviews;
  readonly context: SharedContext;
  readonly logger: Logger;
  /** Called each time that the client can hear from now on. */
  readonly onStreamOpen: (session: string) => void;
  /** Called when it cannot hear any more, or not for now. */
  readonly onStreamClose: (session: string) => void;
  /** Called once, when the session is over. */
  readonly onClosed: (session: string) => void;
}
