export type { Clock } from './clock.js';
export { ContextFeed, contextDebounceMs, contextMaxDelayMs } from './contextFeed.js';
export { type Disposable, DisposableStore, toDisposable } from './disposable.js';
export {
  type Diagnostic,
  type Diagnostics,
  DocumentError,
  type Documents,
  type DocumentState,
  type Editor,
  type EditorInfo,
  type FileDiagnostics,
  type Workspace,
} from './editor.js';
export {
  type EditorContext,
  maxSharedFiles,
  maxSharedSelectionBytes,
  type OpenFile,
  type Selection,
} from './editorContext.js';
export { Emitter, type Event } from './event.js';
export { describeError, type LogFields, type Logger, logListenerError, silentLogger } from './logger.js';
export { isWithin, joinPath, partsBelow, pathParts } from './paths.js';
export { isEmptyRange, type Path, type Position, type Range } from './position.js';
export {
  type FileContent,
  HunkConflictError,
  onceDecided,
  type Outcome,
  type Proposal,
  Review,
  ReviewDecidedError,
  type ReviewState,
  UnanswerableError,
  type WithdrawReason,
} from './review.js';
export { ProposalError, Reviews, type ReviewsOptions } from './reviews.js';
export { SharedContext, type SharedContextOptions } from './sharedContext.js';
export {
  type AgentIdentity,
  type AgentIgnoreFile,
  defaultDenyList,
  type PolicyFiles,
  SharingPolicy,
  type SharingPolicyOptions,
  type SharingVerdict,
} from './sharingPolicy.js';
export { describeExactDifferences, type Hunk } from './text/hunks.js';
