import { type Caller, type ChatSetup, createCaller } from '@tandem/rpc';
import {
  type ChatHost,
  ChatMirror,
  type ChatSelection,
  type ChatState,
  labelIn,
  MentionFiles,
} from '../chat/chatHost.js';
import { Listeners } from '../primitives/listeners.js';
import {
  type FromWebviewChat,
  type ToWebviewChat,
  toWebviewChat,
  type WebviewContract,
  type WebviewEditorState,
  webviewContract,
} from './webviewContract.js';

interface WebviewChatEvents {
  /** The user answered a request outside the panel. */
  onAnswered(requestId: string): void;
  /** The user mentions a file or a selection from outside the panel. */
  onMention(selection: ChatSelection): void;
  onFocusRequest(): void;
}

interface WebviewChatHost {
  readonly host: ChatHost;
  /** Handles a message of the extension. Ignores other messages, because VS Code also posts to the webview. */
  receive(data: unknown): void;
}

/** The host of the chat in a webview: the extension, by messages. It lives as long as the webview. */
export function createWebviewChatHost(
  post: (message: FromWebviewChat) => void,
  events: WebviewChatEvents,
): WebviewChatHost {
  const changes = new Listeners<void>();
  const mirror = new ChatMirror(publish);
  /** The calls without an answer, by their ids. */
  const calls = new Map<number, (answer: unknown) => void>();
  let lastCall = 0;
  const call: Caller<WebviewContract> = createCaller(webviewContract, (method, params) => {
    lastCall += 1;
    const id = lastCall;
    return new Promise((resolve) => {
      calls.set(id, resolve);
      post({ kind: 'call', id, method, params });
    });
  });
  const files = new MentionFiles(async () => (await call('files.all', {})).files);
  let setup: ChatSetup = { isOwn: false, isStarting: false };
  let editor: WebviewEditorState = { folders: [], recent: [] };
  let state = readState();

  const host: ChatHost = {
    call: (method, params) => call(method, params),
    get state() {
      return state;
    },
    onDidChange: (listener) => changes.add(listener),
    connecting: { kind: 'native', ask: async () => void (await call('chat.askToConnect', {})) },
    manageTrust: async () => void (await call('trust.manage', {})),
    findFiles: (query) => files.find(query, editor.recent),
    selection: () => editor.selection && toSelection(editor.selection),
    openFile: async (path, line) => void (await call('file.open', { path, line })),
    openDiff: async (diff) => void (await call('diff.open', diff)),
    insertAtCursor: async (code) => void (await call('code.insert', { code })),
    saveText: async (name, content) => void (await call('text.save', { name, content })),
    labelOf: (path) => labelIn(editor.folders, path),
  };
  return {
    host,
    receive: (data) => {
      const parsed = toWebviewChat.safeParse(data);
      if (parsed.success) handle(parsed.data);
    },
  };

  function handle(message: ToWebviewChat): void {
    if (message.kind === 'patches') mirror.patch(message.patches);
    else if (message.kind === 'answered') events.onAnswered(message.requestId);
    else if (message.kind === 'mention') events.onMention(toSelection(message.selection));
    else if (message.kind === 'focus') events.onFocusRequest();
    else if (message.kind === 'answer') settle(message);
    else {
      if (message.kind !== 'setup') editor = message.editor;
      if (message.kind !== 'editor') setup = message.setup;
      if (message.kind === 'state') mirror.replace(message.model);
      if (message.kind === 'setup') publish();
    }
  }

  function settle({ id, answer }: Extract<ToWebviewChat, { kind: 'answer' }>): void {
    calls.get(id)?.(answer);
    calls.delete(id);
  }

  function publish(): void {
    state = readState();
    changes.notify();
  }

  function readState(): ChatState {
    const { model, isFollowing } = mirror;
    return { setup, model, link: isFollowing ? 'open' : 'waiting' };
  }
}

function toSelection({ path, label, lines }: NonNullable<WebviewEditorState['selection']>): ChatSelection {
  return lines === undefined ? { path, label } : { path, label, lines };
}
