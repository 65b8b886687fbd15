import type { Logger } from '@tandem/core';
import type { Recorder } from './recording/recorder.js';

/** Every interval and time limit of the listener, in milliseconds. */
export interface Timing {
  /** Interval of comments on open event streams. Gemini CLI 0.61 closes a silent stream after about 300 s. */
  readonly keepAliveMs: number;
  /**
   * How long a client waits before it reopens an ended GET stream: the time for a companion to restart on its port, because
   * Gemini CLI 0.61 retries once. A remote window of VS Code starts a killed extension host again only after 10 s; Claude
   * Code retries for 15 s.
   */
  readonly reopenMs: number;
  /** How long a session outlives its GET stream. */
  readonly streamGraceMs: number;
  /** How long a session resumed after a restart waits for its client. */
  readonly resumeGraceMs: number;
  /** How long a session without a stream may be silent. */
  readonly idleMs: number;
  /**
   * How long a connection may be idle between two requests. With Node's default of 5 s the server may close a connection just
   * when the client sends on it, and the call fails; the client should close first.
   */
  readonly idleConnectionMs: number;
  /** How long `close()` waits for streams and sockets to end. */
  readonly closeLimitMs: number;
  /** Pause between JSON-RPC pings on a WebSocket. */
  readonly pingIntervalMs: number;
  /** How long a client may take to answer a ping. */
  readonly pingTimeoutMs: number;
  /** How long a new WebSocket may take to initialize. */
  readonly handshakeMs: number;
  /** How long the rest of a refused request body is read and discarded. */
  readonly drainMs: number;
}

/** Bounds in bytes. */
export interface Sizes {
  /** Largest HTTP request body. */
  readonly bodyBytes: number;
  /** How much of a refused body is discarded before the socket is destroyed. */
  readonly drainBytes: number;
  /** Largest WebSocket message that is accepted. */
  readonly frameInBytes: number;
  /** Largest WebSocket message that is sent. Claude Code 2.1 closes the connection above 16 MiB. */
  readonly frameOutBytes: number;
  /** How much may be unread by a client before its connection is dropped. */
  readonly unreadBytes: number;
}

/** Bounds on counts, far above normal use. */
export interface Counts {
  /** Open sockets, of any client. */
  readonly connections: number;
  /** Sessions of all agents together. */
  readonly sessions: number;
  /** Sessions of one agent. */
  readonly sessionsPerAgent: number;
  /** Unanswered requests of one session. */
  readonly unansweredRequests: number;
  /** Requests of one session within one second. */
  readonly requestsPerSecond: number;
  /** Unread notifications on one HTTP stream. Beyond that, none is sent until the client has read them. */
  readonly unreadNotifications: number;
}

/** What the listener shares with its endpoints. */
export interface EndpointContext {
  readonly timing: Timing;
  readonly sizes: Sizes;
  readonly counts: Counts;
  readonly logger: Logger;
  readonly recorder: Recorder | undefined;
  /** Whether another session would be too many, for this agent or in all. */
  isFull(endpoint: { readonly sessionCount: number }): boolean;
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

/** For a message, such as `16.5 MiB (17301504 bytes)`. */
export function formatBytes(bytes: number): string {
  if (bytes < mebibyte) return `${bytes} bytes`;
  return `${(bytes / mebibyte).toFixed(1)} MiB (${bytes} bytes)`;
}
