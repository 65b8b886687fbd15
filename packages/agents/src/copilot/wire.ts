import { pathToFileURL } from 'node:url';
import { type EditorContext, isEmptyRange, type Path, type Range } from '@tandem/core';
import * as z from 'zod';

/** The messages of Copilot CLI 1.0, as measured: see PROTOCOL.md. Names are exactly as sent; lines are 0-based. */

export const openDiffArguments = z.object({
  original_file_path: z.string().min(1).describe('The absolute path of the file.'),
  new_file_contents: z.string().describe('The whole proposed text.'),
  tab_name: z.string().describe('The name of the diff, which closes it.'),
});

export const closeDiffArguments = z.object({ tab_name: z.string().describe('The name given to open_diff.') });

export const sessionNameArguments = z.object({ name: z.string() });

export const diagnosticsArguments = z.object({
  uri: z.string().optional().describe('A file:// URI. Without it, all files.'),
});

export const noArguments = z.object({});

/** The headers by which the connections of one process are recognised. */
export const clientHeaders = z.object({
  'x-copilot-session-id': z.string().regex(/^[\w-]{1,64}$/),
  'x-copilot-pid': z.string().regex(/^\d{1,10}$/),
});

/** `selection_changed`. Every field is required, or the CLI drops the message. */
export interface SelectionChanged extends Record<string, unknown> {
  readonly text: string;
  readonly filePath: string;
  readonly fileUrl: string;
  readonly selection: Range & { readonly isEmpty: boolean };
}

const nowhere: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** The active file with its selection. Without one, empty texts clear the selection of the CLI. */
export function encodeSelection({ openFiles, activePath }: EditorContext): SelectionChanged {
  const active = openFiles.find(({ path }) => path === activePath);
  const { start, end } = active?.selection?.range ?? nowhere;
  return {
    text: active?.selection?.text ?? '',
    filePath: active?.path ?? '',
    fileUrl: active === undefined ? '' : fileUrlOf(active.path),
    selection: { start, end, isEmpty: isEmptyRange({ start, end }) },
  };
}

/** `add_file_reference`. */
export function encodeMention(path: Path, lines?: { readonly first: number; readonly last: number }) {
  return {
    filePath: path,
    fileUrl: fileUrlOf(path),
    selection: lines
      ? { start: { line: lines.first, character: 0 }, end: { line: lines.last, character: 0 } }
      : null,
    selectedText: null,
  };
}

/** The answer to `open_diff` for a decision; another form is ignored. The CLI writes its own text, whatever it says. */
export function encodeDecision(kind: 'accepted' | 'rejected', tabName: string) {
  return {
    success: true,
    result: kind === 'accepted' ? 'SAVED' : 'REJECTED',
    trigger: `${kind}_via_button`,
    tab_name: tabName,
    message: `The user ${kind} the change.`,
  };
}

export function fileUrlOf(path: Path): string {
  return pathToFileURL(path).href;
}
