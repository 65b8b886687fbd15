import type { ChatImage, ChatItem, ChatToolCard } from './chatModel.js';
import type { ChatDraft } from './chatPatch.js';
import { mergeToolCall, newToolCard } from './toolCard.js';
import {
  type WireContentBlock,
  type WireEvent,
  type WireToolCall,
  wireChunk,
  wireCommands,
  wireMode,
  wirePlan,
  wireToolCall,
  wireUpdate,
  wireUsage,
} from './wire.js';

/** Applies the `data` of one `session_update`. Unknown and unreadable updates change nothing. */
export function reduceUpdate(draft: ChatDraft, event: WireEvent): void {
  const parsed = wireUpdate.safeParse(event.data);
  if (!parsed.success) return;
  const { update } = parsed.data;
  const kind = update.sessionUpdate;
  if (kind === 'user_message_chunk') addUserChunk(draft, update, event);
  else if (kind === 'agent_message_chunk') addChunk(draft, 'assistant', update, event);
  else if (kind === 'agent_thought_chunk') addChunk(draft, 'thought', update, event);
  else if (kind === 'tool_call' || kind === 'tool_call_update') {
    const call = wireToolCall.safeParse(update);
    if (call.success) putToolCall(draft, call.data, event);
  } else if (kind === 'plan') {
    const plan = wirePlan.safeParse(update);
    if (plan.success) draft.set({ plan: plan.data.entries.map(toPlanEntry) });
  } else if (kind === 'available_commands_update') setCommands(draft, update);
  else if (kind === 'usage_update') {
    const usage = wireUsage.safeParse(update);
    if (usage.success) setContext(draft, usage.data.used, usage.data.size);
  } else if (kind === 'current_mode_update') {
    const mode = wireMode.safeParse(update);
    if (mode.success) draft.set({ modes: { ...draft.model.modes, current: mode.data.currentModeId } });
  }
}

/** The commands of an `available_commands_update` or of the session's own list. */
export function setCommands(draft: ChatDraft, wire: unknown): void {
  const parsed = wireCommands.safeParse(wire);
  if (!parsed.success) return;
  const commands = parsed.data.availableCommands.map(({ name, description, input }) => {
    const command = { name, description: description ?? '' };
    return input ? { ...command, hint: input.hint ?? '' } : command;
  });
  draft.set({ commands });
}

/** Adds or updates the card of a tool call. Returns the card's id. */
export function putToolCall(draft: ChatDraft, call: WireToolCall, event: WireEvent): number {
  const card = findToolCard(draft, call.toolCallId);
  if (card !== undefined) {
    draft.replace(mergeToolCall(card, call));
    return card.id;
  }
  draft.add({ kind: 'tool', ...newToolCard(call), ...originOf(event) });
  return draft.model.items.length - 1;
}

/**
 * The card of a tool call. Searches backwards to the start of the previous turn, so that a new call does not cost more in a
 * long conversation.
 */
export function findToolCard(draft: ChatDraft, toolCallId: string): ChatToolCard | undefined {
  const { items } = draft.model;
  let turnsLeft = 2;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item?.kind === 'tool' && item.toolCallId === toolCallId) return item;
    if (item?.kind === 'user') turnsLeft -= 1;
    if (turnsLeft === 0) return undefined;
  }
  return undefined;
}

/** The prompt that an event belongs to, and its time. */
export function originOf(event: WireEvent): { promptId?: string; at?: number } {
  const at = event._meta?.serverTimestamp;
  return {
    ...(event.promptId !== undefined && { promptId: event.promptId }),
    ...(at !== undefined && { at }),
  };
}

function addUserChunk(draft: ChatDraft, update: unknown, event: WireEvent): void {
  const parsed = wireChunk.safeParse(update);
  if (!parsed.success) return;
  const { content } = parsed.data;
  const text = textOf(content);
  const images: ChatImage[] =
    content.type === 'image' ? [{ mimeType: content.mimeType ?? 'image/png', data: content.data ?? '' }] : [];
  const last = draft.model.items.at(-1);
  const promptId = event.promptId ?? parsed.data._meta?.promptId;
  // The daemon echoes a prompt block by block.
  if (last?.kind === 'user' && promptId !== undefined && last.promptId === promptId) {
    const joined = last.text !== '' && text !== '' ? `${last.text}\n${text}` : last.text + text;
    draft.replace({ ...last, text: joined, images: [...last.images, ...images] });
    return;
  }
  draft.add({ kind: 'user', text, images, ...originOf(event), ...(promptId !== undefined && { promptId }) });
  if (draft.model.suggestion !== undefined) draft.apply({ op: 'set', parts: {}, removed: ['suggestion'] });
  if (event.promptId === undefined) return;
  const queued = draft.model.turn.queued.filter(({ promptId }) => promptId !== event.promptId);
  draft.set({ turn: { state: 'running', promptId: event.promptId, queued } });
}

function addChunk(draft: ChatDraft, kind: 'assistant' | 'thought', update: unknown, event: WireEvent): void {
  const parsed = wireChunk.safeParse(update);
  if (!parsed.success) return;
  const { content, _meta: meta } = parsed.data;
  const text = textOf(content);
  const parent = meta?.parentToolCallId;
  if (text !== '') {
    const last = draft.model.items.at(-1);
    const isSame = isText(last, kind) && last.promptId === event.promptId && last.parentToolCallId === parent;
    if (isSame) draft.append(last.id, text);
    else {
      const item = { text, ...originOf(event), ...(parent !== undefined && { parentToolCallId: parent }) };
      draft.add({ kind, ...item });
    }
  }
  const { inputTokens = 0, outputTokens = 0 } = meta?.usage ?? {};
  if (inputTokens + outputTokens === 0) return;
  const { usage } = draft.model;
  draft.set({
    usage: {
      ...usage,
      inputTokens: usage.inputTokens + inputTokens,
      outputTokens: usage.outputTokens + outputTokens,
    },
  });
}

function setContext(draft: ChatDraft, used: number | undefined, size: number | undefined): void {
  const { usage } = draft.model;
  if (used === usage.contextUsed && size === usage.contextSize) return;
  draft.set({
    usage: {
      ...usage,
      ...(used !== undefined && { contextUsed: used }),
      ...(size !== undefined && { contextSize: size }),
    },
  });
}

function toPlanEntry(entry: {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
  priority?: string | undefined;
}) {
  const { content, status, priority } = entry;
  return priority === undefined ? { content, status } : { content, status, priority };
}

function isText<K extends 'assistant' | 'thought'>(
  item: ChatItem | undefined,
  kind: K,
): item is Extract<ChatItem, { kind: K }> {
  return item?.kind === kind;
}

/** A block as text. An attached file is named, not quoted. */
function textOf(block: WireContentBlock): string {
  if (block.type === 'text') return block.text ?? '';
  if (block.type === 'resource_link') return `@${block.name ?? block.uri ?? ''}`;
  if (block.type === 'resource') return `@${block.resource?.uri ?? ''}`;
  return '';
}
