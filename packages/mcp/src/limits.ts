/** Every interval and wait of the listener, in milliseconds. */
export interface Timing {
  /** An SSE comment at least this often on every open stream. A silent one dies after about 300 s in Gemini CLI 0.61. */
  readonly keepAliveMs: number;
  /**
   * How long a client that honours it waits before it opens an ended GET stream again: the time that a companion has to
   * come back on the same port, because Gemini CLI 0.61 tries once and then gives up. A remote window of VS Code asks for
   * a killed extension host at once, after 5 s and after 10 s, and only then starts another; Claude Code tries for 15 s.
   */
  readonly reopenMs: number;
  /** How long a session outlives its GET stream. It is the client's end that takes one away from a living companion. */
  readonly streamGraceMs: number;
  /** How long a session that was taken over from a predecessor waits for its client. */
  readonly resumeGraceMs: number;
  /** How long a session without a stream may be silent. */
  readonly idleMs: number;
  /**
   * How long a connection may be idle between two requests. Node's own 5 s lets a server close a connection at the moment
   * when a client sends on it, which fails the client's call: whoever is slower than that is to be the client.
   */
  readonly idleConnectionMs: number;
  /** How long `close()` waits for streams and sockets to end by themselves. */
  readonly closeLimitMs: number;
  /** Pause between two JSON-RPC pings on a WebSocket. */
  readonly pingIntervalMs: number;
  /** How long a ping may stay unanswered. */
  readonly pingTimeoutMs: number;
  /** How long a new WebSocket may take until it has initialized. */
  readonly handshakeMs: number;
  /** How long the rest of a refused request body is read and thrown away. */
  readonly drainMs: number;
}

/** Every bound on bytes. */
export interface Sizes {
  /** Largest HTTP request body. */
  readonly bodyBytes: number;
  /** How much of a refused body is thrown away before the socket is destroyed. */
  readonly drainBytes: number;
  /** Largest WebSocket message that is accepted. */
  readonly frameInBytes: number;
  /** Largest WebSocket message that is sent. Claude Code 2.1 closes the connection above 16 MiB. */
  readonly frameOutBytes: number;
  /** How far a client may be behind with reading what it is sent, before its connection is broken. */
  readonly unreadBytes: number;
}

/** Every bound on numbers. Each lies far above what people and their agents do, and below what a machine notices. */
export interface Counts {
  /** Sockets that are open at one time, whoever opened them. */
  readonly connections: number;
  /** Sessions of all agents together. */
  readonly sessions: number;
  /** Sessions of one agent. */
  readonly sessionsPerAgent: number;
  /** Requests of one session that are not answered yet. */
  readonly unansweredRequests: number;
  /** Requests of one session within one second. */
  readonly requestsPerSecond: number;
  /** Notifications that wait on one HTTP stream. Beyond that none is sent before the client has read them. */
  readonly unreadNotifications: number;
}

const mebibyte = 1024 * 1024;

export const defaultTiming: Timing = {
  keepAliveMs: 15_000,
  reopenMs: 15_000,
  streamGraceMs: 3_000,
  resumeGraceMs: 20_000,
  idleMs: 5 * 60_000,
  idleConnectionMs: 10 * 60_000,
  closeLimitMs: 500,
  pingIntervalMs: 5_000,
  pingTimeoutMs: 3_000,
  handshakeMs: 30_000,
  drainMs: 5_000,
};

export const defaultSizes: Sizes = {
  bodyBytes: 64 * mebibyte,
  drainBytes: 128 * mebibyte,
  frameInBytes: 64 * mebibyte,
  frameOutBytes: 16 * mebibyte,
  unreadBytes: 64 * mebibyte,
};

export const defaultCounts: Counts = {
  connections: 4096,
  sessions: 2000,
  sessionsPerAgent: 1000,
  unansweredRequests: 512,
  requestsPerSecond: 10_000,
  unreadNotifications: 256,
};

/** A number of bytes as a person reads it, such as `16.5 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < mebibyte) return `${bytes} bytes`;
  return `${(bytes / mebibyte).toFixed(1)} MiB (${bytes} bytes)`;
}
