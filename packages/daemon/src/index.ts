export { DaemonError } from './connection/daemonError.js';
export { validateDaemonBaseUrl } from './connection/daemonUrl.js';
export type { ContentBlock } from './connection/sessionClient.js';
export {
  type ChatAnswer,
  type ChatAsk,
  type ChatChange,
  DaemonChat,
  type DaemonChatOptions,
} from './session/daemonChat.js';
export type { ChatSessionSummary } from './session/sessionSummary.js';
