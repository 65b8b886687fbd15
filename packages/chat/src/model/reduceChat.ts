import type * as z from 'zod';
import type { ChatItem, ChatModel, ChatQueuedPrompt, ChatRequest, ChatTurn } from './chatModel.js';
import { ChatDraft, type ChatPatch } from './chatPatch.js';
import { isAllowing, toChatRequest } from './chatRequest.js';
import { findToolCard, originOf, putToolCall, reduceUpdate } from './reduceUpdate.js';
import {
  type WireEvent,
  wireApprovalMode,
  wireEvent,
  wireModelSwitched,
  wirePermissionRequest,
  wirePermissionResolved,
  wireQueuedPrompt,
  wireRewound,
  wireSessionEnd,
  wireSnapshot,
  wireSuggestion,
  wireTitle,
  wireToolCall,
  wireTurnEnd,
} from './wire.js';

export interface ReducedChat {
  readonly model: ChatModel;
  /** Lead from the previous chat to `model`. */
  readonly patches: readonly ChatPatch[];
}

/**
 * The chat after some of the daemon's events, in their order. A pure function: the same events give the same chat. Unknown
 * and unreadable events change nothing. The cost of an event does not depend on the length of the conversation; a call
 * copies the list of items once.
 *
 * @param ownIds this client's present and former ids, to recognise its own answers
 */
export function reduceChat(
  model: ChatModel,
  events: readonly unknown[],
  ownIds: ReadonlySet<string> = new Set(),
): ReducedChat {
  const draft = new ChatDraft(model);
  for (const event of events) {
    const parsed = wireEvent.safeParse(event);
    if (parsed.success) reduceEvent(draft, parsed.data, ownIds);
  }
  return { model: draft.model, patches: draft.patches };
}

type Handler = (draft: ChatDraft, event: WireEvent, ownIds: ReadonlySet<string>) => void;

const handlers: Readonly<Record<string, Handler>> = {
  session_update: reduceUpdate,
  permission_request: on(wirePermissionRequest, request),
  permission_resolved: on(wirePermissionResolved, resolve),
  permission_already_resolved: on(wirePermissionResolved, resolve),
  turn_complete: completeTurn,
  turn_error: failTurn,
  pending_prompt_added: on(wireQueuedPrompt, queuePrompt),
  pending_prompt_started: on(wireQueuedPrompt, startPrompt),
  pending_prompt_completed: on(wireQueuedPrompt, dropPrompt),
  model_switched: on(wireModelSwitched, setModel),
  approval_mode_changed: on(wireApprovalMode, setMode),
  session_snapshot: on(wireSnapshot, takeSnapshot),
  session_metadata_updated: rename,
  session_rewound: on(wireRewound, rewind),
  session_died: endSession,
  session_closed: endSession,
  followup_suggestion: on(wireSuggestion, suggest),
  history_truncated: cutHistory,
};

/** A handler of events with valid data. */
function on<T>(
  schema: z.ZodType<T>,
  handle: (draft: ChatDraft, data: T, event: WireEvent, ownIds: ReadonlySet<string>) => void,
): Handler {
  return (draft, event, ownIds) => {
    const parsed = schema.safeParse(event.data);
    if (parsed.success) handle(draft, parsed.data, event, ownIds);
  };
}

function reduceEvent(draft: ChatDraft, event: WireEvent, ownIds: ReadonlySet<string>): void {
  if (Object.hasOwn(handlers, event.type)) handlers[event.type]?.(draft, event, ownIds);
}

function request(draft: ChatDraft, data: z.infer<typeof wirePermissionRequest>, event: WireEvent): void {
  const asked = toChatRequest(data);
  const id = putToolCall(draft, wireToolCall.parse(data.toolCall), event);
  const card = draft.model.items[id];
  const { requestId } = asked;
  if (card?.kind === 'tool') {
    const refusal = asked.kind === 'refused' ? { refusal: asked.reason } : {};
    draft.replace({ ...card, requestId, ...refusal });
  }
  const others = draft.model.pending.filter((each) => each.requestId !== requestId);
  draft.set({ pending: [...others, asked] });
}

function resolve(
  draft: ChatDraft,
  { requestId, outcome, voterClientId }: z.infer<typeof wirePermissionResolved>,
  _event: WireEvent,
  ownIds: ReadonlySet<string>,
): void {
  const asked = draft.model.pending.find((each) => each.requestId === requestId);
  if (asked === undefined) return;
  draft.set({ pending: draft.model.pending.filter((each) => each !== asked) });
  const card = findToolCard(draft, asked.toolCallId);
  if (card === undefined) return;
  const { requestId: _answered, ...rest } = card;
  const optionId = outcome?.outcome === 'selected' ? outcome.optionId : undefined;
  const isElsewhere = voterClientId === undefined || !ownIds.has(voterClientId);
  const isAllowed = optionId !== undefined && isAllowingOption(asked, optionId);
  draft.replace({
    ...rest,
    decision: { isAllowed, isElsewhere, ...(optionId !== undefined && { optionId }) },
  });
}

function isAllowingOption(asked: ChatRequest, optionId: string): boolean {
  return asked.options.find((option) => option.optionId === optionId)?.isAllow ?? isAllowing(optionId, '');
}

