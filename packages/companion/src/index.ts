export type { AgentId } from './agents/agents.js';
export type { LostAgent } from './agents/servedAgents.js';
export type { HeldBackFile } from './agents/sharing.js';
export type { ChangedFileSummary } from './changes/changedFile.js';
export type { RestoreConflict } from './changes/changeUndo.js';
export type { ChangeGroup } from './changes/recordedChanges.js';
export type { Companion } from './companion.js';
export type { CompanionOptions } from './companionOptions.js';
export type { HostPage } from './control/hostPage.js';
export { questionError, requireDone, toRpcError } from './control/rpcErrors.js';
export { createCompanion } from './createCompanion.js';
export { forEachWithPauses, pausing } from './files/pausing.js';
export { Journal } from './journal/journal.js';
export type { JournalContents } from './journal/journalContents.js';
export { defaultHistoryLimits, describeEntry, type HistoryLimits } from './reviews/history.js';
export { requireInterrupted } from './reviews/interruptedFiles.js';
export {
  describeNotes,
  describeReview,
  describeUnedited,
  type ReviewContext,
} from './reviews/reviewSummary.js';
export { outcomeOf, type Sessions } from './reviews/sessions.js';
