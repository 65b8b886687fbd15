import { type WebviewContract, type WebviewSelection, webviewContract } from '@tandem/chat-panel/webview';
import { CompanionChat, chatCalls, DaemonError } from '@tandem/companion/chat';
import { type Disposable, DisposableStore, describeError, type Logger, type Path } from '@tandem/core';
import { createDispatcher, type Handlers, RpcError } from '@tandem/rpc';
import * as vscode from 'vscode';
import { contextKey } from '../contextKeys.js';
import { manageTrust, warn } from '../messages.js';
import { readChatSettings } from '../settings.js';
import { ChatDiffs } from './chatDiffs.js';
import { ChatView } from './chatView.js';
import { DaemonChoice } from './daemonChoice.js';
import { EditorSide, type EditorSideOptions } from './editorSide.js';
import { RequestPicks } from './requestPicks.js';

export interface ChatWindowOptions extends EditorSideOptions {
  readonly context: vscode.ExtensionContext;
  /** Shows the output of a daemon that the extension started. */
  readonly output: vscode.OutputChannel;
  readonly logger: Logger;
}

/** Whether the chat has a daemon, for the commands that need one. */
const usedContext = 'tandem.chatInUse';

/** The last session of this workspace's chat. */
const lastSession = 'tandem.daemon.lastSession';

/**
 * The chat of a window: the connection to a daemon, the panel, the quick picks and the diffs. The creator calls
 * `close`, which ends a daemon that it started.
 */
export class ChatWindow implements Disposable {
  readonly #options: ChatWindowOptions;
  readonly #owned = new DisposableStore();
  readonly #chat: CompanionChat;
  readonly #editor: EditorSide;
  readonly #choice: DaemonChoice;
  readonly #view: ChatView;
  readonly #picks: RequestPicks;
  readonly #diffs: ChatDiffs;
  #hasConnected = false;
  readonly #setInUse = contextKey(usedContext);

