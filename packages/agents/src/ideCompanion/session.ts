import { isAbsolute } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describeError, type Logger, type SharedContext } from '@tandem/core';
import {
  type Connection,
  defineTool,
  jsonResult,
  type McpSession,
  type McpSessionHandler,
  type McpTool,
  type SessionEnd,
  ToolError,
} from '@tandem/mcp';
import { ProposalError, type Reviews } from '@tandem/reviews';
import type { AgentSessions } from '../agentSessions.js';
import { Diffs } from './diffs.js';
import { closeDiffArguments, type IdeContext, openDiffArguments } from './wire.js';

/** One connected CLI: its two tools, and the context that it receives. */
export class IdeCompanionSession implements McpSessionHandler {
  readonly tools: readonly McpTool[];
  readonly #session: McpSession;
  readonly #services: SessionServices;
  readonly #diffs: Diffs;
  #lastSent: IdeContext | undefined;
  #isStreamOpen = false;

  constructor(session: McpSession, services: SessionServices) {
    this.#session = session;
    this.#services = services;
    this.#diffs = new Diffs(session, services);
    this.tools = [openDiff(this.#diffs), closeDiff(this.#diffs)];
  }

  /** A new stream has received nothing yet, even if it replaces a broken one. */
  onStreamOpen(): void {
    this.#isStreamOpen = true;
    this.#lastSent = undefined;
    void this.#sendPresentContext();
    this.#diffs.streamOpened();
    this.#services.sessions.streamOpened(this.#session.id);
  }

  /** The connection of its stream. */
  get stream(): Connection | undefined {
    return this.#isStreamOpen ? this.#session.stream() : undefined;
  }

  onStreamClose(): void {
    this.#isStreamOpen = false;
    this.#services.sessions.streamClosed(this.#session.id);
  }

  /** Sends `ide/contextUpdate` (both documents, section II), unless it equals the last one. */
  sendContext(): void {
    const { message } = this.#services.context;
    if (!this.#isStreamOpen || message === undefined || message === this.#lastSent) return;
    this.#lastSent = message;
    void this.#session.notify('ide/contextUpdate', message);
  }

  /** Reopens this session's proposals to the predecessor. The CLI still waits for the answers. */
  resume(filePath: string, newContent: string): void {
    this.#diffs.open(filePath, newContent, new AbortController().signal).catch((error: unknown) => {
      this.#services.logger.warn('a proposal could not be reopened', { error: describeError(error) });
    });
  }

  onClosed(reason: SessionEnd): void {
    this.#isStreamOpen = false;
    const { reviews, sessions } = this.#services;
    reviews.withdrawSession(this.#session.id, reason === 'closed' ? 'stopped' : 'disconnected');
    sessions.close(this.#session.id);
  }

  /** Refreshes first: since the last update, sharing may have been paused or an ignore file may have changed. */
  async #sendPresentContext(): Promise<void> {
    await this.#services.context.refresh();
    this.sendContext();
  }
}

export interface SessionServices {
  /** Identifier of the agent. */
  readonly agent: string;
  readonly reviews: Reviews;
  readonly context: SharedContext<IdeContext>;
  readonly logger: Logger;
  /** Handles the opening and closing of the stream and the end of the session. */
  readonly sessions: AgentSessions<IdeCompanionSession>;
}

/**
 * `openDiff`: opens a review and answers immediately (both documents, "openDiff tool"). The decision follows as
 * `ide/diffAccepted` or `ide/diffRejected`, to the session that proposed and in its spelling of the path, because the
 * CLI ignores any other.
 */
function openDiff(diffs: Diffs): McpTool {
  return defineTool({
    name: 'openDiff',
    description:
      'Opens a diff view that shows proposed changes to a file, for the user to edit, accept or reject.',
    input: openDiffArguments,
    async run({ filePath, newContent }, { signal }) {
      if (!isAbsolute(filePath)) {
        throw new ToolError(`openDiff needs an absolute filePath, and "${filePath}" is a relative one.`);
      }
      try {
        await diffs.open(filePath, newContent, signal);
      } catch (error) {
        if (error instanceof ProposalError) throw new ToolError(error.message, { cause: error });
        throw error;
      }
      return { content: [] };
    },
  });
}

/**
 * `closeDiff`: the user decided in the terminal, or the CLI exits (both documents, "closeDiff tool"). Returns one text
 * block with JSON, `{"content": …}`, with the text of the view: all tested versions parse it, and ignore plain text.
 *
 * No notification follows, because an `ide/diffRejected` before the answer would turn an acceptance in the terminal
 * into a rejection.
 */
function closeDiff(diffs: Diffs): McpTool {
  return defineTool({
    name: 'closeDiff',
    description: 'Closes the diff view of a file and returns the content it held.',
    input: closeDiffArguments,
    async run({ filePath }) {
      const content = diffs.close(filePath);
      if (content === undefined) throw new ToolError(`No diff is open for "${filePath}".`);
      // A large text takes long to close, to encode, and to encode again as a part of the answer: not in one task.
      await setImmediate();
      const result = jsonResult({ content });
      await setImmediate();
      return result;
    },
  });
}
