import * as z from 'zod';
import type { RequestPermissionRequest } from './ideTypes.js';

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
 * The pending requests by a session's status, in the form of the event that we missed. The status names neither the tool
 * call nor the tool, and has the questions of the question tool only: it says itself which request is one.
 */
export function missedRequests(status: unknown): RequestPermissionRequest[] {
  const parsed = wireStatus.safeParse(status);
  if (!parsed.success) return [];
  const { sessionId, pendingInteractions } = parsed.data;
  return pendingInteractions.flatMap((each) => {
    const interaction = wireInteraction.safeParse(each);
    return interaction.success ? [toRequest(sessionId, interaction.data)] : [];
  });
}

function toRequest(
  sessionId: string,
  { requestId, kind, title, action = {}, questions = [], options }: z.infer<typeof wireInteraction>,
): RequestPermissionRequest {
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
