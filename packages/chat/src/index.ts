export { DaemonError } from './connection/daemonError.js';
export { validateDaemonBaseUrl } from './connection/daemonUrl.js';
export type { ContentBlock } from './connection/sessionClient.js';
export { DaemonIdeConnection, type DaemonIdeConnectionContext } from './ide/daemonIdeConnection.js';
export type {
  AskContext,
  AskUserQuestion,
  AskUserQuestionRequest,
  DaemonIdeConnectionOptions,
  DaemonIdeObserver,
  DaemonIdePromptResult,
  DaemonIdeSession,
  DaemonIdeSessionFactory,
  DaemonIdeSessionFactoryOptions,
  DaemonIdeSetModelResult,
  RequestPermissionRequest,
  SessionNotification,
} from './ide/ideTypes.js';
export { createSdkDaemonSessionFactory } from './ide/sdkSessionFactory.js';
export type { ChatAsk, ChatChange } from './session/chatState.js';
export { type ChatAnswer, DaemonChat, type DaemonChatOptions } from './session/daemonChat.js';
export type { ChatSessionSummary } from './session/sessionSummary.js';
export { type StartDaemonOptions, type StartedDaemon, startDaemon } from './start/startDaemon.js';
