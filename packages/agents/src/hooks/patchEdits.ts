import type { Path } from '@tandem/core';
import type { DecidedFile } from './agentHooks.js';
import { applyChunks, type PatchChunk } from './applyChunks.js';
import type { FileEdit } from './fileEdit.js';
import { formatPatch, type PatchOperation, parsePatch, writing } from './patch.js';

/** What a call of `apply_patch` would do to each file. */
export interface PatchEdits {
  readonly edits: readonly FileEdit[];
  /** Why it cannot be shown for review, for the model. There are no edits then. */
  readonly refusal?: string;
}

const unreadable =
  'The user reviews each change before it is written, and Tandem cannot read this patch. Write it exactly in the format of apply_patch, with one operation for each file.';
const unseen =
  'The user reviews each change before it is written, and Tandem cannot show that a file is deleted or moved. Send a patch without that. If it is needed, ask the user to delete or move the file.';

/** How the tool of an agent carries out a patch. */
export interface PatchTool {
  /** The text of a file after it is added; undefined if the tool refuses. */
  add(before: string | undefined, content: string): string | undefined;
  /** Likewise after an update. */
  update(before: string, chunks: readonly PatchChunk[]): string | undefined;
  /** The operation that writes exactly this text; undefined if none does. `present`: the text of the file, undefined if there is none. */
  writing(path: string, present: string | undefined, text: string): PatchOperation | undefined;
}

/** The tool of Codex CLI. */
export const codexTool: PatchTool = { add: (_before, content) => content, update: applyChunks, writing };

/** What a patch would do to each file. `pathOf`: the absolute path for a path of the patch. */
export function patchEdits(patch: string, pathOf: (path: string) => Path, tool: PatchTool): PatchEdits {
  const operations = parsePatch(patch);
  if (operations === undefined) return { edits: [], refusal: unreadable };
  const edits = operations.flatMap((operation): readonly FileEdit[] => {
    const path = pathOf(operation.path);
    if (operation.kind === 'add') return [{ path, apply: (file) => tool.add(file, operation.content) }];
    if (operation.kind === 'delete' || operation.moveTo !== undefined) return [];
    return [
      { path, apply: (file) => (file === undefined ? undefined : tool.update(file, operation.chunks)) },
    ];
  });
  if (edits.length < operations.length) return { edits: [], refusal: unseen };
  const isEachOnce = new Set(edits.map(({ path }) => path)).size === edits.length;
  return isEachOnce ? { edits } : { edits: [], refusal: unreadable };
}

/** The patch that writes exactly these texts, one for each operation of `patch`; undefined if the format has none. */
export function rewrittenPatch(
  patch: string,
  files: readonly DecidedFile[],
  tool: PatchTool,
): string | undefined {
  const operations = parsePatch(patch)?.map(({ path }, at): PatchOperation | undefined => {
    const file = files[at];
    return file && tool.writing(path, file.presentExactly, file.acceptedExactly);
  });
  return operations?.every((operation) => operation !== undefined) ? formatPatch(operations) : undefined;
}
