import type { PermissionResponse } from '@qwen-code/sdk/daemon';
import { describeError, type Logger } from '@tandem/core';
import * as z from 'zod';
import type { DaemonEvent, SessionClient } from '../connection/sessionClient.js';
import { judgeRequest } from '../model/judgeRequest.js';
import { answersByIndex } from './answersByIndex.js';
import type { AskContext, AskUserQuestionRequest, RequestPermissionRequest } from './ideTypes.js';

export interface PermissionHandlers {
  readonly onPermissionRequest:
    | ((data: RequestPermissionRequest, context: AskContext) => Promise<{ optionId?: string } | undefined>)
    | undefined;
  readonly onAskUserQuestion:
    | ((
        data: AskUserQuestionRequest,
        context: AskContext,
      ) => Promise<{ optionId: string; answers?: Record<string, string> } | undefined>)
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
 * waits for a user must not hold up the event which reports that somebody else has answered.
 */
export class PermissionDesk {
  readonly #handlers: () => PermissionHandlers;
  readonly #session: () => SessionClient;
  readonly #logger: Logger;
  readonly #open = new Map<string, AbortController>();
  readonly #settled = new Set<string>();

  /** `handlers` and `session` are looked up at each request: both can change while the connection lasts. */
  constructor(handlers: () => PermissionHandlers, session: () => SessionClient, logger: Logger) {
    this.#handlers = handlers;
    this.#session = session;
    this.#logger = logger;
  }

  /** Takes every event of the session. */
  hear(event: DaemonEvent): void {
    if (event.type === 'permission_request') this.ask(event.data);
    else if (event.type === 'permission_resolved' || event.type === 'permission_already_resolved') {
      const resolved = wireResolved.safeParse(event.data);
      if (resolved.success) this.#settle(resolved.data.requestId);
    }
  }

  /** A request, from an event or from the session's status. One that is known is not asked twice. */
  ask(data: unknown): void {
    const parsed = wireRequest.safeParse(data);
    if (!parsed.success) return;
    const { requestId } = parsed.data;
    if (this.#open.has(requestId) || this.#settled.has(requestId)) return;
    const request = toRequest(parsed.data);
    const abort = new AbortController();
    this.#open.set(requestId, abort);
    void this.#handle(request, abort.signal);
  }

  /**
   * Sends an answer to a request. Gives `elsewhere` when somebody else was first, or it is not pending any more.
   *
   * @throws whatever the daemon answers; the request is still open then
   */
  async answer(requestId: string, response: PermissionResponse): Promise<'answered' | 'elsewhere'> {
    if (this.#settled.has(requestId)) return 'elsewhere';
    const isTaken = await this.#session().respondToPermission(requestId, response);
    if (!isTaken) this.#settle(requestId);
    return isTaken ? 'answered' : 'elsewhere';
  }

  /** Nothing that is open can be answered any more. */
  close(): void {
    for (const requestId of [...this.#open.keys()]) this.#settle(requestId);
  }

  async #handle(request: RequestPermissionRequest, signal: AbortSignal): Promise<void> {
    const { requestId } = request;
    try {
      const response = await this.#decide(request, signal);
      if (signal.aborted || response === undefined) return;
      const outcome = await this.answer(requestId, response);
      if (outcome === 'elsewhere') this.#logger.debug('the request was answered elsewhere', { requestId });
    } catch (error) {
      if (signal.aborted) return;
      // It is still pending at the daemon: asked again when the stream is opened again.
      this.#open.delete(requestId);
      this.#logger.warn('a request of the agent could not be answered', { error: describeError(error) });
    }
  }

  /** The answer to send; none where the host leaves it to others or answers later, by `answer()`. */
  async #decide(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<PermissionResponse | undefined> {
    const { onPermissionRequest, onAskUserQuestion } = this.#handlers();
    if (onPermissionRequest === undefined && onAskUserQuestion === undefined) return undefined;
    const { requestId, sessionId, toolCall } = request;
    const judged = judgeRequest(toolCall);
    const context = { request, signal };
    try {
      if (judged.kind === 'refused') {
        this.#logger.warn('a question of the agent was refused', { requestId, reason: judged.reason });
        return respond(request, undefined);
      }
      if (judged.kind === 'permission') {
        const chosen = await onPermissionRequest?.(request, context);
        return chosen && respond(request, chosen.optionId);
      }
      const { kind: _judged, ...asked } = judged;
      const given = await onAskUserQuestion?.({ requestId, sessionId, ...asked }, context);
      if (given === undefined) return undefined;
      const response = respond(request, given.optionId);
      if (response.outcome.outcome !== 'selected' || given.answers === undefined) return response;
      return { ...response, answers: answersByIndex(asked.questions, given.answers) };
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#logger.warn('a permission handler failed, so the request is cancelled', {
        error: describeError(error),
      });
      return respond(request, undefined);
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
