export type { AgentId } from './agents.js';
export type { LostAgent } from './awaitedSessions.js';
export { type Companion, createCompanion } from './companion.js';
export type { CompanionOptions } from './companionOptions.js';
// For the extension: a bundle of the doctor alone would hold the protocols once more.
export { thisMachine } from './control/thisMachine.js';
export { diagnose } from './doctor/diagnose.js';
export { windowCure } from './doctor/windowCure.js';
export type { HeldBackFile } from './heldBackFiles.js';
export type { HostPage } from './hostPage.js';
export type { InterruptedReview } from './interruptedReviews.js';
export { Journal } from './journal/journal.js';
export type { JournalContents } from './journal/journalContents.js';
export { describeReview } from './reviewSummary.js';
export { isEdited } from './savedReview.js';
export { systemClock } from './systemClock.js';
export { toRpcError } from './toRpcError.js';
export { WorkspaceFiles } from './workspaceFiles.js';
