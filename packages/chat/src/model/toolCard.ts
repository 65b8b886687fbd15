import type { ChatLocation, ChatToolCard, ChatToolContent } from './chatModel.js';
import type { WireToolCall, WireToolContent } from './wire.js';

type CardFields = Omit<ChatToolCard, 'id' | 'kind'>;

/** The card of a new tool call. */
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
 * The card after another message about its call. Arguments and a useful title come with the permission request, not with
 * the first or the last message. In a compacted history the request follows the end and must not undo it.
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

/** The arguments are an empty object until the model has written the call. */
function hasArguments(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0;
}