function completeTurn(draft: ChatDraft, event: WireEvent): void {
  const parsed = wireTurnEnd.safeParse(event.data);
  // A prompt that was removed from the queue also ends as cancelled, but stopped nothing.
  const isStopped =
    parsed.data?.stopReason === 'cancelled' && !isOfAnother(draft, event, parsed.data.promptId);
  if (isStopped) {
    draft.add({ kind: 'notice', notice: 'cancelled', text: 'Stopped.', ...originOf(event) });
  }
  endTurn(draft, event, parsed.data?.promptId);
}

function failTurn(draft: ChatDraft, event: WireEvent): void {
  const parsed = wireTurnEnd.safeParse(event.data);
  const { message = 'The turn failed, and the daemon gave no reason.', code } = parsed.data ?? {};
  draft.add({
    kind: 'error',
    text: message,
    isRetryable: true,
    ...(code !== undefined && { code }),
    ...originOf(event),
  });
  endTurn(draft, event, parsed.data?.promptId);
}

/** Pending requests and running tools end with the turn. */
function endTurn(draft: ChatDraft, event: WireEvent, named: string | undefined): void {
  if (isOfAnother(draft, event, named)) return;
  endOpenWork(draft);
  draft.set({ turn: { state: 'idle', queued: draft.model.turn.queued } });
}

/** Whether the event ends another prompt than the running one. */
function isOfAnother(draft: ChatDraft, event: WireEvent, named: string | undefined): boolean {
  const { promptId: running } = draft.model.turn;
  const ended = named ?? event.promptId;
  return running !== undefined && ended !== undefined && running !== ended;
}

/** Marks the unfinished tools of this turn as failed and withdraws its requests. */
export function endOpenWork(draft: ChatDraft): void {
  if (draft.model.pending.length > 0) draft.set({ pending: [] });
  const { items } = draft.model;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item === undefined || item.kind === 'user') return;
    if (isUnfinished(item)) {
      const { requestId: _asked, ...card } = item;
      draft.replace({ ...card, status: 'failed' });
    }
  }
}

function isUnfinished(item: ChatItem): item is Extract<ChatItem, { kind: 'tool' }> {
  return item.kind === 'tool' && (item.status === 'pending' || item.status === 'in_progress');
}

function queuePrompt(draft: ChatDraft, prompt: ChatQueuedPrompt): void {
  setQueue(draft, [...withoutPrompt(draft.model.turn, prompt.promptId), prompt]);
}

function startPrompt(draft: ChatDraft, { promptId }: ChatQueuedPrompt): void {
  draft.set({ turn: { state: 'running', promptId, queued: withoutPrompt(draft.model.turn, promptId) } });
}

function dropPrompt(draft: ChatDraft, { promptId }: ChatQueuedPrompt): void {
  setQueue(draft, withoutPrompt(draft.model.turn, promptId));
}

function withoutPrompt(turn: ChatTurn, promptId: string): ChatTurn['queued'] {
  return turn.queued.filter((queued) => queued.promptId !== promptId);
}

function setQueue(draft: ChatDraft, queued: ChatTurn['queued']): void {
  draft.set({ turn: { ...draft.model.turn, queued } });
}

/** The daemon reports a switch twice: with the bare id, and with the id of its list. */
function setModel(draft: ChatDraft, { modelId }: { readonly modelId: string }): void {
  const { models } = draft.model;
  const listed = models.available.find(({ id }) => id === modelId || id.startsWith(`${modelId}(`));
  const current = listed?.id ?? modelId;
  if (current !== models.current) draft.set({ models: { ...models, current } });
}

function setMode(draft: ChatDraft, { next }: { readonly next: string }): void {
  draft.set({ modes: { ...draft.model.modes, current: next } });
}

function takeSnapshot(
  draft: ChatDraft,
  { currentModelId, currentApprovalMode }: z.infer<typeof wireSnapshot>,
): void {
  if (currentModelId) setModel(draft, { modelId: currentModelId });
  if (currentApprovalMode) setMode(draft, { next: currentApprovalMode });
}

function rename(draft: ChatDraft, event: WireEvent): void {
  const parsed = wireTitle.safeParse(event.data);
  const { session } = draft.model;
  const title = parsed.data?.displayName;
  if (session !== undefined && title !== undefined) draft.set({ session: { ...session, title } });
}

/** The session dropped a user message and everything after it. The daemon counts user messages from 0. */
function rewind(draft: ChatDraft, { targetTurnIndex }: z.infer<typeof wireRewound>): void {
  const { model } = draft;
  const target = model.items.filter(({ kind }) => kind === 'user')[targetTurnIndex];
  if (target === undefined) return;
  const { suggestion: _dropped, ...rest } = model;
  const shorter = { ...rest, items: model.items.slice(0, target.id), plan: [], pending: [] };
  draft.apply({ op: 'reset', model: shorter });
}

function endSession(draft: ChatDraft, event: WireEvent): void {
  const { sessionId } = wireSessionEnd.safeParse(event.data).data ?? {};
  const { session, turn } = draft.model;
  if (session !== undefined && session.id !== sessionId) return;
  endOpenWork(draft);
  if (turn.state !== 'idle' || turn.queued.length > 0) draft.set({ turn: { state: 'idle', queued: [] } });
}

function suggest(draft: ChatDraft, { suggestion }: z.infer<typeof wireSuggestion>): void {
  draft.set({ suggestion });
}

function cutHistory(draft: ChatDraft, event: WireEvent): void {
  const text = 'The daemon no longer has the earlier conversation.';
  draft.add({ kind: 'notice', notice: 'history_cut', text, ...originOf(event) });
}
