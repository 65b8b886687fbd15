import type { Path } from '@tandem/core';
import type { DecidedFile } from './agentHooks.js';
import { applyChunks } from './applyChunks.js';
import type { FileEdit } from './fileEdit.js';
import { formatPatch, type PatchOperation, parsePatch, writing } from './patch.js';

/** What a call of `apply_patch` would do to each file. */
interface PatchEdits {
  readonly edits: readonly FileEdit[];
  /** Why it cannot be shown for review, for the model. There are no edits then. */
  readonly refusal?: string;
}

const unreadable =
  'The user reviews each change before it is written, and Tandem cannot read this patch. Write it exactly in the format of apply_patch, with one operation for each file.';
const unseen =
  'The user reviews each change before it is written, and Tandem cannot show that a file is deleted or moved. Send a patch without that. If it is needed, ask the user to delete or move the file.';

/** What a patch would do to each file. `pathOf`: the absolute path for a path of the patch. */
export function patchEdits(patch: string, pathOf: (path: string) => Path): PatchEdits {
  const operations = parsePatch(patch);
  if (operations === undefined) return { edits: [], refusal: unreadable };
  const edits = operations.flatMap((operation): readonly FileEdit[] => {
    const path = pathOf(operation.path);
    if (operation.kind === 'add') return [{ path, apply: () => operation.content }];
    if (operation.kind === 'delete' || operation.moveTo !== undefined) return [];
    return [
      { path, apply: (file) => (file === undefined ? undefined : applyChunks(file, operation.chunks)) },
    ];
  });
  if (edits.length < operations.length) return { edits: [], refusal: unseen };
  const isEachOnce = new Set(edits.map(({ path }) => path)).size === edits.length;
  return isEachOnce ? { edits } : { edits: [], refusal: unreadable };
}

/** The patch that writes exactly these texts, one for each operation of `patch`; undefined if the format has none. */
export function rewrittenPatch(patch: string, files: readonly DecidedFile[]): string | undefined {
  const operations = parsePatch(patch)?.map(({ path }, at): PatchOperation | undefined => {
    const file = files[at];
    return file && writing(path, file.presentExactly, file.acceptedExactly);
  });
  return operations?.every((operation) => operation !== undefined) ? formatPatch(operations) : undefined;
}
