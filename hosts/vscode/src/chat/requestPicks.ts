import type { ChatAnswer, ChatAsk, CompanionChat } from '@tandem/companion/chat';
import { type Disposable, DisposableStore, describeError } from '@tandem/core';
import * as vscode from 'vscode';
import { inform, showError } from '../messages.js';
import { readChatSettings } from '../settings.js';
import type { ChatDiff } from './chatDiffs.js';
import type { ChatView } from './chatView.js';
import { pickAnswers } from './pickAnswers.js';
import { pickPermission } from './pickPermission.js';

interface PendingAsk extends ChatAsk {
  /** The user has seen it: it does not open by itself again. */
  isLeft: boolean;
}

/**
 * Shows the requests of the chat as quick picks, one after the other. VS Code has one quick pick at a time, and an
 * extension cannot detect another open one, which would be closed. So a quick pick opens by itself only while the chat
 * panel has the focus and the user is not typing. Otherwise the status bar shows the request.
 */
export class RequestPicks implements Disposable {
  readonly #chat: CompanionChat;
  readonly #view: ChatView;
  readonly #showDiff: (diff: ChatDiff) => Promise<void>;
  readonly #owned = new DisposableStore();
  readonly #item: vscode.StatusBarItem;
  readonly #pending: PendingAsk[] = [];
  #open: PendingAsk | undefined;

  constructor(of: {
    readonly chat: CompanionChat;
    readonly view: ChatView;
    readonly showDiff: (diff: ChatDiff) => Promise<void>;
  }) {
    this.#chat = of.chat;
    this.#view = of.view;
    this.#showDiff = of.showDiff;
    this.#item = this.#owned.add(
      vscode.window.createStatusBarItem('tandem.chatAsks', vscode.StatusBarAlignment.Right, 99),
    );
    this.#item.name = vscode.l10n.t('Tandem: questions of the chat');
    this.#item.command = 'tandem.answerChat';
    this.#item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
    this.#owned.add(this.#chat.onDidAsk((ask) => this.#add(ask)));
    this.#owned.add(this.#view.onDidChangePresence(() => this.#askNext()));
  }

  /** Asks the oldest pending request, at the user's command. */
  async answerNow(): Promise<void> {
    const [first] = this.#pending;
    if (first === undefined) {
      void inform(vscode.l10n.t('The chat has no open questions.'));
    } else if (this.#open === undefined) await this.#ask(first);
  }

  dispose(): void {
    this.#pending.length = 0;
    this.#owned.dispose();
  }

  #add(ask: ChatAsk): void {
    const pending: PendingAsk = { ...ask, isLeft: false };
    this.#pending.push(pending);
    ask.signal.addEventListener('abort', () => this.#remove(pending), { once: true });
    if (ask.signal.aborted) this.#remove(pending);
    this.#changed();
  }

  #remove(ask: PendingAsk): void {
    const at = this.#pending.indexOf(ask);
    if (at >= 0) this.#pending.splice(at, 1);
    this.#changed();
  }

  #changed(): void {
    if (this.#owned.isDisposed) return;
    const { t } = vscode.l10n;
    const count = this.#pending.length;
    this.#item.text = count > 1 ? `$(question) ${t('Qwen asks')} ${count}` : `$(question) ${t('Qwen asks')}`;
    this.#item.tooltip = t('Go to the question in the chat');
    if (count > 0) this.#item.show();
    else this.#item.hide();
    this.#askNext();
  }

  /** Asks the oldest request that the user has not seen, if that does not interrupt them. */
  #askNext(): void {
    if (this.#open !== undefined) return;
    const next = this.#pending.find(({ isLeft }) => !isLeft);
    const { picksShown } = readChatSettings();
    const { hasFocus, isWriting } = this.#view.presence;
    if (next === undefined || picksShown === 'never' || isWriting) return;
    if (hasFocus || (picksShown === 'always' && vscode.window.state.focused)) void this.#ask(next);
  }

  async #ask(ask: PendingAsk): Promise<void> {
    this.#open = ask;
    const { request, signal } = ask;
    const isFromChat = this.#view.presence.hasFocus;
    try {
      const more = this.#pending.length - 1;
      const answer =
        request.kind === 'permission'
          ? await pickPermission(request, {
              signal,
              more,
              showDiff: this.#showDiff,
              showChat: () => void vscode.commands.executeCommand('tandem.focusChat'),
            })
          : await pickAnswers(request, { signal });
      ask.isLeft = true;
      this.#open = undefined;
      // VS Code gives the focus only to the frame around the panel.
      if (isFromChat && (answer !== undefined || signal.aborted)) this.#view.takeFocus();
      if (answer !== undefined && !signal.aborted) await this.#answer(ask, answer);
    } finally {
      if (this.#open === ask) this.#open = undefined;
      this.#askNext();
    }
  }

  /** Sends an answer. Meanwhile, the request does not count as pending here, unless the answer cannot be sent. */
  async #answer(ask: PendingAsk, answer: ChatAnswer): Promise<void> {
    const { request, signal } = ask;
    this.#remove(ask);
    this.#view.markAnswered(request.requestId);
    try {
      const result = await this.#chat.chat.answer(request.requestId, answer);
      if (result !== 'answered') void inform(vscode.l10n.t('The question was already answered elsewhere.'));
    } catch (error) {
      showError(vscode.l10n.t('The answer was not sent: {0}', describeError(error)));
      if (signal.aborted) return;
      this.#pending.unshift(ask);
      this.#changed();
    }
  }
}
