import { randomBytes } from 'node:crypto';
import { fromWebviewChat, type ToWebviewChat, type WebviewSelection } from '@tandem/chat-panel/webview';
import type { ChatPatch, CompanionChat } from '@tandem/companion/chat';
import {
  type Disposable,
  DisposableStore,
  describeError,
  Emitter,
  type Event,
  type Logger,
  logListenerError,
} from '@tandem/core';
import type { Dispatcher } from '@tandem/rpc';
import * as vscode from 'vscode';
import type { EditorSide } from './editorSide.js';

/** The state of the editor is sent at most this often: the cursor moves with every key. */
const editorStateMs = 150;

/** What the user does in the panel. */
export interface ChatPresence {
  /** The panel has the focus. */
  readonly hasFocus: boolean;
  readonly isWriting: boolean;
}

export interface ChatViewOptions {
  readonly chat: CompanionChat;
  readonly editor: EditorSide;
  /** Answers the panel's calls. */
  readonly answer: Dispatcher<void>;
  /** The only folder that the webview may read. */
  readonly folder: vscode.Uri;
  readonly logger: Logger;
}

const away: ChatPresence = { hasFocus: false, isWriting: false };

/**
 * The chat's webview, while it is visible. VS Code destroys a hidden webview. It receives the whole model each time it
 * is shown, and stores the draft itself.
 */
export class ChatView implements Disposable {
  readonly #options: ChatViewOptions;
  readonly #owned = new DisposableStore();
  readonly #presenceChanged: Emitter<void>;
  #shown: { readonly view: vscode.WebviewView; readonly store: DisposableStore } | undefined;
  #isListening = false;
  /** Counts the panel's documents; it gets a new one each time it is shown. */
  #document = 0;
  #wantsFocus = false;
  /** Mentions for the panel, queued until it listens. */
  #mentions: WebviewSelection[] = [];
  #presence = away;
  #sending: NodeJS.Timeout | undefined;

  readonly onDidChangePresence: Event<void>;

  constructor(options: ChatViewOptions) {
    this.#options = options;
    const { chat, editor, logger } = options;
    this.#presenceChanged = this.#owned.add(new Emitter(logListenerError(logger, 'the chat view')));
    this.onDidChangePresence = this.#presenceChanged.event;
    this.#owned.add(chat.onDidChange((patches) => this.#sendPatches(patches)));
    this.#owned.add(
      chat.onDidChangeStatus(() => {
        this.#post({ kind: 'setup', setup: chat.setup });
        this.#showBadge();
      }),
    );
    this.#owned.add(
      editor.onDidChange(() => {
        if (!this.#isListening) return;
        this.#sending ??= setTimeout(() => {
          this.#sending = undefined;
          this.#post({ kind: 'editor', editor: editor.state });
        }, editorStateMs);
      }),
    );
  }

  get presence(): ChatPresence {
    return this.#presence;
  }

  /** Fills a webview that VS Code shows. */
  show(view: vscode.WebviewView): void {
    this.#leave();
    const { folder, logger } = this.#options;
    const store = new DisposableStore();
    this.#shown = { view, store };
    const { webview } = view;
    store.add(
      webview.onDidReceiveMessage((message: unknown) => {
        this.#receive(message).catch((error: unknown) => {
          logger.error('a message of the chat panel failed', { error: describeError(error) });
        });
      }),
    );
    store.add(
      view.onDidDispose(() => {
        if (this.#shown?.view === view) this.#leave();
      }),
    );
    store.add(
      view.onDidChangeVisibility(() => {
        // Its document is gone. The next one reports when it is ready.
        if (!view.visible) this.#stopListening();
      }),
    );
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    webview.html = chatHtml(webview, folder);
    this.#showBadge();
  }

  /** Puts the cursor into the field of the panel, as soon as it listens. */
  focus(): void {
    this.#wantsFocus = !this.#isListening;
    this.#post({ kind: 'focus' });
  }

  /** Mentions a selection in the draft, as soon as the panel listens. */
  mention(selection: WebviewSelection): void {
    this.#mentions.push(selection);
    if (this.#isListening) this.#sendMentions();
  }

  /** Gives the focus back to the panel. */
  takeFocus(): void {
    this.#shown?.view.show(false);
    this.focus();
  }

  /** Reports to the panel that the user answered a request elsewhere in the window. */
  markAnswered(requestId: string): void {
    this.#post({ kind: 'answered', requestId });
  }

  dispose(): void {
    clearTimeout(this.#sending);
    this.#leave();
    this.#owned.dispose();
  }

  async #receive(value: unknown): Promise<void> {
    const parsed = fromWebviewChat.safeParse(value);
    if (!parsed.success) {
      this.#options.logger.warn('the chat panel sent an unknown message');
      return;
    }
    const message = parsed.data;
    if (message.kind === 'ready') return this.#sendAll();
    if (message.kind === 'presence') {
      const { hasFocus, isWriting } = message;
      return this.#become({ hasFocus, isWriting });
    }
    const { id, method, params } = message;
    const document = this.#document;
    const answer = await this.#options.answer(method, params);
    // A new document of the panel has no open calls, and restarts the ids.
    if (this.#document === document) this.#post({ kind: 'answer', id, answer });
  }

  #sendAll(): void {
    const { chat, editor } = this.#options;
    this.#isListening = true;
    this.#post({ kind: 'state', model: chat.model, setup: chat.setup, editor: editor.state });
    this.#sendMentions();
    if (this.#wantsFocus) this.focus();
  }

  #sendMentions(): void {
    for (const selection of this.#mentions.splice(0)) this.#post({ kind: 'mention', selection });
  }

  #sendPatches(patches: readonly ChatPatch[]): void {
    this.#post({ kind: 'patches', patches: [...patches] });
  }

  #post(message: ToWebviewChat): void {
    if (this.#isListening) void this.#shown?.view.webview.postMessage(message);
  }

  #showBadge(): void {
    const view = this.#shown?.view;
    if (view === undefined) return;
    const { waiting } = this.#options.chat.status;
    const tooltip =
      waiting === 1
        ? vscode.l10n.t('The chat has a question')
        : vscode.l10n.t('The chat has {0} questions', waiting);
    view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
  }

  #stopListening(): void {
    this.#isListening = false;
    this.#document += 1;
    this.#become(away);
  }

  #become(presence: ChatPresence): void {
    this.#presence = presence;
    this.#presenceChanged.fire();
  }

  #leave(): void {
    this.#shown?.store.dispose();
    this.#shown = undefined;
    this.#stopListening();
  }
}

/**
 * The document of the chat's webview. It runs only our own script, by a nonce that its parts inherit, connects nowhere, and
 * shows only its own pictures and those in a message. It contains neither an address nor a token.
 */
function chatHtml(webview: vscode.Webview, folder: vscode.Uri): string {
  const nonce = randomBytes(24).toString('base64url');
  const uri = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tandem Chat</title>
    <link rel="stylesheet" href="${uri('chat.css')}">
  </head>
  <body>
    <div id="page"></div>
    <script type="module" nonce="${nonce}" src="${uri('chat.js')}"></script>
  </body>
</html>`;
}
