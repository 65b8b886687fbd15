/** The chat panel, for the page and for a webview. */

export {
  type ChatDiff,
  type ChatHost,
  ChatMirror,
  type ChatSelection,
  type ChatState,
  labelIn,
  MentionFiles,
} from './chat/chatHost.js';
export { Announcer, ChatPanel } from './chat/chatPanel.js';
export { ChatContext, PanelState, useChat, useModel, watchChat } from './chat/panelState.js';
export { answerRequest, PermissionOptions, RequestCards } from './chat/requestCards.js';
