import { visibleName } from '@tandem/core';
import type { Shell } from '../app/shell.js';
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
import type { PageServices } from '../client/pageContext.js';
import { rangeOf } from '../documents/openEditors.js';
import { downloadText } from '../review/downloadText.js';
import type { ChatPrompt, ChatSession, ChatSetup } from '../wire/index.js';

const noSetup: ChatSetup = { isOwn: false, isStarting: false };

/** The chat's other side in the page: its companion, and the page's own tabs. Made once; it lives as long as the page. */
export class PageChatHost implements ChatHost {
  readonly #services: PageServices;
  readonly #shell: Shell;
  readonly #changes = new Listeners<void>();
  readonly #mirror = new ChatMirror(() => this.#tell());
  readonly #files = new MentionFiles(async () => (await this.#services.host.request('files.all', {})).files);
  readonly connecting = {
    kind: 'form',
    connect: async (daemon: { readonly url: string; readonly token: string }): Promise<void> => {
      await this.#services.host.request('chat.connect', daemon);
    },
  } as const;
  #state: ChatState;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.#services = shell.services;
    const { host, store } = this.#services;
    this.#state = this.#read();
    host.onEvent((event) => {
      // Another connection is told nothing that it did not ask for.
      if (event.event === 'hello') void this.#follow();
      if (event.event === 'chat') this.#mirror.replace(event.model);
      if (event.event === 'chat-patches') this.#mirror.patch(event.patches);
    });
    store.subscribe(({ chat, connection }, before) => {
      if (chat !== before.chat || connection !== before.connection) this.#tell();
    });
    if (host.connection === 'open') void this.#follow();
  }

  get state(): ChatState {
    return this.#state;
  }

  onDidChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  async start(): Promise<void> {
    await this.#services.host.request('chat.start', {});
  }

  async reconnect(): Promise<void> {
    await this.#services.host.request('chat.reconnect', {});
  }

  async disconnect(): Promise<void> {
    await this.#services.host.request('chat.disconnect', {});
  }

  async send(prompt: ChatPrompt): Promise<'sent' | 'rewound'> {
    const { isRewound } = await this.#services.host.request('chat.send', prompt);
    return isRewound ? 'rewound' : 'sent';
  }

  async retry(): Promise<void> {
    await this.#services.host.request('chat.retry', {});
  }

  async unqueue(promptId: string): Promise<'removed' | 'started'> {
    const { isRemoved } = await this.#services.host.request('chat.unqueue', { id: promptId });
    return isRemoved ? 'removed' : 'started';
  }

  async cancel(): Promise<void> {
    await this.#services.host.request('chat.cancel', {});
  }

  async setModel(id: string): Promise<void> {
    await this.#services.host.request('chat.setModel', { id });
  }

  async setMode(id: string): Promise<void> {
    await this.#services.host.request('chat.setMode', { id });
  }

  async newChat(): Promise<void> {
    await this.#services.host.request('chat.new', {});
  }

  async sessions(): Promise<readonly ChatSession[]> {
    return (await this.#services.host.request('chat.sessions', {})).sessions;
  }

  async openSession(id: string): Promise<void> {
    await this.#services.host.request('chat.open', { id });
  }

  async answer(
    requestId: string,
    { optionId, answers }: ChatAnswerChoice,
  ): Promise<'answered' | 'elsewhere'> {
    const { isElsewhere } = await this.#services.host.request('chat.answer', {
      requestId,
      ...(optionId !== undefined && { optionId }),
      ...(answers !== undefined && { answers: { ...answers } }),
    });
    return isElsewhere ? 'elsewhere' : 'answered';
  }

  async findFiles(query: string): Promise<readonly ChatFile[]> {
    const recent = this.#shell.tabs.state
      .getState()
      .recent.flatMap((key) => /^document:(.*)$/s.exec(key)?.[1] ?? []);
    return this.#files.find(query, recent);
  }

  selection(): ChatSelection | undefined {
    const path = this.#shell.latestPath;
    if (path === undefined) return undefined;
    const file = { path, label: this.labelOf(path) };
    const view = this.#shell.desk.editors.get(path);
    if (view === undefined || view.state.selection.main.empty) return file;
    const { start, end } = rangeOf(view.state);
    // A selection up to the start of a line holds nothing of that line.
    const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
    return { ...file, lines: { first: start.line, last } };
  }

  async openFile(path: string, line?: number): Promise<void> {
    const start = { line: Math.max((line ?? 1) - 1, 0), character: 0 };
    await this.#shell.desk.open(path, { range: line === undefined ? undefined : { start, end: start } });
    this.#shell.show('main');
  }

  async openDiff(diff: ChatDiff): Promise<void> {
    this.#shell.showDiff(diff);
  }

  async insertAtCursor(code: string): Promise<void> {
    const path = this.#shell.latestPath;
    const view = path === undefined ? undefined : this.#shell.desk.editors.get(path);
    if (path === undefined || view === undefined) throw new Error('Open a file first, and place the cursor.');
    if (view.state.readOnly) throw new Error(`${visibleName(this.labelOf(path))} cannot be edited.`);
    view.dispatch({ ...view.state.replaceSelection(code), scrollIntoView: true, userEvent: 'input.paste' });
    this.#shell.activate(`document:${path}`);
  }

  async saveText(name: string, content: string): Promise<void> {
    downloadText(name, content);
  }

  labelOf(path: string): string {
    const { folders = [] } = this.#services.store.getState().host ?? {};
    return labelIn(folders, path);
  }

  async #follow(): Promise<void> {
    this.#mirror.startAnew();
    await this.#services.host.request('chat.follow', {}).catch((error: unknown) => {
      // With the next connection it is asked again.
      if (this.#services.host.connection === 'open') reportError(error);
    });
  }

  #tell(): void {
    this.#state = this.#read();
    this.#changes.tell();
  }

  #read(): ChatState {
    const { chat, connection } = this.#services.store.getState();
    const { model, isFollowing } = this.#mirror;
    const link = !isFollowing ? 'waiting' : connection === 'open' ? 'open' : 'lost';
    return { setup: chat?.setup ?? noSetup, model, link };
  }
}
