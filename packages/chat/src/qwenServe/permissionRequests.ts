import type { PermissionResponse } from '@qwen-code/sdk/daemon';
import { describeError, type Logger } from '@tandem/core';
import * as z from 'zod';
import { judgeRequest } from '../model/judgeRequest.js';
import type {
  AskContext,
  AskUserQuestionRequest,
  DaemonPermissionRequest,
  RequestPermissionRequest,
} from './ideTypes.js';
import { answersByIndex } from './permissionResponse.js';
import type { DaemonEvent, SessionClient } from './sessionClient.js';

export interface PermissionHandlers {
  readonly onPermissionRequest: (
    data: RequestPermissionRequest,
    context?: AskContext,
  ) => Promise<{ optionId?: string }>;
  readonly onAskUserQuestion: (
    data: AskUserQuestionRequest,
    context?: AskContext,
  ) => Promise<{ optionId: string; answers?: Record<string, string> }>;
}

/** The handler of a host that has set none: the request stays open for other clients, or for `answer()`. */
export function leaveOpen(): Promise<never> {
  return new Promise(() => {});
}

const wireRequest = z.looseObject({
  requestId: z.string(),
  sessionId: z.string(),
  toolCall: z.looseObject({ toolCallId: z.string() }),
  options: z.array(z.looseObject({ optionId: z.string() })),
});

const wireAnswer = z.object({
  optionId: z.string(),
  answers: z.record(z.string(), z.string()).optional().catch(undefined),
});

const wireResolved = z.object({ requestId: z.string() });

/**
 * Passes the agent's requests to the host and the answers to the daemon. Handlers run concurrently with the event stream: a
 * handler that waits for the user must not delay the event that reports another client's answer.
 */
export class PermissionRequests {
  readonly #handlers: () => PermissionHandlers;
  readonly #session: () => SessionClient;
  readonly #logger: Logger;
  readonly #open = new Map<string, AbortController>();
  readonly #settled = new Set<string>();

  /** `handlers` and `session` are read for each request, because both can change. */
  constructor(handlers: () => PermissionHandlers, session: () => SessionClient, logger: Logger) {
    this.#handlers = handlers;
    this.#session = session;
    this.#logger = logger;
  }

  /** Receives every event of the session. */
  handle(event: DaemonEvent): void {
    if (event.type === 'permission_request') this.ask(event.data);
    else if (event.type === 'permission_resolved' || event.type === 'permission_already_resolved') {
      const resolved = wireResolved.safeParse(event.data);
      if (resolved.success) this.#settle(resolved.data.requestId);
    }
  }

