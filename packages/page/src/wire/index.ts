export {
  connectionHeader,
  hostClientId,
  hostNonce,
  hostProof,
  hostProofPath,
  liveProtocol,
  liveTokenPrefix,
} from './connection.js';
export { afterListEvent, type PageEvent, pageEvent } from './events.js';
export type { PageDiagnosis, PageExchange, PageFinding } from './pageContract.js';
export {
  type PageContract,
  type PageMethod,
  type PageParams,
  type PageResult,
  pageContract,
} from './pageContract.js';
export type {
  DocumentConflict,
  PageAgent,
  PageChange,
  PageComment,
  PageDocument,
  PageHunk,
  PageReviewDetails,
  PageSession,
  PageSessionSummary,
  TextState,
  TextUpdate,
  TreeEntry,
  WorkspaceFolder,
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
