import { type Disposable, type Path, withTimeout } from '@tandem/core';
import type { McpSession, McpSessionHandler, McpToolCall, SessionEnd } from '@tandem/mcp';
import type { Review, Reviews } from '@tandem/reviews';
import { type AgentSessions, titleOf } from '../agentSessions.js';
import { decisionOn } from '../decisionOn.js';
import { copilotTools, type ProposedDiff, type ToolServices } from './tools.js';
import { encodeDecision, encodeMention, type SelectionChanged } from './wire.js';

/** How long a process has to connect again, in milliseconds: it does so several times while it starts. */
export const reconnectMs = 2_000;

/** A diff that is closed within this time, in milliseconds, is opened again under another name at a reconnection. */
const reopenMs = 300;

/** How long a mention waits for a process that cannot be notified, in milliseconds. It reopens a lost stream after 1.5 s. */
export const mentionLimitMs = 5_000;

/** One running CLI: a session for all of its connections, one after the other. */
export class CopilotClient {
  readonly id: string;
  readonly #services: ClientServices;
  /** The latest diff of each file whose decision the CLI has not received. */
  readonly #diffs = new Map<Path, Diff>();
  /** Called when the process can be notified, or has ended. */
  readonly #waiting: (() => void)[] = [];
  #connection: McpSession | undefined;
  #isStreamOpen = false;
  #lastSent: SelectionChanged | undefined;
  #end: Disposable | undefined;

  constructor(id: string, services: ClientServices) {
    this.id = id;
    this.#services = services;
  }

  /** Serves a new connection of the process, which replaces an earlier one. */
  connect(connection: McpSession): McpSessionHandler {
    this.#end?.dispose();
    this.#connection = connection;
    this.#isStreamOpen = false;
    const isCurrent = (): boolean => this.#connection === connection;
    return {
      tools: copilotTools(this.#services, {
        openDiff: (diff, call) => this.#openDiff(diff, call, isCurrent),
        closeDiff: (tabName) => this.#closeDiff(tabName),
        nameSession: (name) => this.#services.sessions.describe(this.id, { title: titleOf(name) }),
      }),
      onStreamOpen: () => void (isCurrent() && this.#streamOpened()),
      onStreamClose: () => {
        if (isCurrent()) this.#isStreamOpen = false;
      },
      onClosed: (reason) => {
        if (isCurrent()) this.#disconnected(reason);
      },
    };
  }

  /** Sends `selection_changed`, unless it equals the last one of this connection. */
  sendContext(): void {
    const { message } = this.#services.context;
    if (!this.#isStreamOpen || message === undefined || message === this.#lastSent) return;
    // A new connection has no selection; an empty one would be shown as "@".
    if (this.#lastSent === undefined && message.filePath === '') return;
    this.#lastSent = message;
    void this.#connection?.notify('selection_changed', message);
  }

  /** Sends `add_file_reference` once, over whichever connection is open next. Resolves to whether it was sent. */
  async sendMention(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<boolean> {
    const { policy, agent, clock } = this.#services;
    if (!this.#isStreamOpen) {
      const opened = new Promise<void>((resolve) => this.#waiting.push(resolve));
      await withTimeout(clock, mentionLimitMs, opened).catch(() => undefined);
    }
    if (!this.#isStreamOpen || !(await policy.verdict(agent, path)).isShared) return false;
    return (await this.#connection?.notify('add_file_reference', encodeMention(path, lines))) ?? false;
  }

  /** Ends the session, and withdraws what it proposed. */
  end(reason: 'disconnected' | 'stopped'): void {
    this.#end?.dispose();
    this.#connection = undefined;
    this.#isStreamOpen = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#services.reviews.withdrawSession(this.id, reason);
    this.#services.sessions.close(this.id);
  }

  async #streamOpened(): Promise<void> {
    this.#isStreamOpen = true;
    this.#lastSent = undefined;
    this.#services.sessions.streamOpened(this.id);
    for (const resolve of this.#waiting.splice(0)) resolve();
    // Since the last update, sharing may have been paused.
    await this.#services.context.refresh();
    this.sendContext();
  }

  #disconnected(reason: SessionEnd): void {
    this.#isStreamOpen = false;
    this.#connection = undefined;
    if (reason === 'closed') this.end('stopped');
    else this.#end = this.#services.clock.setTimeout(() => this.end('disconnected'), reconnectMs);
  }

  /** Opens a review and waits for its decision. After a reconnection, the CLI opens its pending diffs again: they continue. */
  async #openDiff(
    { path, content, tabName }: ProposedDiff,
    { signal, whenSent }: McpToolCall,
    isConnected: () => boolean,
  ): Promise<object> {
    const { reviews, clock, agent } = this.#services;
    const known = this.#diffs.get(path);
    const proposal = {
      path,
      content,
      agent: agent.id,
      session: this.id,
      title: titleOf(tabName),
      writesOwnText: true,
    };
    const opening = known?.content === content ? known.opening : reviews.propose(proposal);
    const diff: Diff = { path, content, tabName, openedAt: clock.now(), opening };
    this.#diffs.set(path, diff);
    const isLatest = (): boolean => this.#diffs.get(path)?.opening === opening;
    const forget = (): void => void (isLatest() && this.#diffs.delete(path));
    const call: McpToolCall = {
      signal,
      whenSent: (listener) =>
        whenSent(() => {
          forget();
          listener();
        }),
    };
    try {
      const { kind } = await decisionOn(opening, reviews, call, () => {
        if (isConnected() && this.#diffs.get(path) === diff) reviews.withdraw(this.id, path, 'agent');
      });
      return encodeDecision(kind, tabName);
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** The user has decided in the terminal. Returns whether the diff had ended already. */
  #closeDiff(tabName: string): boolean {
    const { reviews, clock } = this.#services;
    const diff = [...this.#diffs.values()].find((each) => each.tabName === tabName);
    if (diff === undefined) return true;
    const { path, openedAt } = diff;
    const withdraw = (): void => {
      if (this.#diffs.get(path) !== diff) return;
      this.#diffs.delete(path);
      reviews.withdraw(this.id, path, 'agent');
    };
    if (clock.now() - openedAt > reopenMs) withdraw();
    else clock.setTimeout(withdraw, reopenMs);
    return false;
  }
}

/** An open diff under its latest name. */
interface Diff {
  readonly path: Path;
  readonly content: string;
  readonly tabName: string;
  readonly openedAt: number;
  /** Its review, which continues when the diff is opened again. */
  readonly opening: Promise<Review>;
}

export interface ClientServices extends ToolServices {
  readonly reviews: Reviews;
  readonly sessions: AgentSessions<CopilotClient>;
}
