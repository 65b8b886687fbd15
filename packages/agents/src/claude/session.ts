import { type Disposable, type EditorContext, isEmptyRange, type Logger, type Path } from '@tandem/core';
import type { McpSession, McpSessionHandler, McpTool, SessionEnd } from '@tandem/mcp';
import type { AgentSessions } from '../agentSessions.js';
import { encodeMention, type MentionedLines, type SelectionChanged } from '../claudeIde/messages.js';
import { ChangedDiagnostics } from './changedDiagnostics.js';
import type { ToolContext } from './toolContext.js';
import { claudeTools } from './tools.js';
import { ideConnectedParams, notationOn } from './wire.js';

/**
 * Claude Code 2.1 silently drops a `selection_changed` that arrives within 50 ms of its `tools/list`; after 300 ms it
 * accepts it. The first notifications are sent this long after the answer to `tools/list`.
 */
export const firstNotificationDelayMs = 700;

/** How long after `notifications/initialized` a client is notified that never sends `tools/list`. */
export const silentClientDelayMs = 1000;

/** One connected Claude Code: its tools, and the notifications about selection and diagnostics. */
export class ClaudeSession implements McpSessionHandler {
  readonly tools: readonly McpTool[];
  readonly #session: McpSession;
  readonly #services: ClaudeSessionServices;
  readonly #diagnostics: ChangedDiagnostics | undefined;
  /** Callers that wait until the client can be notified. `false`: it disconnected first. */
  readonly #waiting: ((isReady: boolean) => void)[] = [];
  #delay: Disposable | undefined;
  #isStreamOpen = false;
  #knowsTools = false;
  /** Whether the client can be notified. */
  #isReady = false;
  #lastSent: SelectionChanged | undefined;

  constructor(session: McpSession, services: ClaudeSessionServices) {
    this.#session = session;
    this.#services = services;
    this.tools = claudeTools({ ...services, session, openDiffs: new Set() });
    const { diagnostics } = services.editor;
    this.#diagnostics =
      diagnostics &&
      new ChangedDiagnostics({
        ...services,
        diagnostics,
        isReady: () => this.#isReady,
        send: (params) => void session.notify('diagnostics_changed', params),
      });
  }

  onStreamOpen(): void {
    this.#isStreamOpen = true;
    this.#readyAfter(silentClientDelayMs);
    this.#services.sessions.streamOpened(this.#session.id);
  }

  onAnswered(method: string): void {
    if (method !== 'tools/list' || this.#knowsTools) return;
    this.#knowsTools = true;
    if (this.#isStreamOpen) this.#readyAfter(firstNotificationDelayMs);
  }

  onNotification(method: string, params: unknown): void {
    if (method !== 'ide_connected') return;
    const parsed = ideConnectedParams.safeParse(params);
    if (!parsed.success) return;
    this.#services.sessions.describe(this.#session.id, { pid: parsed.data.pid });
    if (parsed.data.isPluginVersionUnsupported) {
      this.#services.logger.warn(
        'Claude Code reports that it does not support this version of the companion',
      );
    }
  }

  /** Sends `selection_changed`, unless it equals the last one. */
  sendContext(): void {
    const { message } = this.#services.shared;
    if (!this.#isReady || message === undefined || message === this.#lastSent) return;
    this.#lastSent = message;
    void this.#session.notify('selection_changed', message);
  }

  /**
   * Sends `at_mentioned` when the client can be notified. Resolves to whether it was sent: the client may disconnect
   * first, and a hidden file is never named.
   */
  async sendMention(path: Path, lines?: MentionedLines): Promise<boolean> {
    const { policy, agent, platform } = this.#services;
    if (!(await this.#whenReady())) return false;
    if (!(await policy.verdict(agent, path)).isShared || !this.#isReady) return false;
    await this.#session.notify('at_mentioned', encodeMention(path, lines, notationOn(platform)));
    return true;
  }

  /** Sends `at_mentioned` for a file of the companion, to which the sharing policy does not apply. */
  async sendReference(path: Path): Promise<boolean> {
    if (!(await this.#whenReady())) return false;
    return this.#session.notify(
      'at_mentioned',
      encodeMention(path, undefined, notationOn(this.#services.platform)),
    );
  }

  /** Sends `diagnostics_changed` for each of these files. */
  diagnosticsChanged(paths: readonly Path[]): void {
    this.#diagnostics?.add(paths);
  }

  onClosed(reason: SessionEnd): void {
    this.#isStreamOpen = false;
    this.#isReady = false;
    this.#delay?.dispose();
    for (const resolve of this.#waiting.splice(0)) resolve(false);
    const { reviews, sessions } = this.#services;
    reviews.withdrawSession(this.#session.id, reason === 'closed' ? 'stopped' : 'disconnected');
    sessions.close(this.#session.id);
  }

  #readyAfter(delayMs: number): void {
    this.#isReady = false;
    this.#delay?.dispose();
    this.#delay = this.#services.clock.setTimeout(() => void this.#begin(), delayMs);
  }

  /** Sends everything again: the client may have dropped what arrived before its `tools/list`. */
  async #begin(): Promise<void> {
    this.#isReady = true;
    this.#lastSent = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve(true);
    void this.#diagnostics?.send();
    // Since the last update, sharing may have been paused, or the settings changed.
    await this.#services.shared.refresh();
    this.sendContext();
  }

  async #whenReady(): Promise<boolean> {
    if (this.#isReady || !this.#isStreamOpen) return this.#isReady;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export interface ClaudeSessionServices extends Omit<ToolContext, 'session' | 'openDiffs'> {
  readonly logger: Logger;
  /** Handles the CLI's process id, the opening of the stream, and the end of the session. */
  readonly sessions: AgentSessions<ClaudeSession>;
}

/** Whether text is selected; a cursor alone is no selection. */
export function hasSelection(context: EditorContext): boolean {
  const active = context.openFiles.find((file) => file.path === context.activePath);
  return active?.selection !== undefined && !isEmptyRange(active.selection.range);
}
