export type { AgentId } from './agents.js';
export { type Companion, createCompanion } from './companion.js';
export type { CompanionOptions } from './companionOptions.js';
export { describeReview } from './reviewSummary.js';
export { systemClock } from './systemClock.js';
