/** The schemas of all calls. An entry of its own: to build them takes longer than to load the rest. */

export {
  changedFileSummary,
  changeFacts,
  changeSelection,
  folderRecording,
  historyEntry,
} from './changesContract.js';
export { chatContract, chatSetup, chatStatus } from './chatContract.js';
export { deskContract } from './deskContract.js';
export { answer, concern, question } from './question.js';
export { fileContent, lineRange, reviewComment, sessionTurn } from './reviewText.js';
export {
  agentSession,
  hunk,
  id,
  lostSessions,
  none,
  nothing,
  path,
  range,
  reviewFacts,
  reviewSummary,
  sessionSummary,
  sharingStatus,
} from './values.js';
