import { createRoot } from 'react-dom/client';
import { ErrorBoundary } from '../app/errorBoundary.js';
import { ChatPanel } from '../chat/chatPanel.js';
import { mentionInDraft } from '../chat/draft.js';
import { PanelState } from '../chat/panelState.js';
import { watchChat } from '../chat/watchChat.js';
import '../theme/tokens.css';
import '../theme/agents.css';
import '../theme/base.css';
import './editorTheme.css';
import { keepDraft } from './keptDraft.js';
import { enter, focusOnEntry, reportPresence } from './presence.js';
import { createWebviewChatHost } from './webviewChatHost.js';

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
