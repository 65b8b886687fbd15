import type * as z from 'zod';
import type { ChatOption, ChatQuestion, ChatRequest } from './chatModel.js';
import { toChatContent, toChatLocation } from './toolCard.js';
import {
  type WireOption,
  type WireQuestion,
  type wirePendingInteraction,
  type wirePermissionRequest,
  wireQuestions,
  wireToolCall,
} from './wire.js';

/** A permission or a question, from the event that asks. */
export function toChatRequest(wire: z.infer<typeof wirePermissionRequest>): ChatRequest {
  const { requestId, toolCall } = wire;
  const base = {
    requestId,
    toolCallId: toolCall.toolCallId,
    title: toolCall.title ?? 'Permission',
    options: wire.options.map(toChatOption),
    isAnswering: false,
  };
  const questions = questionsOf(toolCall.rawInput);
  if (questions !== undefined) return { ...base, kind: 'questions', questions };
  return {
    ...base,
    kind: 'permission',
    toolKind: toolCall.kind ?? 'other',
    content: (toolCall.content ?? []).flatMap(toChatContent),
    locations: (toolCall.locations ?? []).map(toChatLocation),
    ...(toolCall._meta?.toolName !== undefined && { toolName: toolCall._meta.toolName }),
    ...(toolCall.rawInput !== undefined && { input: toolCall.rawInput }),
  };
}

/** A permission or a question that waited already when we came, from the session's status. */
export function toPendingRequest(wire: z.infer<typeof wirePendingInteraction>): ChatRequest {
  const { action, requestId, options } = wire;
  if (wire.kind === 'user_question') {
    const questions = (wire.questions ?? []).map(toChatQuestion);
    const base = { requestId, options: options.map(toChatOption), isAnswering: false };
    return { ...base, kind: 'questions', title: wire.title ?? 'Question', questions };
  }
  const toolCall = wireToolCall.parse({
    toolCallId: '',
    title: action?.title,
    kind: action?.type,
    content: action?.content,
    locations: action?.locations,
    rawInput: action?.input,
  });
  const { toolCallId: _none, ...request } = toChatRequest({ requestId, toolCall, options });
  return request;
}

/**
 * The questions in a tool's arguments. The daemon calls such a tool `think`, its document `ask_user_question`: the
 * list of questions tells both.
 */
function questionsOf(rawInput: unknown): ChatQuestion[] | undefined {
  const parsed = wireQuestions.safeParse(rawInput);
  return parsed.success ? parsed.data.questions.map(toChatQuestion) : undefined;
}

function toChatQuestion(wire: WireQuestion, index: number): ChatQuestion {
  return {
    key: wire.answerKey ?? String(index),
    header: wire.header ?? '',
    question: wire.question ?? '',
    options: (wire.options ?? []).map(({ label, description }) =>
      description === undefined ? { label } : { label, description },
    ),
    isMultiSelect: wire.multiSelect ?? false,
  };
}

function toChatOption({ optionId, name, label, kind = '' }: WireOption): ChatOption {
  return {
    optionId,
    name: name ?? label ?? optionId,
    isAllow: isAllowing(optionId, kind),
    scope: scopeOf(optionId, kind),
  };
}

/** Whether an option lets the tool run. */
export function isAllowing(optionId: string, kind: string): boolean {
  return kind === '' ? !/cancel|reject|deny/.test(optionId) : kind.startsWith('allow');
}

function scopeOf(optionId: string, kind: string): ChatOption['scope'] {
  if (optionId.endsWith('_project')) return 'project';
  if (optionId.endsWith('_user')) return 'user';
  return kind.endsWith('_always') || optionId === 'proceed_always' ? 'session' : 'once';
}
