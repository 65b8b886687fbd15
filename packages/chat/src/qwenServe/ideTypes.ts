import type { AskUserQuestion } from '../model/judgeRequest.js';
import type { ReopenReason } from './eventPump.js';
import type { DaemonEvent, SessionClient } from './sessionClient.js';

export type { AskUserQuestion } from '../model/judgeRequest.js';

/** ACP's `session/update`. `update` is unchanged from the daemon. */
export interface SessionNotification {
  readonly sessionId: string;
  readonly update: { readonly sessionUpdate: string; readonly [field: string]: unknown };
}

interface PermissionOption {
  readonly optionId: string;
  readonly name?: string;
  readonly kind?: string;
}

/** ACP's `session/request_permission`, with the daemon's request id. */
export interface RequestPermissionRequest {
  readonly requestId: string;
  readonly sessionId: string;
  readonly toolCall: {
    readonly toolCallId: string;
    readonly title?: string;
    readonly kind?: string;
    readonly content?: readonly unknown[];
    readonly locations?: readonly unknown[];
    readonly rawInput?: unknown;
    readonly [field: string]: unknown;
  };
  readonly options: readonly PermissionOption[];
}

/** One or several questions of the agent. */
export interface AskUserQuestionRequest {
  readonly requestId: string;
  readonly sessionId: string;
  readonly questions: readonly AskUserQuestion[];
  readonly metadata?: unknown;
}

/** Passed to request handlers. */
export interface AskContext {
  /** The daemon's request, with its options. */
  readonly request: RequestPermissionRequest;
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
}

/** One session of a daemon. */
export interface DaemonIdeSession {
  readonly client: SessionClient;
  /** Reopens the session after the daemon restarted or lost events. */
  readonly reopen: () => Promise<SessionClient>;
}

/** Opens the session of a connection. Throws `DaemonError`. */
export type DaemonIdeSessionFactory = (
  options: DaemonIdeSessionFactoryOptions,
  signal: AbortSignal,
) => Promise<DaemonIdeSession>;

export interface DaemonIdeConnectionOptions {
  /** The daemon's address: 127.0.0.1, localhost or [::1]. */
  readonly baseUrl: string;
  readonly token?: string;
  /** The daemon's own folder; it refuses any other. */
  readonly workspaceCwd?: string;
  /** The initial model. */
  readonly modelServiceId?: string;
  /** Resumes after this event: `lastEventId` of an earlier connection. */
  readonly lastEventId?: number;
  readonly sessionFactory?: DaemonIdeSessionFactory;
}
