import { createHash } from 'node:crypto';
import type { Path } from '@tandem/core';
import type { DecidedFile } from '../hooks/agentHooks.js';
import type { FileEdit } from '../hooks/fileEdit.js';
import {
  type CellEdit,
  cellEdit,
  cellFileEdit,
  hasCellIds,
  type NotebookTool,
  sourceIn,
} from '../hooks/notebook.js';

/**
 * The edit of a call of `NotebookEdit` of Claude Code 2.1; undefined if it is none of it. `pathOf`: undefined if it is no absolute path.
 * See PROTOCOL.md.
 */
export function notebookEdit(
  input: unknown,
  pathOf: (path: string) => Path | undefined,
): FileEdit | undefined {
  const edit = cellEdit(input);
  const path = edit && pathOf(edit.notebook_path);
  if (edit === undefined || path === undefined) return undefined;
  const id = placeholder(edit);
  const isNew = edit.edit_mode === 'insert';
  return { ...cellFileEdit(path, edit, toolWith(id)), ...(isNew && { agentChooses: id }) };
}

/** The tool's arguments with which it writes exactly this text; undefined if there are none: it only writes the source of one cell. */
export function rewrittenNotebookEdit(input: unknown, file: DecidedFile): object | undefined {
  const { path, present, accepted } = file;
  const edit = cellEdit(input);
  if (edit === undefined || present === undefined) return undefined;
  const tool = toolWith(placeholder(edit));
  const rewritten = { ...edit, new_source: sourceIn(accepted, present, edit, tool) ?? '' };
  return cellFileEdit(path, rewritten, tool).apply(present) === accepted ? rewritten : undefined;
}

/** The tool. `id`: of a new cell. */
function toolWith(id: string): NotebookTool {
  return {
    indent: () => 1,

    find({ cells }, name) {
      const named = cells.findIndex((cell) => cell.id === name);
      const place = named < 0 ? Number(/^cell-(\d+)$/.exec(name)?.[1] ?? -1) : named;
      return cells[place] === undefined ? -1 : place;
    },

    insert(whole, _place, { cell_type, new_source: source }) {
      if (cell_type === undefined || whole.cells.some((cell) => cell.id === id)) return undefined;
      const cell = { cell_type, ...(hasCellIds(whole) && { id }), source, metadata: {} };
      return cell_type === 'code' ? { ...cell, execution_count: null, outputs: [] } : cell;
    },

    replace(cell, { cell_type: type, new_source: source }) {
      const hasAttachments = Object.keys(cell.attachments ?? {}).length > 0;
      if (type === 'code' && cell.cell_type !== 'code' && hasAttachments) return false;
      cell.source = source;
      if (type !== undefined) cell.cell_type = type;
      if (cell.cell_type === 'code') {
        cell.execution_count = null;
        cell.outputs = [];
        if (!hasAttachments) delete cell.attachments;
      } else if (cell.cell_type === 'markdown' || cell.cell_type === 'raw') {
        delete cell.execution_count;
        delete cell.outputs;
      }
      return true;
    },
  };
}

/** Stands for the id that the tool chooses for a new cell: of the same form, and the same for the same call. */
function placeholder(edit: CellEdit): string {
  return createHash('sha256').update(JSON.stringify(edit)).digest('hex').slice(0, 8);
}
