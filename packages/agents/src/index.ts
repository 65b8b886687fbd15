import * as agents from './agents.js';

export { type AgentDescriptor, capabilities, receivesOnly, startWords } from './agentDescriptor.js';
export {
  type AgentDiagnosis,
  type AgentSettings,
  type Announcement,
  type Choice,
  type DefaultSettings,
  type DiscoveryPlace,
  defaultsFileOf,
  type FoundAnnouncement,
  type HooksOff,
  type InstalledHook,
  isRecord,
  portIn,
  portOf,
  type Situation,
  type SocketProbe,
} from './agentDiagnosis.js';
export type {
  AgentBefore,
  AgentDefinition,
  AgentProtocol,
  AgentSession,
  AgentWork,
  BegunTurn,
  DiscoveryEntry,
  HostFiles,
  PermissionHooks,
  PromptAccess,
  ProtocolHost,
  RunningProtocol,
  WorkingSession,
  WrittenEdit,
} from './agentProtocol.js';
export type { AgentHooks, HookCommands, Injection } from './hooks/agentHooks.js';
export type { HookEntries } from './hooks/hookSettings.js';
export { hookPath, hookProof, hookRestartLimitMs } from './hooks/program/callCompanion.js';
export { hookVariables } from './hooks/program/hookVariables.js';
export type { HookAnswer, HookCall, HookRequest, ServedHooks } from './hooks/servedHooks.js';
export type { Machine } from './machine.js';

export { agents };
