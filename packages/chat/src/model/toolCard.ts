import type { ChatLocation, ChatToolCard, ChatToolContent } from './chatModel.js';
import type { WireToolCall, WireToolContent } from './wire.js';

type CardFields = Omit<ChatToolCard, 'id' | 'kind'>;

/** The first card of a tool call that has none yet. */
export function newToolCard(call: WireToolCall): CardFields {
  return mergeToolCall(
    {
      toolCallId: call.toolCallId,
      toolKind: 'other',
      title: '',
      status: 'pending',
      content: [],
      locations: [],
    },
    call,
  );
}

/**
 * A card with what a later message about its call adds. The first message of a call has neither arguments nor a title
 * worth reading, those come with the permission request; the last has neither. In a compacted history the request
 * comes after the end, which it must not undo.
 */
export function mergeToolCall<Card extends CardFields>(card: Card, call: WireToolCall): Card {
  const isOver = card.status === 'completed' || card.status === 'failed';
  const content = (call.content ?? []).flatMap(toChatContent);
  const locations = (call.locations ?? []).map(toChatLocation);
  return {
    ...card,
    title: call.title || card.title,
    toolKind: call.kind ?? card.toolKind,
    status: isOver ? card.status : toStatus(call.status, card.status),
    content: content.length > 0 && !(isOver && card.content.length > 0) ? content : card.content,
    locations: locations.length > 0 ? locations : card.locations,
    ...(call._meta?.toolName !== undefined && { toolName: call._meta.toolName }),
    ...(call._meta?.parentToolCallId !== undefined && { parentToolCallId: call._meta.parentToolCallId }),
    ...(hasArguments(call.rawInput) && { input: call.rawInput }),
  };
}

export function toChatContent(content: WireToolContent): ChatToolContent[] {
  if (content.type === 'diff' && content.path !== undefined) {
    const { path, oldText, newText = '' } = content;
    return [{ type: 'diff', path, newText, ...(typeof oldText === 'string' && { oldText }) }];
  }
  const block = content.content;
  if (block?.type === 'image' && block.data !== undefined) {
    return [{ type: 'image', mimeType: block.mimeType ?? 'image/png', data: block.data }];
  }
  const text = block?.text ?? block?.resource?.text ?? block?.uri;
  return text ? [{ type: 'text', text }] : [];
}

export function toChatLocation({
  path,
  line,
}: {
  path: string;
  line?: number | null | undefined;
}): ChatLocation {
  return typeof line === 'number' ? { path, line } : { path };
}

function toStatus(status: string | null | undefined, before: ChatToolCard['status']): ChatToolCard['status'] {
  const known = ['pending', 'in_progress', 'completed', 'failed'] as const;
  return known.find((each) => each === status) ?? before;
}

/** While the model still writes a call, its arguments are an empty object. */
function hasArguments(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0;
}
