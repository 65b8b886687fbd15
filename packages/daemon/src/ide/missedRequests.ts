import * as z from 'zod';
import type { RequestPermissionRequest } from './ideTypes.js';

const wireStatus = z.object({
  sessionId: z.string(),
  pendingInteractions: z.array(
    z.looseObject({
      requestId: z.string(),
      kind: z.string(),
      title: z.string().optional(),
      action: z.record(z.string(), z.unknown()).optional(),
      questions: z.array(z.unknown()).optional(),
      options: z.array(
        z.object({ optionId: z.string(), label: z.string().optional(), kind: z.string().optional() }),
      ),
    }),
  ),
});

/**
 * What waits for an answer by a session's status, in the form of the event that we missed. The status lacks the id of
 * the tool call; the request's own takes its place.
 */
export function missedRequests(status: unknown): RequestPermissionRequest[] {
  const parsed = wireStatus.safeParse(status);
  if (!parsed.success) return [];
  const { sessionId, pendingInteractions } = parsed.data;
  return pendingInteractions.map(({ requestId, title, action = {}, questions, options }) => {
    const { type, title: ownTitle, content, locations, input } = action;
    return {
      requestId,
      sessionId,
      toolCall: {
        toolCallId: requestId,
        title: typeof ownTitle === 'string' ? ownTitle : (title ?? ''),
        kind: typeof type === 'string' ? type : 'think',
        content: Array.isArray(content) ? content : [],
        locations: Array.isArray(locations) ? locations : [],
        rawInput: questions === undefined ? input : { questions },
      },
      options: options.map(({ optionId, label, kind }) => ({
        optionId,
        ...(label !== undefined && { name: label }),
        ...(kind !== undefined && { kind }),
      })),
    };
  });
}
