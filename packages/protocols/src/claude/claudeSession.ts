import {
  type AgentIdentity,
  type Clock,
  type Disposable,
  type Editor,
  type EditorContext,
  isEmptyRange,
  type Logger,
  type Path,
  type Reviews,
  type SharedContext,
  type SharingPolicy,
} from '@tandem/core';
import type { McpSession, McpSessionHandler, McpTool, SessionEnd } from '@tandem/transport';
import type { HostFiles } from '../agentProtocol.js';
import { claudeTools } from './claudeTools.js';
import { encodeMention, encodeSelection, ideConnectedParams } from './wire.js';

/**
 * Claude Code 2.1 silently loses a `selection_changed` that comes within 50 ms of its `tools/list`; 300 ms later is
 * heard. The first notifications wait this long after `tools/list` was answered.
 */
export const firstNotificationDelayMs = 700;

/** A client that never asks for the tools is told after this long, counted from its `notifications/initialized`. */
export const silentClientDelayMs = 1000;

/** One connected Claude Code: its tools, and what it is told of the selection and the diagnostics. */
export class ClaudeSession implements McpSessionHandler {
  readonly tools: readonly McpTool[];
  readonly #session: McpSession;
  readonly #services: ClaudeSessionServices;
  #hold: Disposable | undefined;
  #isHearing = false;
  #lastSent: string | undefined;

  constructor(session: McpSession, services: ClaudeSessionServices) {
    this.#session = session;
    this.#services = services;
    const { agent, editor, reviews, policy, files, platform, latestSelection, context } = services;
    this.tools = claudeTools({
      session,
      agent,
      editor,
      reviews,
      policy,
      files,
      platform,
      latestSelection,
      sharedContext: () => context.current,
    });
  }

  onStreamOpen(): void {
    this.#hearAfter(silentClientDelayMs);
  }

  onAnswered(method: string): void {
    if (method === 'tools/list' && !this.#isHearing) this.#hearAfter(firstNotificationDelayMs);
  }

  onNotification(method: string, params: unknown): void {
    if (method !== 'ide_connected') return;
    const parsed = ideConnectedParams.safeParse(params);
    if (parsed.success) this.#services.onPid(this.#session.id, parsed.data.pid);
    if (parsed.success && parsed.data.isPluginVersionUnsupported) {
      this.#services.logger.warn('Claude Code says that it does not support this companion version');
    }
  }

  /** `selection_changed`, unless it says what the last one said. */
  sendContext(context: EditorContext): void {
    if (!this.#isHearing) return;
    const params = encodeSelection(context, this.#services.platform);
    const key = JSON.stringify(params);
    if (key === this.#lastSent) return;
    this.#lastSent = key;
    void this.#session.notify('selection_changed', params);
  }

  /** `at_mentioned`. Resolves to whether the client is there to hear it. */
  async sendMention(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<boolean> {
    if (!this.#isHearing) return false;
    await this.#session.notify('at_mentioned', encodeMention(path, lines, this.#services.platform));
    return true;
  }

  /** `diagnostics_changed`, already encoded. */
  sendDiagnostics(params: Readonly<Record<string, unknown>>): void {
    if (this.#isHearing) void this.#session.notify('diagnostics_changed', params);
  }

  onClosed(reason: SessionEnd): void {
    this.#isHearing = false;
    this.#hold?.dispose();
    this.#services.reviews.withdrawSession(this.#session.id, reason === 'closed' ? 'stopped' : 'disconnected');
    this.#services.onClosed(this.#session.id);
  }

  #hearAfter(delayMs: number): void {
    this.#hold?.dispose();
    this.#hold = this.#services.clock.setTimeout(() => {
      this.#isHearing = true;
      this.sendContext(this.#services.context.current);
    }, delayMs);
  }
}

export interface ClaudeSessionServices {
  readonly agent: AgentIdentity;
  readonly editor: Editor;
  readonly reviews: Reviews;
  readonly policy: SharingPolicy;
  readonly files: HostFiles;
  readonly platform: NodeJS.Platform;
  readonly context: SharedContext;
  readonly latestSelection: () => EditorContext | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The CLI told its process id. */
  readonly onPid: (session: string, pid: number) => void;
  /** Called once, when the session is over. */
  readonly onClosed: (session: string) => void;
}

/** Whether something is selected, and not just a cursor placed. */
export function hasSelection(context: EditorContext): boolean {
  const active = context.openFiles.find((file) => file.path === context.activePath);
  return active?.selection !== undefined && !isEmptyRange(active.selection.range);
}
