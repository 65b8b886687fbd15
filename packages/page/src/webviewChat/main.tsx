import { createRoot } from 'react-dom/client';
import { ErrorBoundary } from '../app/errorBoundary.js';
import { ChatPanel } from '../chat/chatPanel.js';
import { mentionInDraft } from '../chat/mentionInDraft.js';
import { PanelState } from '../chat/panelState.js';
import { watchChat } from '../chat/watchChat.js';
import '../theme/tokens.css';
import '../theme/base.css';
import './editorTheme.css';
import './editorApi.js';
import { keepDraft } from './keptDraft.js';
import { goIn, tellPresence, welcomeFocus } from './tellPresence.js';
import { WebviewChatHost } from './webviewChatHost.js';

const element = document.getElementById('page');
if (element === null) throw new Error('The webview has no element to stand in.');
const api = acquireVsCodeApi();
const host = new WebviewChatHost((message) => api.postMessage(message));
const panel = new PanelState();
keepDraft(api, panel);
watchChat(host, panel);
host.onAnswered((requestId) => panel.markAnswered(requestId));
host.onMention((selection) => mentionInDraft(panel, selection));
host.onFocusWish(() => goIn(() => panel.focusComposer()));
addEventListener('message', ({ data }) => host.hear(data));
welcomeFocus(() => panel.focusComposer());
createRoot(element).render(
  <ErrorBoundary name="The chat">
    <main className="chat">
      <ChatPanel host={host} panel={panel} />
    </main>
  </ErrorBoundary>,
);
api.postMessage({ kind: 'ready' });
tellPresence((presence) => api.postMessage({ kind: 'presence', ...presence }));
