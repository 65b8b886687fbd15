import type {
  ChatAnswerChoice,
  ChatDiff,
  ChatFile,
  ChatHost,
  ChatSelection,
  ChatState,
} from '../chat/chatHost.js';
import { ChatMirror } from '../chat/chatMirror.js';
import { labelIn } from '../chat/labelIn.js';
import { MentionFiles } from '../chat/mentionFiles.js';
import { Listeners } from '../client/listeners.js';
import {
  type ChatPrompt,
  type ChatSession,
  type ChatSetup,
  type FromWebviewChat,
  type ToWebviewChat,
  toWebviewChat,
  type WebviewChatMethod,
  type WebviewChatParams,
  type WebviewChatResult,
  type WebviewEditorState,
  webviewChatMethods,
} from '../wire/index.js';

interface OpenCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The chat's other side in a webview: the extension, by messages. Made once; it lives as long as the webview. */
export class WebviewChatHost implements ChatHost {
  readonly connecting = { kind: 'native', ask: () => this.#run('chat.askToConnect', {}) } as const;
  readonly #post: (message: FromWebviewChat) => void;
  readonly #changes = new Listeners<void>();
  readonly #answered = new Listeners<string>();
  readonly #mentions = new Listeners<ChatSelection>();
  readonly #focusWishes = new Listeners<void>();
  readonly #mirror = new ChatMirror(() => this.#tell());
  readonly #calls = new Map<number, OpenCall>();
  readonly #files = new MentionFiles(async () => (await this.#ask('files.all', {})).files);
  #lastCall = 0;
  #setup: ChatSetup = { isOwn: false, isStarting: false };
  #editor: WebviewEditorState = { folders: [], recent: [] };
  #state: ChatState;

  constructor(post: (message: FromWebviewChat) => void) {
    this.#post = post;
    this.#state = this.#read();
  }

  get state(): ChatState {
    return this.#state;
  }

  onDidChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** A request that the person answered outside of the panel. */
  onAnswered(listener: (requestId: string) => void): () => void {
    return this.#answered.add(listener);
  }

  /** A file or a selection that the user mentions from outside of the panel. */
  onMention(listener: (selection: ChatSelection) => void): () => void {
    return this.#mentions.add(listener);
  }

  onFocusWish(listener: () => void): () => void {
    return this.#focusWishes.add(listener);
  }

  /** Takes a message of the extension. What is none of its messages is left alone: VS Code posts here as well. */
  hear(data: unknown): void {
    const parsed = toWebviewChat.safeParse(data);
    if (parsed.success) this.#take(parsed.data);
  }

  start(): Promise<void> {
    return this.#run('chat.start', {});
  }

  manageTrust(): Promise<void> {
    return this.#run('trust.manage', {});
  }

  reconnect(): Promise<void> {
    return this.#run('chat.reconnect', {});
  }

  disconnect(): Promise<void> {
    return this.#run('chat.disconnect', {});
  }

  async send(prompt: ChatPrompt): Promise<'sent' | 'rewound'> {
    return (await this.#ask('chat.send', prompt)).isRewound ? 'rewound' : 'sent';
  }

  retry(): Promise<void> {
    return this.#run('chat.retry', {});
  }

  async unqueue(promptId: string): Promise<'removed' | 'started'> {
    return (await this.#ask('chat.unqueue', { id: promptId })).isRemoved ? 'removed' : 'started';
  }

  cancel(): Promise<void> {
    return this.#run('chat.cancel', {});
  }

  setModel(id: string): Promise<void> {
    return this.#run('chat.setModel', { id });
  }

  setMode(id: string): Promise<void> {
    return this.#run('chat.setMode', { id });
  }

  newChat(): Promise<void> {
    return this.#run('chat.new', {});
  }

  async sessions(): Promise<readonly ChatSession[]> {
    return (await this.#ask('chat.sessions', {})).sessions;
  }

  openSession(id: string): Promise<void> {
    return this.#run('chat.open', { id });
  }

  async answer(
    requestId: string,
    { optionId, answers }: ChatAnswerChoice,
  ): Promise<'answered' | 'elsewhere'> {
    const { isElsewhere } = await this.#ask('chat.answer', {
      requestId,
      optionId,
      answers: answers && { ...answers },
    });
    return isElsewhere ? 'elsewhere' : 'answered';
  }

  findFiles(query: string): Promise<readonly ChatFile[]> {
    return this.#files.find(query, this.#editor.recent);
  }

  selection(): ChatSelection | undefined {
    const { selection } = this.#editor;
    return selection && toSelection(selection);
  }

  openFile(path: string, line?: number): Promise<void> {
    return this.#run('file.open', { path, line });
  }

  openDiff(diff: ChatDiff): Promise<void> {
    return this.#run('diff.open', diff);
  }

  insertAtCursor(code: string): Promise<void> {
    return this.#run('code.insert', { code });
  }

  saveText(name: string, content: string): Promise<void> {
    return this.#run('text.save', { name, content });
  }

  labelOf(path: string): string {
    return labelIn(this.#editor.folders, path);
  }

  #take(message: ToWebviewChat): void {
    if (message.kind === 'patches') this.#mirror.patch(message.patches);
    else if (message.kind === 'answered') this.#answered.tell(message.requestId);
    else if (message.kind === 'mention') this.#mentions.tell(toSelection(message.selection));
    else if (message.kind === 'focus') this.#focusWishes.tell();
    else if (message.kind === 'done' || message.kind === 'failed') this.#settle(message);
    else {
      // What is selected in the editor shows nowhere before it is asked for.
      if (message.kind !== 'setup') this.#editor = message.editor;
      if (message.kind !== 'editor') this.#setup = message.setup;
      if (message.kind === 'state') this.#mirror.replace(message.model);
      if (message.kind === 'setup') this.#tell();
    }
  }

  #settle(message: Extract<ToWebviewChat, { kind: 'done' | 'failed' }>): void {
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.kind === 'failed') call?.reject(new Error(message.message));
    else call?.resolve(message.result);
  }

  async #run<M extends WebviewChatMethod>(method: M, params: WebviewChatParams<M>): Promise<void> {
    await this.#ask(method, params);
  }

  async #ask<M extends WebviewChatMethod>(
    method: M,
    params: WebviewChatParams<M>,
  ): Promise<WebviewChatResult<M>> {
    this.#lastCall += 1;
    const id = this.#lastCall;
    const result = await new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#post({ kind: 'ask', id, method, params });
    });
    // The schema that parses is the one that belongs to this method.
    return webviewChatMethods[method].result.parse(result) as WebviewChatResult<M>;
  }

  #tell(): void {
    this.#state = this.#read();
    this.#changes.tell();
  }

  #read(): ChatState {
    const { model, isFollowing } = this.#mirror;
    return { setup: this.#setup, model, link: isFollowing ? 'open' : 'waiting' };
  }
}

function toSelection({ path, label, lines }: NonNullable<WebviewEditorState['selection']>): ChatSelection {
  return lines === undefined ? { path, label } : { path, label, lines };
}
