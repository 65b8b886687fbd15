export type { AgentId } from './agents.js';
export type { Companion } from './companion.js';
export type { CompanionOptions } from './companionOptions.js';
// For the extension: a separate bundle of the doctor would contain the protocols a second time.
export { thisMachine } from './control/thisMachine.js';
export { createCompanion } from './createCompanion.js';
export { diagnose } from './doctor/diagnose.js';
export { windowCure } from './doctor/windowCure.js';
export type { HostPage } from './hostPage.js';
export type { InterruptedReview } from './interruptedReviews.js';
export { Journal } from './journal/journal.js';
export type { JournalContents } from './journal/journalContents.js';
export { describeReview, summariseUnedited } from './reviewSummary.js';
export { isEdited } from './savedReview.js';
export type { LostAgent } from './servedAgents.js';
export { type Sessions, sessionCalls } from './sessions.js';
export type { HeldBackFile } from './sharing.js';
export { toRpcError } from './toRpcError.js';
export { WorkspaceFiles } from './workspaceFiles.js';
