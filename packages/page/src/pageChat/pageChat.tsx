import {
  Announcer,
  ChatContext,
  type ChatHost,
  ChatMirror,
  ChatPanel,
  type ChatSelection,
  type ChatState,
  labelIn,
  MentionFiles,
  PanelState,
  RequestCards,
  useModel,
  watchChat,
} from '@tandem/chat-panel';
import { Button, IconButton, joinClasses, Listeners } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { MessageSquare, X } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import styles from '../app/frame.module.css';
import { focusRegion, region } from '../app/pageFocus.js';
import { PanelSeparator } from '../app/panelSeparator.js';
import { type Shell, useShell } from '../app/shell.js';
import { chatWidths, layoutPreferences } from '../client/preferences.js';
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

interface ChatPlaceProps {
  readonly isShown: boolean;
  readonly isNarrow: boolean;
}

/** The chat at the right of the page, or in all of a narrow one. While it is closed, its requests are shown in a corner. */
export function ChatPlace({ isShown, isNarrow }: ChatPlaceProps) {
  const shell = useShell();
  const { host, panel } = pageChat(shell);
  const width = useStore(layoutPreferences, (layout) => layout.chatWidth);
  const request = useStore(shell.state, ({ chatFocus }) => chatFocus ?? 0);
  const handled = useRef(0);
  useEffect(() => {
    if (request === handled.current) return;
    handled.current = request;
    enter(() => panel.focusComposer());
  }, [request, panel]);
  if (!isShown) return <RequestCorner host={host} panel={panel} />;
  const Place = isNarrow ? 'main' : 'aside';
  return (
    <Place
      className={joinClasses(styles.side, styles.chat)}
      style={isNarrow ? undefined : { width }}
      aria-label="Chat"
      {...region('chat')}
    >
      {!isNarrow && (
        <PanelSeparator
          label="Width of the chat"
          edge="left"
          width={width}
          {...chatWidths}
          onWidth={(chatWidth) => layoutPreferences.setState({ chatWidth })}
        />
      )}
      <ChatPanel host={host} panel={panel}>
        {!isNarrow && <IconButton icon={X} label="Close the chat" onClick={() => shell.hideChat()} />}
      </ChatPanel>
    </Place>
  );
}

/** Focuses the composer, or the first button of the setup view. */
function enter(focusField: () => void): void {
  focusField();
  requestAnimationFrame(() => {
    const place = document.querySelector<HTMLElement>('[data-region="chat"]');
    if (place === null || place.contains(document.activeElement)) return;
    const first =
      place.querySelector<HTMLElement>('textarea') ?? place.querySelector<HTMLElement>('[data-setup] button');
    (first ?? place).focus();
  });
}

/** The requests of a closed chat, in a corner. It does not take the focus. */
function RequestCorner({ host, panel }: PageChat) {
  const services = useMemo(() => ({ host, panel }), [host, panel]);
  return (
    <ChatContext value={services}>
      <Corner panel={panel} />
      <Announcer />
    </ChatContext>
  );
}

function Corner({ panel }: Pick<PageChat, 'panel'>) {
  const shell = useShell();
  const pendingCount = useModel(({ pending }) => pending.length);
  const elsewhere = useStore(panel.store, (values) => values.elsewhere.length);
  if (pendingCount + elsewhere === 0) return null;
  return (
    <aside
      className={joinClasses('stack', styles.corner, styles.requests)}
      aria-label="The chat asks"
      {...region('chat')}
    >
      <RequestCards onDone={() => focusRegion(1)} />
      {pendingCount > 0 && (
        <p className="line muted small">
          <span className="grow">Press Alt+Q to go to the question</span>
          <Button icon={MessageSquare} onClick={() => shell.showChat()}>
            Open the chat
          </Button>
        </p>
      )}
    </aside>
  );
}
