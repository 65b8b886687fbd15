import { visibleName } from '@tandem/core';
import type { Shell } from '../app/shell.js';
import type { ChatHost, ChatSelection, ChatState } from '../chat/chatHost.js';
import { PanelState } from '../chat/panelState.js';
import { ChatMirror, labelIn, MentionFiles } from '../chat/sharedHost.js';
import { watchChat } from '../chat/watchChat.js';
import { Listeners } from '../client/listeners.js';
import { downloadText } from '../client/textOutput.js';
import { rangeOf } from '../documents/openEditors.js';

export interface PageChat {
  readonly host: ChatHost;
  readonly panel: PanelState;
}

const chats = new WeakMap<Shell, PageChat>();

/** The chat of a page, created at the first call. It lives as long as the page. */
export function pageChat(shell: Shell): PageChat {
  const known = chats.get(shell);
  if (known !== undefined) return known;
  const chat = { host: createPageChatHost(shell), panel: new PanelState() };
  watchChat(chat.host, chat.panel);
  chats.set(shell, chat);
  return chat;
}

/** The host of the chat in the page: the page's companion and its tabs. */
function createPageChatHost(shell: Shell): ChatHost {
  const { host, store } = shell.services;
  const changes = new Listeners<void>();
  const mirror = new ChatMirror(publish);
  const files = new MentionFiles(async () => (await host.request('files.all', {})).files);
  let state = readState();

  host.onEvent((event) => {
    // A new connection sends nothing before it is asked.
    if (event.event === 'hello') void follow();
    if (event.event === 'chat') mirror.replace(event.model);
    if (event.event === 'chat-patches') mirror.patch(event.patches);
  });
  store.subscribe(({ chat, connection }, before) => {
    if (chat !== before.chat || connection !== before.connection) publish();
  });
  if (host.connection === 'open') void follow();

  return {
    call: (method, params) => host.request(method, params),
    get state() {
      return state;
    },
    onDidChange: (listener) => changes.add(listener),
    connecting: {
      kind: 'form',
      connect: async (daemon) => void (await host.request('chat.connect', daemon)),
    },
    findFiles: (query) => {
      const recent = shell.tabs.state
        .getState()
        .recent.flatMap((key) => /^document:(.*)$/s.exec(key)?.[1] ?? []);
      return files.find(query, recent);
    },
    selection,
    openFile: async (path, line) => {
      const start = { line: Math.max((line ?? 1) - 1, 0), character: 0 };
      await shell.documentCommands.open(path, {
        range: line === undefined ? undefined : { start, end: start },
      });
      shell.show('main');
    },
    openDiff: async (diff) => shell.showDiff(diff),
    insertAtCursor: async (code) => {
      const path = shell.latestPath;
      const view = path === undefined ? undefined : shell.documentCommands.editors.get(path);
      if (path === undefined || view === undefined)
        throw new Error('Open a file first, and place the cursor.');
      if (view.state.readOnly) throw new Error(`${visibleName(labelOf(path))} cannot be edited.`);
      view.dispatch({ ...view.state.replaceSelection(code), scrollIntoView: true, userEvent: 'input.paste' });
      shell.activate(`document:${path}`);
    },
    saveText: async (name, content) => downloadText(name, content),
    labelOf,
  };

  function selection(): ChatSelection | undefined {
    const path = shell.latestPath;
    if (path === undefined) return undefined;
    const file = { path, label: labelOf(path) };
    const view = shell.documentCommands.editors.get(path);
    if (view === undefined || view.state.selection.main.empty) return file;
    const { start, end } = rangeOf(view.state);
    // A selection up to the start of a line contains nothing of that line.
    const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
    return { ...file, lines: { first: start.line, last } };
  }

  function labelOf(path: string): string {
    return labelIn(store.getState().host?.folders ?? [], path);
  }

  async function follow(): Promise<void> {
    mirror.reset();
    await host.request('chat.follow', {}).catch((error: unknown) => {
      // The next connection follows again.
      if (host.connection === 'open') reportError(error);
    });
  }

  function publish(): void {
    state = readState();
    changes.notify();
  }

  function readState(): ChatState {
    const { chat, connection } = store.getState();
    const { model, isFollowing } = mirror;
    const link = !isFollowing ? 'waiting' : connection === 'open' ? 'open' : 'lost';
    return { setup: chat?.setup ?? { isOwn: false, isStarting: false }, model, link };
  }
}
