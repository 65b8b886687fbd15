import {
  type ChatModel,
  type ChatOption,
  type ChatPermission,
  type ChatRequest,
  type ChatToolCard,
  type PermissionDetails,
  permissionDetails,
  questionTool,
} from '@tandem/chat/model';
import { visibleName } from '@tandem/core';

/** For how long an option applies, and where it is stored. */
export function scopeWords(option: ChatOption): string | undefined {
  if (!option.isAllow) return undefined;
  if (option.scope === 'project') return 'Written to .qwen/settings.json in this folder.';
  if (option.scope === 'user')
    return 'Written to .qwen/settings.json in your home folder. Applies to every folder.';
  if (option.scope === 'session') return 'Applies until this chat ends. No settings are changed.';
  return undefined;
}

const statusWords: Readonly<Record<ChatToolCard['status'], string>> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
};

/** The state of a tool call. `declined`: the user refused it, which is not a failure. */
export interface ToolState {
  readonly kind: ChatToolCard['status'] | 'asks' | 'declined';
  readonly words: string;
}

export function toolState({ status, requestId, decision, refusal, toolName }: ChatToolCard): ToolState {
  if (requestId !== undefined) return { kind: 'asks', words: 'needs your answer' };
  const isDeclined = decision?.isAllowed === false && refusal === undefined;
  const isQuestion = toolName === questionTool && refusal === undefined;
  // A history from disk does not contain how a question ended.
  if (isQuestion && (isDeclined || (status === 'failed' && decision === undefined)))
    return { kind: 'declined', words: 'skipped' };
  if (isDeclined) return { kind: 'declined', words: 'not run' };
  return { kind: status, words: statusWords[status] };
}

/** How a tool's request ended. */
export function decisionWords({ decision, refusal, toolName }: ChatToolCard): string | undefined {
  if (refusal !== undefined && decision?.isAllowed !== true) return 'Refused';
  if (decision === undefined) return undefined;
  const [yes, no] = toolName === questionTool ? ['Answered', 'Skipped'] : ['Allowed', 'Rejected'];
  const what = decision.isAllowed ? yes : no;
  return decision.isElsewhere ? `${what} elsewhere` : what;
}

/** State and decision: "done, Allowed", "Skipped". */
export function toolWords(card: ChatToolCard): string {
  const { kind, words } = toolState(card);
  const decision = decisionWords(card);
  if (decision === undefined) return words;
  return kind === 'declined' ? decision : `${words}, ${decision}`;
}

const verbs: Readonly<Record<PermissionDetails['action'], string>> = {
  change: 'Change',
  delete: 'Delete',
  move: 'Move',
  run: 'Run',
  fetch: 'Fetch',
  use: 'Allow',
};

/** The title of a permission's card. */
export function permissionTitle(request: ChatPermission): string {
  const { action, subject } = permissionDetails(request);
  return subject === undefined ? 'Run this command?' : `${verbs[action]} ${visibleName(subject)}?`;
}

export function refusalWords(reason: string): string {
  return `Refused: this looks like a question from the agent, but ${reason}. Nothing was run.`;
}

export function requestTitle(request: ChatRequest): string {
  if (request.kind === 'permission') return permissionTitle(request);
  if (request.kind === 'refused') return 'A refused request';
  return request.questions.length === 1 ? 'A question' : `${request.questions.length} questions`;
}

/** The announcement of a request for screen readers. */
export function askWords(request: ChatRequest): string {
  if (request.kind === 'permission') return `Qwen asks for permission: ${permissionTitle(request)}`;
  if (request.kind === 'refused') return refusalWords(request.reason);
  const [first, ...more] = request.questions;
  return more.length === 0 ? `Qwen asks: ${first?.question ?? ''}` : `Qwen asks ${more.length + 1} questions`;
}

export function chatTitle({ session }: ChatModel): string {
  return session?.title || 'Chat';
}

/** `12.3k`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `5 min ago`, `yesterday`, a date. */
export function ago(time: number, now: number): string {
  const minutes = Math.round((now - time) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.round(minutes / 60)} h ago`;
  return new Date(time).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}
