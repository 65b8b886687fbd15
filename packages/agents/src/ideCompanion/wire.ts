import type { EditorContext } from '@tandem/core';
import type { Outcome } from '@tandem/reviews';
import * as z from 'zod';

/**
 * The messages of the IDE companion protocol (gemini-companion.md and qwen-companion.md, sections II and III). Names
 * are exactly as sent. Arguments may have unknown fields; what we send is exact, because the CLI disconnects after a
 * context update that violates its schema.
 */

/** The number of files in an `IdeContext`; the CLI keeps no more. */
export const maxOpenFiles = 10;

/** `OpenDiffRequest`. */
export const openDiffArguments = z.object({
  filePath: z.string().describe('The absolute path to the file to be diffed.'),
  newContent: z.string().describe('The proposed new content for the file.'),
});

/** `CloseDiffRequest`. The CLI adds `suppressNotification`; no notification is ever sent for a close. */
export const closeDiffArguments = z.object({
  filePath: z.string().describe('The absolute path to the file whose diff view should be closed.'),
  suppressNotification: z.boolean().optional(),
});

const file = z.strictObject({
  path: z.string().min(1),
  timestamp: z.number().nonnegative(),
  isActive: z.boolean().optional(),
  cursor: z.strictObject({ line: z.int().min(1), character: z.int().min(1) }).optional(),
  selectedText: z.string().optional(),
});

/** `IdeContext`, as strict as the strictest CLI. */
const ideContext = z.strictObject({
  workspaceState: z.strictObject({ openFiles: z.array(file), isTrusted: z.boolean() }),
});

export type IdeContext = z.infer<typeof ideContext>;

/** Encodes the shared context as an `IdeContext`, with 1-based positions. Throws if the result is not valid. */
export function encodeContext(context: EditorContext): IdeContext {
  return ideContext.parse({
    workspaceState: {
      openFiles: context.openFiles.map(({ path, lastFocusedAt, selection }) => {
        if (path !== context.activePath) return { path, timestamp: lastFocusedAt };
        const cursor = selection && (selection.cursor ?? selection.range.end);
        return {
          path,
          timestamp: lastFocusedAt,
          isActive: true,
          ...(cursor && { cursor: { line: cursor.line + 1, character: cursor.character + 1 } }),
          ...(selection?.text && { selectedText: selection.text }),
        };
      }),
      isTrusted: context.isTrusted,
    },
  });
}

/** The notification of how a diff ended. */
export interface Decision {
  readonly method: 'ide/diffAccepted' | 'ide/diffRejected';
  readonly params: { readonly filePath: string; readonly content?: string };
}

/**
 * The end of a diff, for the CLI that waits for it. No notification for a withdrawn diff, because the agent withdrew it
 * or is gone. A diff that could not be shown after the acknowledgement counts as rejected; otherwise the CLI would wait
 * forever.
 */
export function encodeDecision(filePath: string, outcome: Outcome): Decision | undefined {
  if (outcome.kind === 'accepted') {
    return { method: 'ide/diffAccepted', params: { filePath, content: outcome.content } };
  }
  const isRejected = outcome.kind === 'rejected' || outcome.reason === 'not-shown';
  return isRejected ? { method: 'ide/diffRejected', params: { filePath } } : undefined;
}
