import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import type { AskUserQuestion } from '../model/judgeRequest.js';
import type { ReopenReason } from './eventPump.js';
import type { DaemonEvent, InjectedSession, SessionClient } from './sessionClient.js';

export type { ContentBlock, RequestPermissionRequest, SessionNotification } from '@agentclientprotocol/sdk';
export type { AskUserQuestion } from '../model/judgeRequest.js';

/** ACP's `session/request_permission`, with the daemon's request id. */
export type DaemonPermissionRequest = RequestPermissionRequest & { readonly requestId: string };

/** One or several questions of the agent. */
export interface AskUserQuestionRequest {
  readonly requestId: string;
  readonly sessionId: string;
  readonly questions: readonly AskUserQuestion[];
  readonly metadata?: unknown;
}

/** Passed to request handlers, after the data that the document names. */
export interface AskContext {
  /** The daemon's request, with its options. */
  readonly request: DaemonPermissionRequest;
  /** Fires when the request is answered elsewhere or can no longer be answered. */
  readonly signal: AbortSignal;
}

/** For a host that shows whole sessions. `disconnect()` does not clear it. Callbacks must not throw. */
export interface DaemonIdeObserver {
  /** A session was opened: by `connect()` (no reason), or reopened. */
  readonly onSession: (session: SessionClient, why?: ReopenReason) => void;
  /** Each event, once and in order, before the callback that it causes. */
  readonly onEvent: (event: DaemonEvent) => void;
  /** The stream is open. `connect()` waits for the first one. */
  readonly onOpen: (session: SessionClient) => Promise<void>;
  /** The stream broke and is being reopened. */
  readonly onBreak: () => void;
}

export type { TurnEnd as DaemonIdePromptResult } from './promptTurns.js';

export interface DaemonIdeSetModelResult {
  readonly modelId: string;
}

export interface DaemonIdeSessionFactoryOptions extends Omit<DaemonIdeConnectionOptions, 'sessionFactory'> {
  /** The epoch of `lastEventId`, by which the daemon checks whether it is still valid. */
  readonly eventEpoch?: string;
  /** The registration that the connection before has kept in the session. */
  readonly clientId?: string;
}

/** One session of a daemon. */
export interface DaemonIdeSession {
  readonly client: SessionClient;
  /** Reopens the session after the daemon restarted or lost events. */
  readonly reopen: () => Promise<SessionClient>;
}

/**
 * Opens the session of a connection. Receives the checked address of the daemon. A session that it returns without `reopen`
 * is reopened by another call. Throws `DaemonError`.
 */
export type DaemonIdeSessionFactory = (
  options: DaemonIdeSessionFactoryOptions,
  signal: AbortSignal,
) => Promise<DaemonIdeSession | InjectedSession>;

export interface DaemonIdeConnectionOptions {
  /** The daemon's address: 127.0.0.1, localhost or [::1]. */
  readonly baseUrl: string;
  readonly token?: string;
  /** The daemon's own folder; it refuses any other. */
  readonly workspaceCwd?: string;
  /** The initial model. */
  readonly modelServiceId?: string;
  /**
   * Resumes after this event: `lastEventId` of an earlier connection. Dropped, with a warning in the log, if the daemon no
   * longer has the session of that connection.
   */
  readonly lastEventId?: number;
  readonly sessionFactory?: DaemonIdeSessionFactory;
}
