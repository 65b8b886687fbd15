import { createRoot } from 'react-dom/client';
import { ChatPanel } from '../chat/chatPanel.js';
import { mentionInDraft } from '../chat/draft.js';
import { PanelState, watchChat } from '../chat/panelState.js';
import { ErrorBoundary } from '../primitives/index.js';
import '../theme/tokens.css';
import '../theme/agents.css';
import '../theme/base.css';
import './editorTheme.css';
import * as z from 'zod';
import { createWebviewChatHost } from './webviewChatHost.js';

/** The API of VS Code for a webview. */
interface EditorApi {
  postMessage(message: unknown): void;
  /** The value of `setState`. It survives the webview, which is destroyed while it is hidden. */
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  /** Can be called once. */
  var acquireVsCodeApi: () => EditorApi;
}

const keptDraft = z.object({
  draft: z.string(),
  mentions: z.array(
    z.object({
      path: z.string(),
      token: z.string(),
      lines: z.object({ first: z.int(), last: z.int() }).optional(),
    }),
  ),
  images: z.array(z.object({ key: z.int(), mimeType: z.string(), data: z.string() })),
  edited: z.int().optional(),
});

/** Restores the draft and stores its changes. */
function keepDraft(api: EditorApi, panel: PanelState): void {
  const kept = keptDraft.safeParse(api.getState());
  if (kept.success) panel.set(kept.data);
  panel.store.subscribe(({ draft, mentions, images, edited }, before) => {
    const isSame =
      draft === before.draft &&
      mentions === before.mentions &&
      images === before.images &&
      edited === before.edited;
    if (!isSame) api.setState({ draft, mentions, images, edited });
  });
}

/** The user counts as typing for this long after a key. */
const typingMs = 800;

/** Reports whether the panel has the focus and whether the user is typing, so that nothing interrupts them. */
function reportPresence(
  report: (presence: { readonly hasFocus: boolean; readonly isWriting: boolean }) => void,
): void {
  let last = '';
  let isWriting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = (): void => {
    const presence = { hasFocus: document.hasFocus(), isWriting };
    const text = JSON.stringify(presence);
    if (text === last) return;
    last = text;
    report(presence);
  };
  const setWriting = (value: boolean): void => {
    clearTimeout(timer);
    isWriting = value;
    if (value) timer = setTimeout(() => setWriting(false), typingMs);
    update();
  };
  addEventListener('focus', update);
  addEventListener('blur', () => setWriting(false));
  document.addEventListener('keydown', ({ target }) => {
    if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) setWriting(true);
  });
  update();
}

/** Moves the focus into the composer when the webview receives it by keyboard. A click keeps its target. */
function focusOnEntry(focusComposer: () => void): void {
  let isPressed = false;
  const press = (value: boolean) => (): void => {
    isPressed = value;
  };
  addEventListener('pointerdown', press(true), true);
  addEventListener('pointerup', press(false), true);
  addEventListener('focus', () => {
    if (!isPressed && hasNoFocus()) enter(focusComposer);
  });
}

/** Focuses the composer, or the first button of the setup view. */
function enter(focusComposer: () => void): void {
  // The editor gives the webview the focus first.
  if (!document.hasFocus()) return;
  focusComposer();
  requestAnimationFrame(() => {
    if (hasNoFocus()) document.querySelector<HTMLElement>('textarea, [data-setup] button')?.focus();
  });
}

function hasNoFocus(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

const element = document.getElementById('page');
if (element === null) throw new Error('The webview has no root element.');
const api = acquireVsCodeApi();
const panel = new PanelState();
const { host, receive } = createWebviewChatHost((message) => api.postMessage(message), {
  onAnswered: (requestId) => panel.markAnswered(requestId),
  onMention: (selection) => mentionInDraft(panel, selection),
  onFocusRequest: () => enter(() => panel.focusComposer()),
});
keepDraft(api, panel);
watchChat(host, panel);
addEventListener('message', ({ data }) => receive(data));
focusOnEntry(() => panel.focusComposer());
createRoot(element).render(
  <ErrorBoundary name="The chat">
    <main className="chat">
      <ChatPanel host={host} panel={panel} />
    </main>
  </ErrorBoundary>,
);
api.postMessage({ kind: 'ready' });
reportPresence((presence) => api.postMessage({ kind: 'presence', ...presence }));
