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
import type { McpSession, McpSessionHandler, McpTool, SessionEnd } from '@tandem/mcp';
import type { HostFiles } from '../agentProtocol.js';
import { ChangedDiagnostics } from './changedDiagnostics.js';
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
  readonly #diagnostics: ChangedDiagnostics | undefined;
  /** Those who wait for the client to hear; they learn whether it ever does. */
  readonly #waiting: ((isHearing: boolean) => void)[] = [];
  #hold: Disposable | undefined;
  #isStreamOpen = false;
  #knowsTools = false;
  #isHearing = false;
  #lastSent: string | undefined;

  constructor(session: McpSession, services: ClaudeSessionServices) {
    this.#session = session;
    this.#services = services;
    const { editor, presentContext, ...others } = services;
    this.tools = claudeTools({
      ...others,
      session,
      editor,
      openDiffs: new Set(),
      sharedContext: presentContext,
    });
    this.#diagnostics =
      editor.diagnostics &&
      new ChangedDiagnostics({
        ...services,
        diagnostics: editor.diagnostics,
        canHear: () => this.#isHearing,
        send: (params) => void session.notify('diagnostics_changed', params),
      });
  }

  onStreamOpen(): void {
    this.#isStreamOpen = true;
    this.#hearAfter(silentClientDelayMs);
    this.#services.onStreamOpen(this.#session.id);
  }

  onAnswered(method: string): void {
    if (method !== 'tools/list' || this.#knowsTools) return;
    this.#knowsTools = true;
    if (this.#isStreamOpen) this.#hearAfter(firstNotificationDelayMs);
  }

  onNotification(method: string, params: unknown): void {
    if (method !== 'ide_connected') return;
    const parsed = ideConnectedParams.safeParse(params);
    if (!parsed.success) return;
    this.#services.onPid(this.#session.id, parsed.data.pid);
    if (parsed.data.isPluginVersionUnsupported) {
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

  /**
   * `at_mentioned`, once the client hears. Resolves to whether it was told: it may go away before, and a file that
   * the policy holds back is never named.
   */
  async sendMention(path: Path, lines?: { readonly first: number; readonly last: number }): Promise<boolean> {
    const { policy, agent, platform } = this.#services;
    if (!(await this.#hears())) return false;
    if (!(await policy.verdict(agent, path)).isShared || !this.#isHearing) return false;
    await this.#session.notify('at_mentioned', encodeMention(path, lines, platform));
    return true;
  }

  /** `diagnostics_changed` for each of these files. */
  diagnosticsChanged(paths: readonly Path[]): void {
    this.#diagnostics?.add(paths);
  }

  onClosed(reason: SessionEnd): void {
    this.#isStreamOpen = false;
    this.#isHearing = false;
    this.#hold?.dispose();
    for (const wake of this.#waiting.splice(0)) wake(false);
    this.#services.reviews.withdrawSession(
      this.#session.id,
      reason === 'closed' ? 'stopped' : 'disconnected',
    );
    this.#services.onClosed(this.#session.id);
  }

  #hearAfter(delayMs: number): void {
    this.#isHearing = false;
    this.#hold?.dispose();
    this.#hold = this.#services.clock.setTimeout(() => void this.#hear(), delayMs);
  }

  /** The client hears from now on. What it was sent before it asked for the tools, it may have lost. */
  async #hear(): Promise<void> {
    this.#isHearing = true;
    this.#lastSent = undefined;
    for (const wake of this.#waiting.splice(0)) wake(true);
    void this.#diagnostics?.tell();
    // Asks the policy anew: sharing may have been paused, or the settings changed, since the last update.
    await this.#services.context.refresh();
    this.sendContext(this.#services.context.current);
  }

  async #hears(): Promise<boolean> {
    if (this.#isHearing || !this.#isStreamOpen) return this.#isHearing;
    return new Promise((resolve) => this.#waiting.push(resolve));
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
  /** What this agent may see at this moment. */
  readonly presentContext: () => Promise<EditorContext>;
  /** The same with all open files. */
  readonly openFiles: () => Promise<EditorContext>;
  readonly latestSelection: () => EditorContext | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The CLI told its process id. */
  readonly onPid: (session: string, pid: number) => void;
  /** Called when the client has connected. */
  readonly onStreamOpen: (session: string) => void;
  /** Called once, when the session is over. */
  readonly onClosed: (session: string) => void;
}

/** Whether something is selected, and not just a cursor placed. */
export function hasSelection(context: EditorContext): boolean {
  const active = context.openFiles.find((file) => file.path === context.activePath);
  return active?.selection !== undefined && !isEmptyRange(active.selection.range);
}