  constructor(options: ChatWindowOptions) {
    this.#options = options;
    const { context, output, paths, logger } = options;
    const editor = new EditorSide(options);
    this.#editor = editor;
    const [folder] = paths.folders;
    this.#chat = new CompanionChat({
      // Without a folder, the chat never connects: see `#requireFolder`.
      folder: folder ?? '',
      obstacle: () => this.#obstacle(),
      command: () => readChatSettings().command,
      commandPlace: vscode.l10n.t('the setting {0}', 'tandem.daemon.command'),
      onOutput: (line) => output.appendLine(line),
      lastSession: {
        get: () => context.workspaceState.get<string>(lastSession),
        set: (id) => void context.workspaceState.update(lastSession, id),
      },
      logger,
    });
    this.#choice = new DaemonChoice(context);
    this.#owned.add(
      this.#chat.onDidChangeStatus(() => {
        const { url, isOwn } = this.#chat.setup;
        if (url !== undefined) void this.#choice.rememberOwn(isOwn);
        this.#setInUse(url !== undefined);
      }),
    );
    this.#owned.add(
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.#chat.obstacleChanged();
        if (this.#hasConnected && this.#choice.ranOwn) void this.#resume();
      }),
    );
    this.#view = this.#owned.add(
      new ChatView({
        chat: this.#chat,
        editor,
        answer: createDispatcher({
          contract: webviewContract,
          handlers: this.#calls(editor),
          // The messages of all errors are for the user.
          toRpcError: (error) => new RpcError('refused', describeError(error), { cause: error }),
          onFault: () => {},
        }),
        folder: vscode.Uri.joinPath(context.extensionUri, 'dist/chat'),
        logger,
      }),
    );
    this.#diffs = this.#owned.add(new ChatDiffs({ chat: this.#chat, view: this.#view }));
    this.#picks = this.#owned.add(
      new RequestPicks({
        chat: this.#chat,
        view: this.#view,
        showDiff: (diff) => this.#diffs.open(diff),
      }),
    );
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('tandem.daemon.url') && readChatSettings().url !== undefined)
          void this.#connectKnown();
      }),
    );
  }

  /** Whether the chat has a daemon. */
  get isInUse(): boolean {
    return this.#chat.setup.url !== undefined;
  }

  /** Fills the view. The first time, it also connects to the last daemon. */
  show(view: vscode.WebviewView): void {
    this.#view.show(view);
    if (this.#hasConnected) return;
    this.#hasConnected = true;
    void this.#resume();
  }

  focus(): void {
    this.#view.focus();
  }

  /** Mentions a file, or some of its lines, in the draft. */
  mention(path: Path, lines: WebviewSelection['lines']): void {
    const selection = { path, label: this.#editor.label(path) };
    this.#view.mention(lines === undefined ? selection : { ...selection, lines });
  }

  /** Starts a daemon for the folder. The panel shows a failure. */
  async start(): Promise<void> {
    this.#hasConnected = true;
    this.#requireFolder();
    await this.#chat.start();
  }

  /** Asks for the address of a running daemon, and connects to it. */
  async askToConnect(): Promise<void> {
    this.#hasConnected = true;
    this.#requireFolder();
    const daemon = await this.#choice.ask();
    if (daemon !== undefined) await this.#chat.connect(daemon);
  }

  /** Asks for a token, and connects with it. */
  async setToken(): Promise<void> {
    const daemon = await this.#choice.askToken();
    if (daemon === undefined || this.#chat.setup.isOwn || this.#options.paths.folders.length === 0) return;
    this.#hasConnected = true;
    await this.#chat.connect(daemon);
  }

  async newChat(): Promise<void> {
    await this.#chat.chat.newSession();
  }

  async disconnect(): Promise<void> {
    await this.#choice.forget();
    await this.#chat.disconnect();
  }

  answerRequest(): Promise<void> {
    return this.#picks.answerNow();
  }

  answerDiff(isAllowed: boolean): Promise<void> {
    return this.#diffs.answer(isAllowed);
  }

  dispose(): void {
    void this.close();
  }

  /** Disconnects, and resolves when a daemon that it started has ended. Idempotent, never rejects. */
  async close(): Promise<void> {
    this.#owned.dispose();
    this.#setInUse(false);
    await this.#chat.close();
  }

  #calls(editor: EditorSide): Handlers<WebviewContract> {
    return {
      ...chatCalls(this.#chat, editor),
      'chat.start': () => this.start(),
      'chat.disconnect': () => this.disconnect(),
      'trust.manage': () => manageTrust(),
      'chat.askToConnect': () => this.askToConnect(),
      'files.all': async () => ({ files: await editor.files() }),
      'file.open': ({ path, line }) => editor.openFile(path, line),
      'diff.open': ({ path, oldText, newText, toolCallId }) =>
        this.#diffs.open({
          path,
          newText,
          ...(oldText !== undefined && { oldText }),
          ...(toolCallId !== undefined && { toolCallId }),
        }),
      'code.insert': ({ code }) => editor.insert(code),
      'text.save': ({ name, content }) => editor.save(name, content),
    };
  }

  /** A daemon that an earlier window started has ended; its sessions are in the folder. */
  async #resume(): Promise<void> {
    if (!this.#choice.ranOwn) return this.#connectKnown();
    // The panel shows why no daemon is started.
    if (this.#obstacle() !== undefined || this.#options.paths.folders.length === 0) return;
    await this.#chat.start().catch((error: unknown) => {
      this.#options.logger.info('the daemon of the chat was not started again', {
        error: describeError(error),
      });
    });
  }

  async #connectKnown(): Promise<void> {
    if (this.#options.paths.folders.length === 0) return;
    try {
      const daemon = await this.#choice.known();
      if (daemon !== undefined) await this.#chat.connect(daemon);
    } catch (error) {
      // The panel shows every other error.
      if (error instanceof DaemonError && error.kind === 'not_loopback') {
        void warn(error.message);
      } else
        this.#options.logger.info('the chat is not connected to its daemon', { error: describeError(error) });
    }
  }

  #requireFolder(): void {
    if (this.#options.paths.folders.length > 0) return;
    throw new DaemonError(
      'not_started',
      vscode.l10n.t('Open a folder first. A daemon needs a folder to work in.'),
    );
  }

  #obstacle(): string | undefined {
    if (vscode.workspace.isTrusted) return undefined;
    return vscode.l10n.t(
      'This folder is not trusted, so no daemon is started in it. Trust it, or connect to a daemon that you started yourself.',
    );
  }
}
