import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';

/** An event on a session's stream. `id` is absent if it concerns the stream itself. */
export interface DaemonEvent {
  readonly id?: number;
  readonly type: string;
  readonly data: unknown;
  readonly promptId?: string;
  readonly originatorClientId?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/**
 * One session of a daemon: the part of the SDK's `DaemonSessionClient` that this package uses. The opener detaches it. Only
 * one `events()` at a time.
 */
export type SessionClient = Pick<
  DaemonSessionClient,
  | 'sessionId'
  | 'workspaceCwd'
  | 'clientId'
  | 'attached'
  | 'hasActivePrompt'
  | 'lastEventId'
  | 'eventEpoch'
  | 'events'
  | 'submitPrompt'
  | 'respondToPermission'
  | 'cancel'
  | 'setModel'
  | 'status'
  | 'detach'
>;

/** The members of a session that the document names. */
type SpecifiedSession = Pick<
  DaemonSessionClient,
  'sessionId' | 'lastEventId' | 'events' | 'prompt' | 'respondToPermission' | 'cancel' | 'setModel'
>;

/** What a `sessionFactory` may return: the SDK's session, or one with only the members that the document names. */
export type InjectedSession = SpecifiedSession & Partial<SessionClient>;

/** Completes a session: what it does not have is left out, or done by the members that it has. */
export function toSessionClient(session: InjectedSession): SessionClient {
  if (isComplete(session)) return session;
  const { workspaceCwd = '', attached = false, hasActivePrompt = false, clientId, eventEpoch } = session;
  return {
    sessionId: session.sessionId,
    workspaceCwd,
    attached,
    hasActivePrompt,
    clientId,
    eventEpoch,
    get lastEventId() {
      return session.lastEventId;
    },
    events: (options) => session.events(options),
    respondToPermission: (requestId, response) => session.respondToPermission(requestId, response),
    cancel: () => session.cancel(),
    setModel: (modelId) => session.setModel(modelId),
    status: async () => {
      if (session.status !== undefined) return session.status();
      throw new Error('The session does not report its status.');
    },
    detach: async () => session.detach?.(),
    submitPrompt: async (request) => {
      if (session.submitPrompt !== undefined) return session.submitPrompt(request);
      const { stopReason } = await session.prompt(request);
      throw new PromptEnded(stopReason);
    },
  };
}

/** Thrown instead of an acceptance: the daemon answered the prompt at the end of its turn. */
export class PromptEnded extends Error {
  override readonly name = 'PromptEnded';

  constructor(readonly stopReason: string) {
    super(`The turn has ended: ${stopReason}.`);
  }
}

function isComplete(session: InjectedSession): session is SessionClient & SpecifiedSession {
  return session.submitPrompt !== undefined && session.status !== undefined && session.detach !== undefined;
}
