import { type Disposable, DisposableStore, describeError } from '@tandem/core';
import * as vscode from 'vscode';
import type { MentionedFile } from '../commands/mention.js';
import { offerTrust, warn } from '../messages.js';
import type { ChatWindow, ChatWindowOptions } from './chatWindow.js';

/**
 * Registers the chat with VS Code, and loads its code when it is first used. Its owner closes it, which ends a daemon
 * that it started.
 */
export class ChatRegistration implements Disposable {
  readonly #options: Omit<ChatWindowOptions, 'output'>;
  readonly #owned = new DisposableStore();
  #output: vscode.OutputChannel | undefined;
  #window: Promise<ChatWindow> | undefined;
  #open: ChatWindow | undefined;
  #isClosed = false;

  constructor(options: Omit<ChatWindowOptions, 'output'>) {
    this.#options = options;
    this.#owned.add(
      vscode.window.registerWebviewViewProvider('tandem.chat', {
        resolveWebviewView: async (view) => (await this.#load()).show(view),
      }),
    );
    const register = (name: string, run: (chat: ChatWindow) => unknown): void => {
      this.#owned.add(
        vscode.commands.registerCommand(`tandem.${name}`, async () => {
          try {
            await run(await this.#load());
          } catch (error) {
            void warn(describeError(error));
          }
        }),
      );
    };
    register('focusChat', async (chat) => {
      await focusView();
      chat.focus();
    });
    register('newChat', async (chat) => {
      await focusView();
      await chat.newChat();
      chat.focus();
    });
    register('startDaemon', async (chat) => {
      if (!vscode.workspace.isTrusted) {
        return offerTrust(vscode.l10n.t('Tandem starts no daemon in a workspace that is not trusted.'));
      }
      await Promise.all([chat.start(), focusView()]);
      chat.focus();
    });
    register('connectDaemon', async (chat) => {
      await chat.askToConnect();
      await focusView();
      chat.focus();
    });
    register('setDaemonToken', (chat) => chat.setToken());
    register('disconnectDaemon', (chat) => chat.disconnect());
    register('answerChat', (chat) => chat.answerRequest());
    register('allowChatChange', (chat) => chat.answerDiff(true));
    register('rejectChatChange', (chat) => chat.answerDiff(false));
    this.#owned.add(
      vscode.commands.registerCommand('tandem.showDaemonOutput', () => this.#channel().show(true)),
    );
  }

  /** Whether the chat has a daemon. */
  get isInUse(): boolean {
    return this.#open?.isInUse ?? false;
  }

  /** Opens the chat, and mentions these files in the draft. */
  async mention(files: readonly MentionedFile[]): Promise<void> {
    await focusView();
    const chat = await this.#load();
    for (const { path, lines } of files) chat.mention(path, lines);
    chat.focus();
  }

  dispose(): void {
    void this.close();
  }

  /** Resolves when a daemon of our own has ended. Never rejects, and can be called twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#owned.dispose();
    const window = await this.#window?.catch(() => undefined);
    await window?.close();
    this.#output?.dispose();
  }

  #load(): Promise<ChatWindow> {
    this.#window ??= this.#create();
    return this.#window;
  }

  async #create(): Promise<ChatWindow> {
    const { ChatWindow: Window } = await import('./chatWindow.js');
    const window = new Window({ ...this.#options, output: this.#channel() });
    if (this.#isClosed) await window.close();
    else this.#open = window;
    return window;
  }

  #channel(): vscode.OutputChannel {
    this.#output ??= vscode.window.createOutputChannel('Tandem: Daemon');
    return this.#output;
  }
}

function focusView(): Thenable<unknown> {
  return vscode.commands.executeCommand('tandem.chat.focus');
}
