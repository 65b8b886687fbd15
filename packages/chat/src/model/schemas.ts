import * as z from 'zod';
import type { ChatModel } from './chatModel.js';
import type { ChatPatch } from './chatPatch.js';

/**
 * Both come from our own host, which is built together with the panel: only their outline is checked, because a chat can
 * have thousands of messages. Their texts are never used as markup.
 */
export const chatModel = z.custom<ChatModel>(
  (value) => isRecord(value) && Array.isArray(value.items) && isRecord(value.connection),
);
export const chatPatches = z.custom<ChatPatch[]>(
  (value) => Array.isArray(value) && value.every((patch) => isRecord(patch) && typeof patch.op === 'string'),
);

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
