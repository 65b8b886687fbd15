export type {
  ChatMention,
  ChatPrompt,
  ChatSession,
  ChatSetup,
  ChatStatus,
} from './chat.js';
export { connectionHeader, liveProtocol, liveTokenPrefix, type PageEvent, pageEvent } from './events.js';
export type { PageDiagnosis, PageExchange, PageFinding } from './help.js';
export { hostNonce, hostProof, hostProofPath } from './hostProof.js';
export {
  PageError,
  type PageFailureCode,
  type PageMethod,
  type PageParams,
  type PageResult,
  pageFailureCode,
  pageFailureStatus,
  pageMethods,
} from './methods.js';
export {
  type ClosingMeans,
  type DocumentConflict,
  hostClientId,
  type PageAgent,
  type PageDocument,
  type PageHunk,
  type PageInterrupted,
  type PageReview,
  type PageReviewDetails,
  type PageSession,
  type PageSharing,
  type TextState,
  type TextUpdate,
  type TreeEntry,
  type WorkspaceFolder,
} from './values.js';
export {
  type FromWebviewChat,
  fromWebviewChat,
  type ToWebviewChat,
  toWebviewChat,
  type WebviewChatMethod,
  type WebviewChatParams,
  type WebviewChatResult,
  type WebviewEditorState,
  type WebviewSelection,
  webviewChatMethods,
} from './webviewChat.js';
