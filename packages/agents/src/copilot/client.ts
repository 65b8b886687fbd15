import {
  type Clock,
  type Disposable,
  type EditorContext,
  type Logger,
  type Outcome,
  onceDecided,
  type Path,
  ProposalError,
  type Review,
  type Reviews,
  type SharedContext,
  type SharingPolicy,
} from '@tandem/core';
import {
  type McpSession,
  type McpSessionHandler,
  type McpToolCall,
  type SessionEnd,
  ToolError,
} from '@tandem/mcp';
import type { AgentDefinition } from '../agentProtocol.js';
import { type AgentSessions, titleOf } from '../agentSessions.js';
import { copilotTools, type ProposedDiff, type ToolServices } from './tools.js';
import { encodeDecision, encodeMention, isDecision, type SelectionChanged } from './wire.js';

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
  /** The latest diff of each file. */
  readonly #diffs = new Map<Path, Diff>();
  /** Callers that wait until the process can be notified. `false`: it has ended, or takes too long. */
  readonly #waiting = new Set<(canNotify: boolean) => void>();
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
      tools: copilotTools({
        ...this.#services,
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
    const { policy, agent } = this.#services;
    if (!this.#isStreamOpen && !(await this.#whenStreamOpens())) return false;
    if (!(await policy.verdict(agent.identity, path)).isShared) return false;
    return (await this.#connection?.notify('add_file_reference', encodeMention(path, lines))) ?? false;
  }

  /** Ends the session, and withdraws what it proposed. */
  end(reason: 'disconnected' | 'stopped'): void {
    this.#end?.dispose();
    this.#connection = undefined;
    this.#isStreamOpen = false;
    for (const settle of [...this.#waiting]) settle(false);
    this.#services.reviews.withdrawSession(this.id, reason);
    this.#services.sessions.close(this.id);
  }

  #whenStreamOpens(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (canNotify: boolean): void => {
        limit.dispose();
        this.#waiting.delete(settle);
        resolve(canNotify);
      };
      const limit = this.#services.clock.setTimeout(() => settle(false), mentionLimitMs);
      this.#waiting.add(settle);
    });
  }

  async #streamOpened(): Promise<void> {
    this.#isStreamOpen = true;
    this.#lastSent = undefined;
    this.#services.sessions.streamOpened(this.id);
    for (const settle of [...this.#waiting]) settle(true);
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

  /** Opens a review and waits for its end. After a reconnection, the CLI opens its pending diffs again: they continue. */
  async #openDiff(
    { path, content, tabName }: ProposedDiff,
    { signal, whenSent }: McpToolCall,
    isConnected: () => boolean,
  ): Promise<object> {
    const { reviews, clock } = this.#services;
    const known = this.#diffs.get(path);
    const isContinued = known?.content === content && this.#isAwaited(known);
    const diff: Diff = isContinued
      ? known
      : { content, tabName, openedAt: 0, opening: this.#propose(path, content, tabName) };
    diff.tabName = tabName;
    diff.openedAt = clock.now();
    this.#diffs.set(path, diff);
    const cancel = (): void =>
      queueMicrotask(() => {
        if (isConnected() && diff.tabName === tabName) reviews.withdraw(this.id, path, 'agent');
      });
    const forget = (): void => {
      if (this.#diffs.get(path) === diff) this.#diffs.delete(path);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const review = await diff.opening;
      diff.review = review;
      const outcome = await new Promise<Outcome>((resolve) => onceDecided(review, resolve));
      // An error leaves the decision to the terminal.
      if (!isDecision(outcome)) throw new ToolError(`The diff ended without a decision (${outcome.reason}).`);
      await reviews.persisted();
      whenSent(() => {
        forget();
        reviews.noteAnswered(review);
      });
      return encodeDecision(outcome.kind, tabName);
    } catch (error) {
      forget();
      if (error instanceof ProposalError) throw new ToolError(error.message, { cause: error });
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  #propose(path: Path, content: string, tabName: string): Promise<Review> {
    return this.#services.reviews.propose({
      path,
      content,
      agent: this.#services.agent.identity.id,
      session: this.id,
      title: titleOf(tabName),
      writesOwnText: true,
    });
  }

  /** Whether the user has not decided a diff, or the CLI has not received the decision. */
  #isAwaited({ review }: Diff): boolean {
    const outcome = review?.outcome;
    if (review === undefined || outcome === undefined) return true;
    return isDecision(outcome) && !this.#services.reviews.isAnswered(review);
  }

  /** The user has decided in the terminal. Returns whether the diff had ended already. */
  #closeDiff(tabName: string): boolean {
    const { reviews, clock } = this.#services;
    const [path, diff] = [...this.#diffs].find(([, each]) => each.tabName === tabName) ?? [];
    if (path === undefined || diff === undefined || diff.review?.outcome !== undefined) return true;
    const withdraw = (): void => {
      if (diff.tabName === tabName) reviews.withdraw(this.id, path, 'agent');
    };
    if (clock.now() - diff.openedAt > reopenMs) withdraw();
    else clock.setTimeout(withdraw, reopenMs);
    return false;
  }
}

interface Diff {
  readonly content: string;
  /** Its latest name. */
  tabName: string;
  openedAt: number;
  readonly opening: Promise<Review>;
  review?: Review;
}

export interface ClientServices extends Omit<ToolServices, 'openDiff' | 'closeDiff' | 'nameSession'> {
  readonly agent: AgentDefinition;
  readonly reviews: Reviews;
  readonly policy: SharingPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly context: SharedContext<SelectionChanged>;
  readonly sessions: AgentSessions<CopilotClient>;
  readonly sharedContext: () => Promise<EditorContext>;
}
