export {
  type AgentDiagnosis,
  type AgentSettings,
  type Announcement,
  type Choice,
  type DiscoveryPlace,
  type FoundAnnouncement,
  portIn,
  type Situation,
} from './agentDiagnosis.js';
export type {
  AgentBefore,
  AgentProtocol,
  AgentSession,
  DiscoveryEntry,
  HostFiles,
  Machine,
  ProtocolHost,
  RunningProtocol,
} from './agentProtocol.js';
export { claudeProtocol } from './claude/claudeProtocol.js';
export { geminiProtocol } from './gemini/geminiProtocol.js';
export { qwenProtocol } from './qwen/qwenProtocol.js';
