/**
 * What a program needs that talks to a running companion, such as a short command. An entry of its own: it loads
 * none of what runs a companion.
 */

export { awakeLimit } from '@tandem/mcp';
export { commandName } from './commandName.js';
export type { CompanionEvent } from './companionEvent.js';
export {
  type AgentConnection,
  agentConnection,
  type CompanionStatus,
  companionStatus,
  type PageAddress,
  pageAddress,
  type ReviewDetails,
  type ReviewSummary,
  reviewDetails,
  reviewSummary,
  type SharingStatus,
  sharingStatus,
} from './companionStatus.js';
export { ControlError } from './controlError.js';
export type { ControlMethod, ControlParams } from './controlMethods.js';
export { type FoundCompanion, findCompanions } from './findCompanions.js';
export { stateFolder } from './stateFolder.js';
export { thisMachine } from './thisMachine.js';
