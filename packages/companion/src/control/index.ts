/** For programs that call a running companion, such as a short command: loads nothing that runs a companion. */

export { awakeLimit } from '@tandem/mcp';
export type { CompanionEvent, StreamedEvent } from './companionEvent.js';
export { companionsFor } from './companionsFor.js';
export type {
  AgentConnection,
  ChangedFile,
  CompanionStatus,
  ControlContract,
  ControlHandlers,
  PageAddress,
  ReviewDetails,
} from './controlContract.js';
export { type FoundCompanion, findCompanions, portVariable } from './findCompanions.js';
export { commandName, stateFolder, thisMachine } from './thisMachine.js';
