import { type Disposable, DisposableStore, describeError } from '@tandem/core';
import * as vscode from 'vscode';
import { warn } from '../say.js';
import type { ChatWindow, ChatWindowOptions } from './chatWindow.js';

/**
 * Registers the chat with VS Code. What it needs is a file of its own, which is read when the chat is first used: most
 * windows never do. Its owner closes it, which ends a daemon that was started here.
 */
export class ChatRegistration implements Disposable {
  readonly #options: Omit<ChatWindowOptions, 'output'>;
  readonly #owned = new DisposableStore();
  #output: vscode.OutputChannel | undefined;
  #window: Promise<ChatWindow> | undefined;
  #isClosed = false;

  constructor(options: Omit<ChatWindowOptions, 'output'>) {
    this.#options = options;
    const focus = (): Thenable<unknown> => vscode.commands.executeCommand('tandem.chat.focus');
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
      await focus();
      chat.focus();
    });
    register('newChat', async (chat) => {
      await focus();
      await chat.newChat();
      chat.focus();
    });
    register('startDaemon', async (chat) => {
      await Promise.all([chat.start(), focus()]);
      chat.focus();
    });
    register('connectDaemon', async (chat) => {
      await chat.askToConnect();
      await focus();
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
    this.#window ??= this.#open();
    return this.#window;
  }

  async #open(): Promise<ChatWindow> {
    const { ChatWindow: Window } = await import('./chatWindow.js');
    const window = new Window({ ...this.#options, output: this.#channel() });
    if (this.#isClosed) await window.close();
    return window;
  }

  #channel(): vscode.OutputChannel {
    this.#output ??= vscode.window.createOutputChannel('Tandem: Daemon');
    return this.#output;
  }
}
