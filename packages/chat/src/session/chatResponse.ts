import type { PermissionResponse } from '@qwen-code/sdk/daemon';
import { DaemonError } from '../connection/daemonError.js';
import type { ChatRequest } from '../model/chatModel.js';

/** What a view answers to a request. */
interface ChatResponse {
  /** One of the request's options; absent to cancel. */
  readonly optionId?: string | undefined;
  readonly answers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The answer as the daemon takes it. Nothing is allowed that was not chosen: an option that is not offered, a refused
 * request and questions without an answer throw a `DaemonError`.
 */
export function toResponse(
  request: ChatRequest,
  { optionId, answers = {} }: ChatResponse,
): PermissionResponse {
  if (optionId === undefined) return { outcome: { outcome: 'cancelled' } };
  const option = request.options.find((each) => each.optionId === optionId);
  if (option === undefined) throw refusal('This option is not available. Choose one that is shown.');
  const outcome = { outcome: 'selected' as const, optionId };
  if (!option.isAllow || request.kind === 'permission') return { outcome };
  if (request.kind === 'refused') throw refusal('This request is refused: it can only be rejected.');
  const isAnswered = ({ key }: { readonly key: string }) => (answers[key] ?? '').trim() !== '';
  if (option.scope !== 'once' || !request.questions.every(isAnswered)) {
    throw refusal('Answer every question first.');
  }
  return { outcome, answers: { ...answers } };
}

function refusal(message: string): DaemonError {
  return new DaemonError('request_failed', message);
}
