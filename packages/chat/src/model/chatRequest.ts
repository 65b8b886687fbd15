import type * as z from 'zod';
import type { ChatOption, ChatQuestion, ChatQuestions, ChatRequest } from './chatModel.js';
import { type AskUserQuestion, judgeRequest } from './judgeRequest.js';
import { toChatContent, toChatLocation } from './toolCard.js';
import { type WireOption, type wirePermissionRequest, wireToolCall } from './wire.js';

/** A permission, questions or a refusal, from a `permission_request`. */
export function toChatRequest({
  requestId,
  toolCall,
  options,
}: z.infer<typeof wirePermissionRequest>): ChatRequest {
  const { toolCallId, title, kind, content, locations, rawInput, _meta } = wireToolCall.parse(toolCall);
  const base = {
    requestId,
    toolCallId,
    title: title || 'Permission',
    options: options.map(toChatOption),
    isAnswering: false,
  };
  const judged = judgeRequest(toolCall);
  if (judged.kind === 'refused') return { ...base, kind: 'refused', reason: judged.reason };
  if (judged.kind === 'questions') {
    return { ...base, kind: 'questions', questions: judged.questions.map(toChatQuestion) };
  }
  return {
    ...base,
    kind: 'permission',
    toolKind: kind ?? 'other',
    content: (content ?? []).flatMap(toChatContent),
    locations: (locations ?? []).map(toChatLocation),
    ...(_meta?.toolName !== undefined && { toolName: _meta.toolName }),
    ...(rawInput !== undefined && { input: rawInput }),
  };
}

/** The index of a question is the key of its answer. */
function toChatQuestion({ multiSelect, ...question }: AskUserQuestion, index: number): ChatQuestion {
  return { ...question, key: String(index), isMultiSelect: multiSelect };
}

function toChatOption({ optionId, name, kind = '' }: WireOption): ChatOption {
  const isAllow = isAllowing(optionId, kind);
  return { optionId, name: nameOf(name, isAllow), isAllow, scope: scopeOf(optionId, kind) };
}

/** Whether an option lets the tool run, by its id, which the daemon acts on, or by its kind. */
export function isAllowing(optionId: string, kind: string): boolean {
  const isAllowingId = /^(proceed|restore_previous)/.test(optionId);
  return isAllowingId || (kind === '' ? !/cancel|reject|deny/.test(optionId) : kind.startsWith('allow'));
}

/** The longer of the scopes that the id and the kind state. */
function scopeOf(optionId: string, kind: string): ChatOption['scope'] {
  if (optionId.endsWith('_project')) return 'project';
  if (optionId.endsWith('_user')) return 'user';
  return kind.endsWith('_always') || optionId.startsWith('proceed_always') ? 'session' : 'once';
}

/** The daemon's name of an option, unless it states the opposite of what the option does. */
function nameOf(name: string | undefined, isAllow: boolean): string {
  const opposite = isAllow
    ? /^\W*(no|reject|deny|cancel|refuse|decline|skip)\b/i
    : /^\W*(yes|allow|always|approve|accept|proceed|run|ok)\b/i;
  if (name !== undefined && name.trim() !== '' && !opposite.test(name)) return name;
  return isAllow ? 'Allow' : 'Reject';
}

/** The options that answer and skip questions. An answer applies once, whatever else is offered. */
export function questionOptions({ options }: ChatQuestions): {
  readonly answer: string | undefined;
  readonly skip: string | undefined;
} {
  return {
    answer: options.find(({ isAllow, scope }) => isAllow && scope === 'once')?.optionId,
    skip: options.find(({ isAllow }) => !isAllow)?.optionId,
  };
}
