export { awakeLimit } from './awakeLimit.js';
export type { CallEndpoint } from './callEndpoint.js';
export { claimSocket, connectToSocket, type OwnedSocket } from './claimSocket.js';
export {
  type DiscoveryFile,
  type DiscoveryMark,
  type FoundDiscoveryFile,
  readDiscoveryFile,
  readMarked,
} from './discovery/discoveryFile.js';
export type { DiscoveryFolder } from './discovery/discoveryFolder.js';
export { openOwnFolder, openSharedFolder } from './discovery/discoveryFolder.js';
export {
  DiscoveryError,
  type DiscoveryFault,
  isOwn,
  readPrivateBytes,
  readPrivateFile,
  removeQuietly,
  statOf,
  temporaryFilePid,
} from './discovery/privateFile.js';
export { isAlive, isRunning, isStopped } from './discovery/processStart.js';
export type { SweepOptions } from './discovery/sweepStale.js';
export { sweepStale } from './discovery/sweepStale.js';
export { startHeartbeat } from './heartbeat.js';
export type { ResumedSession } from './httpEndpoint.js';
export { askIdentity, processStartedAt } from './identity.js';
export { lazily } from './lazily.js';
export type { Counts, Sizes, Timing } from './limits.js';
export type {
  AddedHttpEndpoint,
  ListenerOptions,
  LoopbackListener,
  SocketMcpEndpoint,
} from './listener.js';
export { createListener, ListenError } from './listener.js';
export { describeAddress, type LocalAddress } from './localAddress.js';
export { LoopbackServer } from './loopbackServer.js';
export type {
  McpEndpoint,
  McpSession,
  McpSessionHandler,
  McpTool,
  McpToolCall,
  McpToolResult,
  SessionEnd,
} from './mcpEndpoint.js';
export { defineTool, jsonResult, ToolError, textResult } from './mcpEndpoint.js';
export { type Connection, findPeerProcess } from './peerProgram.js';
export { type Carrier, isProbe, isProbing, type ProbeResult, probeCompanion } from './probeCompanion.js';
export {
  createRecorder,
  type RecordedMessage,
  type Recorder,
  type RecorderOptions,
} from './recording/recorder.js';
export { redact } from './recording/redaction.js';
export { readRequestBody } from './requestBody.js';
export { findForeignOrigin } from './requestGate.js';
export { noteSocketOwner, type SocketOwner, socketIdentity, socketOwner } from './socketOwner.js';
export { bearerToken, createToken, tokensEqual } from './token.js';
export type { WebSocketMcpEndpoint, WebSocketMcpGuest } from './webSocketEndpoint.js';
