import type { PermissionResponse } from '@qwen-code/sdk/daemon';
import { describeError, type Logger } from '@tandem/core';
import * as z from 'zod';
import type { DaemonEvent, SessionClient } from '../connection/sessionClient.js';
import { judgeRequest } from '../requests/judgeRequest.js';
import { answersByIndex } from './answersByIndex.js';
import type { AskContext, AskUserQuestionRequest, RequestPermissionRequest } from './ideTypes.js';

export interface PermissionHandlers {
  readonly onPermissionRequest:
    | ((data: RequestPermissionRequest, context: AskContext) => Promise<{ optionId?: string }>)
    | undefined;
  readonly onAskUserQuestion:
    | ((
        data: AskUserQuestionRequest,
        context: AskContext,
      ) => Promise<{ optionId: string; answers?: Record<string, string> }>)
    | undefined;
}

const wireRequest = z.looseObject({
  requestId: z.string(),
  sessionId: z.string(),
  toolCall: z.looseObject({ toolCallId: z.string() }),
  options: z.array(z.looseObject({ optionId: z.string() })),
});

const wireResolved = z.object({ requestId: z.string() });

/**
 * Hands the agent's requests to the host and its answers to the daemon. Handlers run beside the event stream: one that
 * waits for a person must not hold up the event that tells that somebody else has answered.
 */
export class PermissionDesk {
  readonly #handlers: () => PermissionHandlers;
  readonly #logger: Logger;
  readonly #open = new Map<string, AbortController>();
  readonly #settled = new Set<string>();

  /** `handlers` are looked up at each request: a host may set them after it has connected. */
  constructor(handlers: () => PermissionHandlers, logger: Logger) {
    this.#handlers = handlers;
    this.#logger = logger;
  }

  /** To be told every event of the session. */
  hear(event: DaemonEvent, session: SessionClient): void {
    if (event.type === 'permission_request') this.ask(event.data, session);
    else if (event.type === 'permission_resolved' || event.type === 'permission_already_resolved') {
      const resolved = wireResolved.safeParse(event.data);
      if (resolved.success) this.#settle(resolved.data.requestId);
    }
  }

  /** A request, from an event or from the session's status. One that is known is not asked twice. */
  ask(data: unknown, session: SessionClient): void {
    const parsed = wireRequest.safeParse(data);
    if (!parsed.success) return;
    const { requestId } = parsed.data;
    if (this.#open.has(requestId) || this.#settled.has(requestId)) return;
    const abort = new AbortController();
    this.#open.set(requestId, abort);
    void this.#handle(toRequest(parsed.data), session, abort.signal);
  }

  /** Nothing that is open can be answered any more. */
  close(): void {
    for (const requestId of [...this.#open.keys()]) this.#settle(requestId);
  }

  async #handle(
    request: RequestPermissionRequest,
    session: SessionClient,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const response = await this.#decide(request, signal);
      if (signal.aborted || response === undefined) return;
      const isTaken = await session.respondToPermission(request.requestId, response);
      if (!isTaken)
        this.#logger.debug('the request was answered elsewhere', { requestId: request.requestId });
    } catch (error) {
      if (signal.aborted) return;
      this.#logger.warn('a request of the agent could not be answered', { error: describeError(error) });
    }
  }

  /** The answer to send; none where nobody handles requests here, so that another client can answer. */
  async #decide(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<PermissionResponse | undefined> {
    const { onPermissionRequest, onAskUserQuestion } = this.#handlers();
    if (onPermissionRequest === undefined && onAskUserQuestion === undefined) return undefined;
    const { requestId, sessionId, toolCall } = request;
    const judged = judgeRequest(toolCall);
    try {
      if (judged.kind === 'refused') {
        this.#logger.warn('a question of the agent was refused', { requestId, reason: judged.reason });
        return { outcome: { outcome: 'cancelled' } };
      }
      if (judged.kind === 'permission') {
        if (onPermissionRequest === undefined) return undefined;
        const { optionId } = await onPermissionRequest(request, { signal });
        return respond(request, optionId);
      }
      if (onAskUserQuestion === undefined) return undefined;
      const { kind: _judged, ...asked } = judged;
      const { optionId, answers } = await onAskUserQuestion({ requestId, sessionId, ...asked }, { signal });
      const response = respond(request, optionId);
      if (response.outcome.outcome !== 'selected' || answers === undefined) return response;
      return { ...response, answers: answersByIndex(asked.questions, answers) };
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#logger.warn('a permission handler failed, so the request is cancelled', {
        error: describeError(error),
      });
      return { outcome: { outcome: 'cancelled' } };
    }
  }

  #settle(requestId: string): void {
    this.#settled.add(requestId);
    this.#open.get(requestId)?.abort();
    this.#open.delete(requestId);
  }
}

/** A choice that is not offered, or none, allows nothing. */
function respond({ options }: RequestPermissionRequest, optionId: string | undefined): PermissionResponse {
  const isOffered = options.some((option) => option.optionId === optionId);
  if (optionId === undefined || !isOffered) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId } };
}

function toRequest(wire: z.infer<typeof wireRequest>): RequestPermissionRequest {
  return {
    requestId: wire.requestId,
    sessionId: wire.sessionId,
    toolCall: wire.toolCall,
    options: wire.options,
  };
}
