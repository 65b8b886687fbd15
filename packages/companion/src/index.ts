export { type AgentId, agentIds, isAgentId } from './agents.js';
export { type Companion, type CompanionOptions, createCompanion } from './companion.js';
export type { CompanionEvent } from './companionEvent.js';
export {
  type AgentConnection,
  agentConnection,
  type CompanionStatus,
  companionStatus,
  type ReviewDetails,
  type ReviewSummary,
  reviewDetails,
  reviewSummary,
  type SharingStatus,
  sharingStatus,
} from './companionStatus.js';
export type { ControlClient } from './control/controlClient.js';
export { type FoundCompanion, findCompanions } from './control/companionRegistry.js';
export { ControlError } from './control/controlMethods.js';
export { describeReview } from './reviewSummary.js';
export { stateFolder } from './stateFolder.js';
export { systemClock } from './systemClock.js';
export { thisMachine } from './thisMachine.js';
