/**
 * The editor interface, reviews, and what agents may see of an editor.
 *
 * @module @tandem/core
 */

export {
  type AgentWriting,
  describeWritten,
  encodingFate,
  encodingName,
  type WrittenDifferences,
  writtenText,
} from './agentWriting.js';
export { awakeTimeout, type Clock, systemClock } from './clock.js';
export { cmdLine, type ProgramCall, programCall } from './cmdLine.js';
export {
  type Concern,
  type ConcernKind,
  concernKinds,
  concernLabel,
  concernSince,
  concernsOf,
  concernTitle,
} from './concerns.js';
export {
  type Accepting,
  type Attempt,
  acceptReview,
  answerOf,
  isAboutConflict,
  questionOn,
  type ReviewSurroundings,
} from './consent.js';
export { ContextFeed, contextDebounceMs, contextMaxDelayMs } from './contextFeed.js';
export {
  type DecidedTogether,
  type Obstacle,
  type PendingDecision,
  previewTogether,
} from './decideTogether.js';
export { defaultDenyList } from './denyList.js';
export { askBeforeDiscarding, type Closing, closeReview, type WhenClosed } from './desk/closeReview.js';
export { askAboutAll, type DecidedAll, type Decision, decideAll } from './desk/decideAll.js';
export { exactNotes, type NoteSources, notesOn, type ReviewNote, warningOf } from './desk/notes.js';
export {
  type Action,
  actionNotes,
  type Interruption,
  type PresentedEnd,
  presentActions,
  presentApplied,
  presentChanged,
  presentEnd,
  presentInterruption,
} from './desk/present.js';
export type { Answer, Choice, Question } from './desk/question.js';
export { type Disposable, DisposableStore, toDisposable } from './disposable.js';
export {
  type Diagnostic,
  type Diagnostics,
  DocumentError,
  type DocumentState,
  type Documents,
  type Editor,
  type EditorInfo,
  type FileDiagnostics,
  type Terminals,
  type Workspace,
} from './editor.js';
export {
  type EditorContext,
  maxSharedSelectionBytes,
  type OpenFile,
  type Selection,
} from './editorContext.js';
export { type Elapsed, elapsed } from './elapsed.js';
export { Emitter, type Event } from './event.js';
export { cleanFeedback, composeFeedback, type FeedbackSource } from './feedbackText.js';
export { FileCache, type PolicyFiles } from './fileCache.js';
export { FileFollower, type FileFollowerOptions } from './fileFollower.js';
export {
  type FileRelation,
  type Following,
  findOverwritten,
  findStop,
  followFile,
  hasConflictMarkers,
  prepareToFollow,
  type Stop,
} from './fileUnderReview.js';
export { type AgentIgnoreFile, IgnoreFiles } from './ignoreFiles.js';
export { KnownMerges } from './knownMerges.js';
export {
  describeError,
  describeFailure,
  errorCode,
  type LogFields,
  type Logger,
  logListenerError,
  messageOf,
  silentLogger,
} from './logger.js';
export {
  encodingOf,
  type FileContent,
  type FileMerge,
  isSameContent,
  mergeWithFile,
  mergeWithFileInSteps,
  textOf,
} from './mergeWithFile.js';
export { type MarkServices, marksOf, type PathMarks } from './pathMarks.js';
export {
  isWithin,
  joinPath,
  labelIn,
  looksRemote,
  normalPath,
  parentPath,
  partsBelow,
  pathParts,
} from './paths.js';
export { isEmptyRange, type Path, type Position, type Range } from './position.js';
export type {
  InterruptedEdits,
  LineCounts,
  Outcome,
  Proposal,
  ReviewEdits,
  ReviewState,
  WithdrawReason,
} from './proposal.js';
export { defaultProposalLimits } from './proposalLimits.js';
export { findRemembered, type RememberLimits } from './rememberedReviews.js';
export { alreadyDecided, onceDecided, Review } from './review.js';
export {
  areCommentsIn,
  CommentError,
  type CommentedTexts,
  type CommentLines,
  type CommentsOf,
  moveComments,
  type NewComment,
  type ReviewComment,
} from './reviewComment.js';
export {
  FileConflictError,
  HunkConflictError,
  ReviewDecidedError,
  UnanswerableError,
} from './reviewErrors.js';
export { compareByNumber, ProposalError, Reviews, type ReviewsOptions } from './reviews.js';
export { SharedContext, type SharedContextOptions } from './sharedContext.js';
export {
  type AgentIdentity,
  SharingPolicy,
  type SharingPolicyOptions,
  type SharingVerdict,
} from './sharingPolicy.js';
export { isSocketPath } from './socketPath.js';
export { isInGitFolder, SpecialFileNames, type SpecialFiles } from './specialFiles.js';
export { conformInSteps, conformText } from './text/conform.js';
export {
  inFileForm,
  inFileFormInSteps,
  toDocumentText,
  toFileText,
  toFileTextInSteps,
} from './text/documentText.js';
export {
  composeHunks,
  computeHunks,
  countLines,
  describeExactDifferences,
  type ExactDifferences,
  type Hunk,
  hunksInSteps,
} from './text/hunks.js';
export { KnownResults } from './text/knownResults.js';
export { findLineChanges, type LineChange, lineChangesInSteps } from './text/lineChanges.js';
export {
  describeLineEnds,
  type LineEndKind,
  type LineSpan,
  linesIn,
  splitBom,
  splitLines,
} from './text/lines.js';
export { type MergeResult, mergeInSteps, mergeText } from './text/merge.js';
export { hasSameLines, toReviewText } from './text/reviewText.js';
export { finish, finishWithPauses, inOrder, type Pause, type Steps } from './text/steps.js';
export { Substitution } from './text/substitution.js';
export { shorten, truncateToBytes } from './text/truncate.js';
export { TouchDelay } from './touchDelay.js';
export { Turns } from './turns.js';
export {
  type FileChange,
  type StandingChanges,
  standingChanges,
  type UndoneChanges,
  undoChanges,
  undoInSteps,
} from './undoChanges.js';
export { shownTitle, visibleJson, visibleLines, visibleName, visibleText } from './visibleName.js';
export { TimeoutError, withTimeout } from './withTimeout.js';
export { findWriting, findWritingInSteps, type TextToWrite, type Writing } from './writtenText.js';
