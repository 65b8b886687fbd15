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
export {
  type PageContract,
  type PageDiagnosis,
  type PageExchange,
  type PageFinding,
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
