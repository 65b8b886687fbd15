import type { ReopenReason } from '../connection/eventPump.js';
import type { DaemonEvent, SessionClient } from '../connection/sessionClient.js';
import type { AskUserQuestion } from '../model/judgeRequest.js';

export type { AskUserQuestion } from '../model/judgeRequest.js';

/** ACP's `session/update`: what happened in the session. `update` is as the daemon sends it. */
export interface SessionNotification {
  readonly sessionId: string;
  readonly update: { readonly sessionUpdate: string; readonly [field: string]: unknown };
}

interface PermissionOption {
  readonly optionId: string;
  readonly name?: string;
  readonly kind?: string;
}

/** ACP's `session/request_permission`, with the daemon's id of the request. */
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

/** A question of the agent, in one or several parts. */
export interface AskUserQuestionRequest {
  readonly requestId: string;
  readonly sessionId: string;
  readonly questions: readonly AskUserQuestion[];
  readonly metadata?: unknown;
}

/** What a handler of requests receives besides. */
export interface AskContext {
  /** The request as the daemon sent it, with the options that it offers. */
  readonly request: RequestPermissionRequest;
  /** Fires when the request is settled elsewhere or cannot be answered any more. */
  readonly signal: AbortSignal;
}

/**
 * What a host that shows whole sessions needs beyond the callbacks of the document. `disconnect()` does not clear it.
 * Nothing here may throw.
 */
export interface DaemonIdeObserver {
  /** This session is followed from now on: after `connect()` (no reason), or because it was opened again. */
  readonly onSession: (session: SessionClient, why?: ReopenReason) => void;
  /** Each event of the session, in order and once, before the callback that it causes. */
  readonly onEvent: (event: DaemonEvent) => void;
  /** The stream is open, for the first time or again. `connect()` waits for the first one. */
  readonly onOpen: (session: SessionClient) => Promise<void>;
  /** The stream broke and is being reopened. */
  readonly onBreak: () => void;
}

export type { TurnEnd as DaemonIdePromptResult } from '../connection/promptTurns.js';

export interface DaemonIdeSetModelResult {
  readonly modelId: string;
}

export interface DaemonIdeSessionFactoryOptions {
  readonly baseUrl: string;
  readonly token?: string;
  readonly workspaceCwd?: string;
  readonly modelServiceId?: string;
  readonly lastEventId?: number;
  /** Where `lastEventId` comes from; the daemon then sees for itself whether it still holds. */
  readonly eventEpoch?: string;
}

/** One session of a daemon. */
export interface DaemonIdeSession {
  readonly client: SessionClient;
  /** Opens the session again after the daemon was restarted or has lost events. */
  readonly reopen: () => Promise<SessionClient>;
}

/** Opens the session that a connection talks to. Throws `DaemonError`. */
export type DaemonIdeSessionFactory = (
  options: DaemonIdeSessionFactoryOptions,
  signal: AbortSignal,
) => Promise<DaemonIdeSession>;

export interface DaemonIdeConnectionOptions {
  /** The daemon's address: 127.0.0.1, localhost or [::1]. */
  readonly baseUrl: string;
  readonly token?: string;
  /** The daemon's own folder; the daemon refuses any other. */
  readonly workspaceCwd?: string;
  /** The model to begin with. */
  readonly modelServiceId?: string;
  /** Resumes after this event, as `lastEventId` of an earlier connection told it. */
  readonly lastEventId?: number;
  readonly sessionFactory?: DaemonIdeSessionFactory;
}
