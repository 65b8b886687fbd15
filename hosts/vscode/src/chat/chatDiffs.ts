import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { type ChatPermission, type CompanionChat, isWholeChange } from '@tandem/companion/chat';
import { type Disposable, DisposableStore, visibleName } from '@tandem/core';
import * as vscode from 'vscode';
import { contextKey } from '../contextKeys.js';
import { inform } from '../messages.js';
import { findTabs, onDidChangeTabs } from '../tabs.js';
import type { ChatView } from './chatView.js';

/** Scheme of the two sides of a change of the chat. */
const chatScheme = 'tandem-chat';
/** Whether the permission for the active change is pending; its diff then has buttons. */
const asksContext = 'tandem.chatChangeAsks';

interface OpenDiff {
  readonly diff: ChatDiff;
  /** The request that it was opened for; it closes with that request. */
  readonly requestId?: string;
}

/**
 * The changes of the chat in VS Code's diff editor. They are read-only, because the daemon accepts no edited text.
 * While the permission for a change is pending, the buttons of its diff answer it.
 */
export class ChatDiffs implements vscode.TextDocumentContentProvider, Disposable {
  readonly #chat: CompanionChat;
  readonly #view: ChatView;
  readonly #owned = new DisposableStore();
  readonly #setAsks = contextKey(asksContext);
  readonly #diffs = new Map<string, OpenDiff>();

  constructor({ chat, view }: { readonly chat: CompanionChat; readonly view: ChatView }) {
    this.#chat = chat;
    this.#view = view;
    this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(chatScheme, this));
    this.#owned.add(onDidChangeTabs(() => this.#tabsChanged()));
    this.#owned.add(chat.onDidChangeStatus(() => this.#closeSettled()));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const { key, side } = partsOf(uri);
    const diff = this.#diffs.get(key)?.diff;
    if (diff === undefined)
      return vscode.l10n.t('This diff is from before the reload. Open the change again from the chat.');
    return side === 'before' ? (diff.oldText ?? '') : diff.newText;
  }

  async open(diff: ChatDiff): Promise<void> {
    const { t } = vscode.l10n;
    const request = this.#requestOf(diff);
    const key = randomUUID();
    this.#diffs.set(key, request === undefined ? { diff } : { diff, requestId: request.requestId });
    const side = (name: string): vscode.Uri =>
      vscode.Uri.file(diff.path).with({ scheme: chatScheme, query: `${name}=${key}` });
    const name = visibleName(basename(diff.path));
    const title =
      diff.oldText === undefined ? t('{0} (new file, chat)', name) : t('{0} (change, chat)', name);
    await vscode.commands.executeCommand('vscode.diff', side('before'), side('after'), title, {
      preview: false,
    });
  }

  /** Answers the permission of the active diff, for this once. */
  async answer(isAllowed: boolean): Promise<void> {
    const found = this.#active();
    const request = found && this.#requestOf(found.diff);
    const option =
      request?.options.find(({ isAllow, scope }) => isAllow === isAllowed && scope === 'once') ??
      request?.options.find(({ isAllow }) => isAllow === isAllowed && !isAllowed);
    if (request === undefined || option === undefined) {
      void inform(vscode.l10n.t('This change no longer needs an answer.'));
      return;
    }
    this.#view.markAnswered(request.requestId);
    await this.#chat.chat.answer(request.requestId, { optionId: option.optionId });
  }

  dispose(): void {
    this.#owned.dispose();
    this.#diffs.clear();
  }

  /**
   * The pending permission for exactly this change. The id of the call is not enough, because the agent chooses it and
   * can reuse it.
   */
  #requestOf(diff: ChatDiff): ChatPermission | undefined {
    return this.#chat.model.pending
      .filter((request) => request.kind === 'permission')
      .find((request) => request.toolCallId === diff.toolCallId && isWholeChange(request, diff));
  }

  #active(): OpenDiff | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const key = tab && keyOfTab(tab);
    return key === undefined ? undefined : this.#diffs.get(key);
  }

  #tabsChanged(): void {
    const open = new Set(findTabs((tab) => keyOfTab(tab) !== undefined).map(keyOfTab));
    const isLoading = (key: string): boolean => !open.has(key) && !this.#seen.has(key);
    for (const key of this.#diffs.keys()) {
      if (open.has(key)) this.#seen.add(key);
      else if (!isLoading(key)) this.#forget(key);
    }
    this.#setContext();
  }

  /** Diffs that had a tab. A diff that is still opening has none yet. */
  readonly #seen = new Set<string>();

  #forget(key: string): void {
    this.#diffs.delete(key);
    this.#seen.delete(key);
  }

  #closeSettled(): void {
    const pending = new Set(this.#chat.model.pending.map(({ requestId }) => requestId));
    const settled = findTabs((tab) => {
      const requestId = this.#diffs.get(keyOfTab(tab) ?? '')?.requestId;
      return requestId !== undefined && !pending.has(requestId);
    });
    if (settled.length > 0) void vscode.window.tabGroups.close(settled, true);
    this.#setContext();
  }

  #setContext(): void {
    const found = this.#active();
    this.#setAsks(found !== undefined && this.#requestOf(found.diff) !== undefined);
  }
}

function partsOf({ query }: vscode.Uri): { readonly side: string; readonly key: string } {
  const [side = '', key = ''] = query.split('=');
  return { side, key };
}

function keyOfTab({ input }: vscode.Tab): string | undefined {
  const isOurs = input instanceof vscode.TabInputTextDiff && input.modified.scheme === chatScheme;
  return isOurs ? partsOf(input.modified).key : undefined;
}

/** One diff of a tool's card or of a permission, for a diff editor. */
export interface ChatDiff {
  readonly path: string;
  /** Absent for a new file. */
  readonly oldText?: string;
  readonly newText: string;
  /** The tool call that it belongs to, to find a pending permission for it. */
  readonly toolCallId?: string;
}
