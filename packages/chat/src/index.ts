export type { ChatAsk, ChatChange } from './qwenServe/chatState.js';
export { type ChatAnswer, DaemonChat, type DaemonChatOptions } from './qwenServe/daemonChat.js';
export { DaemonError } from './qwenServe/daemonError.js';
export {
  createSdkDaemonSessionFactory,
  DaemonIdeConnection,
  type DaemonIdeConnectionContext,
} from './qwenServe/daemonIdeConnection.js';
export { validateDaemonBaseUrl } from './qwenServe/daemonUrl.js';
export type * from './qwenServe/ideTypes.js';
export type { ChatSessionSummary } from './qwenServe/readSession.js';
export type { InjectedSession } from './qwenServe/sessionClient.js';
export { type StartDaemonOptions, type StartedDaemon, startDaemon } from './qwenServe/startDaemon.js';
