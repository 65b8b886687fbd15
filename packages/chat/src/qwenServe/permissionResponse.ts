import type { PermissionResponse } from '@qwen-code/sdk/daemon';
import type { ChatRequest } from '../model/chatModel.js';
import { DaemonError } from './daemonError.js';
import type { AskUserQuestion } from './ideTypes.js';

/** The answer of a view. */
interface ChatResponse {
  /** Absent to cancel. */
  readonly optionId?: string | undefined;
  readonly answers?: Readonly<Record<string, string>> | undefined;
}

/**
 * A view's answer in the daemon's form. Allows only what was chosen: an option that is not offered, a refused request and
 * unanswered questions throw a `DaemonError`.
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

/**
 * Answers by the index of their question, the only keys that Qwen Code 0.24.4 accepts: with others it reports "no valid
 * answers" to the model. A host may also name a question by its text or its header.
 */
export function answersByIndex(
  questions: readonly AskUserQuestion[],
  answers: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = questions.flatMap(({ question, header }, index) => {
    const key = [String(index), question, header].find((each) => each !== '' && Object.hasOwn(answers, each));
    return key === undefined ? [] : [[String(index), answers[key] ?? ''] as const];
  });
  return Object.fromEntries(entries);
}
