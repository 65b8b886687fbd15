export type {
  ChatMention,
  ChatPrompt,
  ChatSession,
  ChatSetup,
  ChatStatus,
} from './chat.js';
export { connectionHeader, liveProtocol, liveTokenPrefix, type PageEvent, pageEvent } from './events.js';
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
export type {
  DocumentConflict,
  PageAgent,
  PageDocument,
  PageHunk,
  PageReview,
  PageReviewDetails,
  PageSession,
  PageSharing,
  TextState,
  TextUpdate,
  TreeEntry,
  WorkspaceFolder,
} from './values.js';
