export {
  connectionHeader,
  hostNonce,
  hostProof,
  hostProofPath,
  liveProtocol,
  liveTokenPrefix,
  type PageEvent,
  pageEvent,
} from './events.js';
export type { PageDiagnosis, PageExchange, PageFinding } from './pageContract.js';
export {
  type PageContract,
  type PageMethod,
  type PageParams,
  type PageResult,
  pageContract,
} from './pageContract.js';
export {
  type DocumentConflict,
  hostClientId,
  type PageAgent,
  type PageChange,
  type PageComment,
  type PageDecided,
  type PageDocument,
  type PageHunk,
  type PageInterrupted,
  type PageReview,
  type PageReviewDetails,
  type PageSession,
  type PageSessionSummary,
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
  type WebviewContract,
  type WebviewEditorState,
  type WebviewSelection,
  webviewContract,
} from './webviewContract.js';
