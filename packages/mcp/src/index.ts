export { awakeLimit, awakeTimeout } from './awakeTimeout.js';
export { type ConnectionLimit, limitConnections } from './connectionLimit.js';
export type { DiscoveryFault } from './discovery/discoveryError.js';
export { DiscoveryError } from './discovery/discoveryError.js';
export type { DiscoveryFile } from './discovery/discoveryFile.js';
export type { DiscoveryFolder } from './discovery/discoveryFolder.js';
export { openOwnFolder, openSharedFolder } from './discovery/discoveryFolder.js';
export { type DiscoveryMark, readMarked } from './discovery/discoveryMark.js';
export { isOwn, readPrivateBytes, readPrivateFile, removeQuietly, statOf } from './discovery/privateFile.js';
export { isAlive, isRunning } from './discovery/processStart.js';
export { type FoundDiscoveryFile, readDiscoveryFile } from './discovery/readDiscoveryFile.js';
export type { SweepOptions } from './discovery/sweepStale.js';
export { sweepStale } from './discovery/sweepStale.js';
export type { ResumedSession } from './httpEndpoint.js';
export { askIdentity, processStartedAt } from './identity.js';
export { lazily } from './lazily.js';
export type { Counts, Sizes, Timing } from './limits.js';
export type { AddedHttpEndpoint, ListenerOptions, LoopbackListener } from './listener.js';
export { createListener, ListenError } from './listener.js';
export type { TransportLogger } from './logger.js';
export type {
  McpEndpoint,
  McpSession,
  McpSessionHandler,
  McpTool,
  McpToolCall,
  McpToolResult,
  SessionEnd,
} from './mcpEndpoint.js';
export { defineTool, ToolError } from './mcpEndpoint.js';
export { isProbe, isProbing } from './probe/probeClient.js';
export { type ProbeResult, probeCompanion } from './probe/probeCompanion.js';
export type { RecorderOptions } from './recording/createRecorder.js';
export { createRecorder } from './recording/createRecorder.js';
export type { RecordedMessage, Recorder } from './recording/recorder.js';
export { redact } from './recording/redaction.js';
export { readRequestBody } from './requestBody.js';
export { findForeignOrigin } from './requestGate.js';
export { bearerToken, createToken, tokensEqual } from './token.js';
export type { WebSocketMcpEndpoint } from './webSocketEndpoint.js';
