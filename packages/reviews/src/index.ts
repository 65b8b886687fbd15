/**
 * Reviews of what agents propose, and the interface of an editor that shows them.
 *
 * @module @tandem/reviews
 */

export {
  askBeforeDiscarding,
  askBeforeWriting,
  type Closing,
  closeReview,
  type WhenClosed,
} from './desk/closeReview.js';
export {
  type Concern,
  type ConcernKind,
  concernKinds,
  concernLabel,
  concernSince,
  concernsOf,
  concernTitle,
} from './desk/concerns.js';
export {
  type Accepting,
  type Attempt,
  acceptReview,
  answerOf,
  isAboutConflict,
  questionOn,
  type ReviewSurroundings,
} from './desk/consent.js';
export { askAboutAll, type DecidedAll, type Decision, decideAll } from './desk/decideAll.js';
export {
  type DecidedTogether,
  type Obstacle,
  type PendingDecision,
  previewTogether,
} from './desk/decideTogether.js';
export { cleanFeedback, composeFeedback, type FeedbackSource } from './desk/feedbackText.js';
export { type HookMode, type HookState, hookModes, hookWords } from './desk/hookMode.js';
export {
  exactNotes,
  type NoteSources,
  noteBadge,
  notesOn,
  type ReviewNote,
  warningOf,
} from './desk/notes.js';
export {
  type Action,
  actionNotes,
  interruptedGroup,
  type PresentedEnd,
  presentActions,
  presentApplied,
  presentChanged,
  presentLetGo,
  presentPartRestored,
  presentRestored,
  presentState,
  type Restored,
} from './desk/present.js';
export { presentEntry, presentTurn, type ShownEntry } from './desk/presentEntry.js';
export {
  askToKeep,
  changeWords,
  keptNotes,
  presentKept,
  presentLimit,
  presentWaiting,
} from './desk/presentKeep.js';
export type { Answer, Choice, Question } from './desk/question.js';
export type { Editor } from './editor.js';
export { FileFollower, type FileFollowerOptions } from './record/fileFollower.js';
export {
  type FileRelation,
  type Following,
  findOverwritten,
  findStop,
  followFile,
  hasConflictMarkers,
  prepareToFollow,
  type Stop,
} from './record/fileUnderReview.js';
export { type MarkServices, marksOf, type PathMarks } from './record/pathMarks.js';
export type {
  LineCounts,
  Outcome,
  Proposal,
  ReviewEdits,
  ReviewState,
  WithdrawReason,
} from './record/proposal.js';
export { defaultProposalLimits } from './record/proposalLimits.js';
export { findRemembered, type RememberLimits } from './record/rememberedReviews.js';
export { alreadyDecided, onceDecided, Review } from './record/review.js';
export {
  areCommentsIn,
  CommentError,
  type CommentedTexts,
  type CommentLines,
  type CommentsOf,
  moveComments,
  type NewComment,
  type ReviewComment,
} from './record/reviewComment.js';
export {
  FileConflictError,
  HunkConflictError,
  ReviewDecidedError,
  UnanswerableError,
} from './record/reviewErrors.js';
export { newReviewKey, type ReviewKey } from './record/reviewKey.js';
export {
  type HistoryEntry,
  type InterruptedReview,
  type Interruption,
  isCorrection,
  isInvalidated,
  pendingRecord,
  type ReviewRecord,
  ReviewRecords,
  savedOf,
} from './record/reviewRecords.js';
export { ReviewStates } from './record/reviewStates.js';
export { compareReviews, ProposalError, Reviews, type ReviewsOptions } from './record/reviews.js';
export {
  type ExactSide,
  hasComments,
  hasUsersText,
  type InterruptedEdits,
  isEdited,
  isUsersWork,
  remakeReview,
  type SavedDecision,
  type SavedReview,
  type SessionTurn,
  saveReview,
  type UnkeptChange,
  type WorkEvidence,
} from './record/savedReview.js';
export {
  type AgentWriting,
  describeWritten,
  encodingFate,
  encodingName,
  type WrittenDifferences,
  writtenText,
} from './text/agentWriting.js';
export { conformInSteps, conformText } from './text/conform.js';
export {
  hasSameLines,
  inFileForm,
  inFileFormInSteps,
  toDocumentText,
  toFileText,
  toFileTextInSteps,
  toReviewText,
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
export { KnownMerges } from './text/knownMerges.js';
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
export {
  encodingOf,
  type FileContent,
  type FileMerge,
  isSameContent,
  mergeWithFile,
  mergeWithFileInSteps,
  textOf,
} from './text/mergeWithFile.js';
export { finish, finishWithPauses, inOrder, type Pause, type Steps } from './text/steps.js';
export { Substitution } from './text/substitution.js';
export {
  type FileChange,
  type StandingChanges,
  standingChanges,
  type UndoneChanges,
  undoChanges,
  undoInSteps,
} from './text/undoChanges.js';
export { isHunkInLines, undoHunks, undoHunksInSteps, type WithoutHunks } from './text/undoHunks.js';
export { findWriting, findWritingInSteps, type TextToWrite, type Writing } from './text/writtenText.js';
