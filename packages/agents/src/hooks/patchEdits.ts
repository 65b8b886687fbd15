import type { Path } from '@tandem/core';
import type { DecidedFile } from './agentHooks.js';
import { applyChunks, type PatchChunk } from './applyChunks.js';
import { deletion, type FileEdit } from './fileEdit.js';
import { formatPatch, type PatchOperation, parsePatch, writing } from './patch.js';

/** What a call of `apply_patch` would do to each file. */
export interface PatchEdits {
  readonly edits: readonly FileEdit[];
  /** Why it cannot be shown for review, for the model. There are no edits then. */
  readonly refusal?: string;
}

const unreadable =
  'The user reviews each change before it is written, and Tandem cannot read this patch. Write it exactly in the format of apply_patch, with one operation for each file.';

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
export const codexTool: PatchTool = {
  add: (_before, content) => content,
  update: applyChunks,
  writing,
};

/** What a patch would do to each file. `pathOf`: the absolute path for a path of the patch. */
export function patchEdits(patch: string, pathOf: (path: string) => Path, tool: PatchTool): PatchEdits {
  const operations = parsePatch(patch);
  if (operations === undefined) return { edits: [], refusal: unreadable };
  const edits = operations.flatMap((operation): readonly FileEdit[] => {
    const path = pathOf(operation.path);
    if (operation.kind === 'add') return [{ path, apply: (file) => tool.add(file, operation.content) }];
    if (operation.kind === 'delete') return [deletion(path)];
    const { chunks, moveTo } = operation;
    const apply = (file: string | undefined): string | undefined =>
      file === undefined ? undefined : tool.update(file, chunks);
    return moveTo === undefined
      ? [{ path, apply }]
      : [deletion(path), { path: pathOf(moveTo), from: path, apply }];
  });
  const isEachOnce = new Set(edits.map(({ path }) => path)).size === edits.length;
  return isEachOnce ? { edits } : { edits: [], refusal: unreadable };
}

/** The patch that leaves exactly these files, those of `patchEdits` in their order; undefined if the format has none. */
export function rewrittenPatch(
  patch: string,
  files: readonly DecidedFile[],
  tool: PatchTool,
): string | undefined {
  const left = [...files];
  const operations = parsePatch(patch)?.flatMap((operation): readonly (PatchOperation | undefined)[] => {
    const file = left.shift();
    if (operation.kind !== 'update' || operation.moveTo === undefined)
      return leaving(operation.path, file, tool);
    const target = left.shift();
    return moving({ from: operation.path, to: operation.moveTo }, [file, target], tool);
  });
  return operations?.every((operation) => operation !== undefined) ? formatPatch(operations) : undefined;
}

/** The operations that leave a file as the user decided. */
function leaving(
  path: string,
  file: DecidedFile | undefined,
  tool: PatchTool,
): readonly (PatchOperation | undefined)[] {
  if (file === undefined) return [undefined];
  const { isRemoved, presentExactly: present, acceptedExactly: accepted } = file;
  if (isRemoved) return present === undefined ? [] : [{ kind: 'delete', path }];
  return present === accepted ? [] : [tool.writing(path, present, accepted)];
}

/** One operation that moves the file, so that the agent shows it as that; otherwise one for each name. */
function moving(
  { from, to }: { readonly from: string; readonly to: string },
  [file, target]: readonly [DecidedFile | undefined, DecidedFile | undefined],
  tool: PatchTool,
): readonly (PatchOperation | undefined)[] {
  const present = file?.presentExactly;
  const isMove = file?.isRemoved && present !== undefined && target?.presentExactly === undefined;
  const updated = isMove && target ? tool.writing(from, present, target.acceptedExactly) : undefined;
  if (updated?.kind === 'update') return [{ ...updated, moveTo: to }];
  return [...leaving(to, target, tool), ...leaving(from, file, tool)];
}
