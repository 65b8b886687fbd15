import * as z from 'zod';

/**
 * The part of what `qwen serve` 0.24.4 sends that the chat reads. Unknown fields are dropped. A field of an unexpected type
 * becomes absent instead of making the event unreadable.
 */

const text = z.string().optional().catch(undefined);
const number = z.number().optional().catch(undefined);

/** The envelope of every event. Events about the stream itself have no id. */
export const wireEvent = z.object({
  id: number,
  type: z.string(),
  data: z.unknown().optional(),
  promptId: text,
  originatorClientId: text,
  _meta: z.object({ serverTimestamp: number }).optional().catch(undefined),
});

export type WireEvent = z.infer<typeof wireEvent>;

/** An ACP content block of a message, a thought or a tool result. */
const contentBlock = z.object({
  type: z.string(),
  text,
  data: text,
  mimeType: text,
  uri: text,
  name: text,
  resource: z.object({ uri: text, text }).optional().catch(undefined),
});

export type WireContentBlock = z.infer<typeof contentBlock>;

const toolContent = z.object({
  type: z.string(),
  content: contentBlock.optional().catch(undefined),
  path: text,
  oldText: z.string().nullish().catch(undefined),
  newText: text,
});

export type WireToolContent = z.infer<typeof toolContent>;

const location = z.object({ path: z.string(), line: z.number().nullish().catch(undefined) });

const toolMeta = z
  .object({ toolName: text, parentToolCallId: text, qwenInteractionKind: text })
  .optional()
  .catch(undefined);

/** `tool_call`, `tool_call_update` and the `toolCall` of a permission request. Only the id is certain. */
export const wireToolCall = z.object({
  toolCallId: z.string(),
  title: z.string().nullish().catch(undefined),
  kind: z.string().nullish().catch(undefined),
  status: z.string().nullish().catch(undefined),
  content: z.array(toolContent).nullish().catch(undefined),
  locations: z.array(location).nullish().catch(undefined),
  rawInput: z.unknown().optional(),
  _meta: toolMeta,
});

export type WireToolCall = z.infer<typeof wireToolCall>;

/** A chunk of a user message, an answer or a thought. */
export const wireChunk = z.object({
  content: contentBlock,
  _meta: z
    .object({
      parentToolCallId: text,
      // The prompt's id in a history from disk, whose events belong to no turn.
      promptId: text,
      usage: z.object({ inputTokens: number, outputTokens: number }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

export const wirePlan = z.object({
  entries: z.array(
    z.object({
      content: z.string(),
      status: z.enum(['pending', 'in_progress', 'completed']).catch('pending'),
      priority: text,
    }),
  ),
});

const command = z.object({
  name: z.string(),
  description: z.string().nullish().catch(undefined),
  input: z.object({ hint: text }).nullish().catch(undefined),
});

export const wireCommands = z.object({ availableCommands: z.array(command) });

export const wireUsage = z.object({ size: number, used: number });

export const wireMode = z.object({ currentModeId: z.string() });

/** The `data` of `session_update`. */
export const wireUpdate = z.object({
  update: z.looseObject({ sessionUpdate: z.string() }),
});

const wireOption = z.object({ optionId: z.string(), name: text, kind: text });

export type WireOption = z.infer<typeof wireOption>;

/** `toolCall` stays complete: `judgeRequest` must see every field. */
export const wirePermissionRequest = z.object({
  requestId: z.string(),
  toolCall: z.looseObject({ toolCallId: z.string(), rawInput: z.unknown().optional() }),
  options: z.array(wireOption),
});

export const wirePermissionResolved = z.object({
  requestId: z.string(),
  outcome: z.object({ outcome: z.string(), optionId: text }).optional().catch(undefined),
  voterClientId: text,
});

export const wireTurnEnd = z.object({ promptId: text, stopReason: text, message: text, code: text });

export const wireQueuedPrompt = z.object({ promptId: z.string(), text: z.string().catch('') });

export const wireModelSwitched = z.object({ modelId: z.string() });

export const wireApprovalMode = z.object({ next: z.string() });

export const wireRewound = z.object({ targetTurnIndex: z.int().min(0) });

export const wireTitle = z.object({ displayName: text });

export const wireSuggestion = z.object({ suggestion: z.string() });

export const wireSnapshot = z.object({
  currentModelId: z.string().nullish().catch(undefined),
  currentApprovalMode: z.string().nullish().catch(undefined),
});

export const wireSessionEnd = z.object({ sessionId: text, reason: text, closedBy: text });

/** `workspaceProviders()`. The daemon replaces images by a note for a model without `image`. */
export const wireProviders = z.object({
  providers: z.array(
    z.object({
      models: z.array(
        z.object({
          modelId: z.string(),
          modalities: z.object({ image: z.boolean().optional() }).optional().catch(undefined),
        }),
      ),
    }),
  ),
});

/** The state of `context()`. */
export const wireSessionState = z.object({
  models: z
    .object({
      currentModelId: text,
      availableModels: z.array(
        z.object({ modelId: z.string(), name: text, description: z.string().nullish().catch(undefined) }),
      ),
    })
    .optional()
    .catch(undefined),
  modes: z
    .object({
      currentModeId: text,
      availableModes: z.array(
        z.object({ id: z.string(), name: text, description: z.string().nullish().catch(undefined) }),
      ),
    })
    .optional()
    .catch(undefined),
});