  /** Asks the host, once for each request. */
  ask(data: unknown): void {
    const parsed = wireRequest.safeParse(data);
    if (!parsed.success) return;
    const { requestId } = parsed.data;
    if (this.#open.has(requestId) || this.#settled.has(requestId)) return;
    const { sessionId, toolCall, options } = parsed.data;
    // The daemon passes ACP's own objects on; members that this package does not read are the host's to check.
    const request = { requestId, sessionId, toolCall, options } as DaemonPermissionRequest;
    const abort = new AbortController();
    this.#open.set(requestId, abort);
    void this.#handle(request, abort.signal);
  }

  /**
   * Sends an answer. `elsewhere`: another client was first, or the request is no longer pending.
   *
   * @throws the daemon's error; the request is then still open
   */
  async answer(requestId: string, response: PermissionResponse): Promise<'answered' | 'elsewhere'> {
    if (this.#settled.has(requestId)) return 'elsewhere';
    const isTaken = await this.#session().respondToPermission(requestId, response);
    if (!isTaken) this.#settle(requestId);
    return isTaken ? 'answered' : 'elsewhere';
  }

  /** Settles all open requests: they can no longer be answered. */
  close(): void {
    for (const requestId of [...this.#open.keys()]) this.#settle(requestId);
  }

  async #handle(request: DaemonPermissionRequest, signal: AbortSignal): Promise<void> {
    const { requestId } = request;
    try {
      const response = await this.#decide(request, signal);
      if (signal.aborted || response === undefined) return;
      const outcome = await this.answer(requestId, response);
      if (outcome === 'elsewhere') this.#logger.debug('the request was answered elsewhere', { requestId });
    } catch (error) {
      if (signal.aborted) return;
      // Still pending at the daemon: asked again when the stream is reopened.
      this.#open.delete(requestId);
      this.#logger.warn('a request of the agent could not be answered', { error: describeError(error) });
    }
  }

  /** The response to send. None if the host leaves the request to others. */
  async #decide(
    request: DaemonPermissionRequest,
    signal: AbortSignal,
  ): Promise<PermissionResponse | undefined> {
    const { onPermissionRequest, onAskUserQuestion } = this.#handlers();
    if (onPermissionRequest === leaveOpen && onAskUserQuestion === leaveOpen) return undefined;
    const { requestId, sessionId, toolCall } = request;
    const judged = judgeRequest(toolCall);
    const context = { request, signal };
    try {
      if (judged.kind === 'refused') {
        this.#logger.warn('a question of the agent was refused', { requestId, reason: judged.reason });
        return respond(request, undefined);
      }
      if (judged.kind === 'permission') {
        const chosen = wireAnswer.safeParse(await onPermissionRequest(request, context));
        return respond(request, chosen.data?.optionId);
      }
      const { kind: _judged, ...asked } = judged;
      const given = wireAnswer.safeParse(
        await onAskUserQuestion({ requestId, sessionId, ...asked }, context),
      ).data;
      const response = respond(request, given?.optionId);
      if (response.outcome.outcome !== 'selected' || given?.answers === undefined) return response;
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

/** An option that is not offered cancels the request. */
function respond({ options }: DaemonPermissionRequest, optionId: string | undefined): PermissionResponse {
  const isOffered = options.some((option) => option.optionId === optionId);
  if (optionId === undefined || !isOffered) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId } };
}

const wireStatus = z.object({ sessionId: z.string(), pendingInteractions: z.array(z.unknown()) });

const wireInteraction = z.object({
  requestId: z.string(),
  kind: z.string(),
  title: z.string().optional().catch(undefined),
  action: z.record(z.string(), z.unknown()).optional().catch(undefined),
  questions: z.array(z.unknown()).optional().catch(undefined),
  options: z.array(
    z.object({ optionId: z.string(), label: z.string().optional(), kind: z.string().optional() }),
  ),
});

/**
 * The pending requests in a session's status, in the form of the missed events. The status names neither the tool call nor
 * the tool; its `kind` marks the requests of the question tool, the only ones whose questions it contains.
 */
export function pendingRequests(status: unknown): object[] {
  const parsed = wireStatus.safeParse(status);
  if (!parsed.success) return [];
  const { sessionId, pendingInteractions } = parsed.data;
  return pendingInteractions.flatMap((each) => {
    const interaction = wireInteraction.safeParse(each);
    return interaction.success ? [fromInteraction(sessionId, interaction.data)] : [];
  });
}

function fromInteraction(
  sessionId: string,
  { requestId, kind, title, action = {}, questions = [], options }: z.infer<typeof wireInteraction>,
): object {
  const { type, title: ownTitle, content, locations, input } = action;
  const isQuestion = kind === 'user_question';
  return {
    requestId,
    sessionId,
    toolCall: {
      toolCallId: requestId,
      title: typeof ownTitle === 'string' ? ownTitle : (title ?? ''),
      content: Array.isArray(content) ? content : [],
      locations: Array.isArray(locations) ? locations : [],
      ...(typeof type === 'string' && { kind: type }),
      ...(isQuestion && { kind: 'think', _meta: { toolName: 'ask_user_question' } }),
      rawInput: isQuestion ? { questions } : input,
    },
    options: options.map(({ optionId, label, kind: optionKind }) => ({
      optionId,
      ...(label !== undefined && { name: label }),
      ...(optionKind !== undefined && { kind: optionKind }),
    })),
  };
}
