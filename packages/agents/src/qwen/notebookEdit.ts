import type { Path } from '@tandem/core';
import type { FileEdit } from '../hooks/fileEdit.js';
import {
  cellEdit,
  cellFileEdit,
  hasCellIds,
  type Notebook,
  type NotebookCell,
  type NotebookTool,
} from '../hooks/notebook.js';

/** The edit of a call of `notebook_edit` of Qwen Code 0.24; undefined if it is none of it. See PROTOCOL.md. */
export function notebookEdit(input: unknown, pathOf: (path: string) => Path): FileEdit | undefined {
  const edit = cellEdit(input);
  return edit && cellFileEdit(pathOf(edit.notebook_path.trim()), edit, tool);
}

const tool: NotebookTool = {
  indent: (text) => /\n([ \t]+)"/.exec(text)?.[1],

  find(whole, name) {
    const names = namesOf(whole);
    const place = names.indexOf(name);
    return place === names.lastIndexOf(name) ? place : -1;
  },

  insert(whole, place, { new_source, cell_type = 'code' }) {
    const { cells } = whole;
    const beside = cells[place - 1] ?? cells[place];
    const source = sourceOf(new_source, beside === undefined || Array.isArray(beside.source));
    const cell = { cell_type, metadata: {}, source, ...(hasCellIds(whole) && { id: freeId(whole) }) };
    setType(cell, cell_type);
    return cell;
  },

  replace(cell, { new_source, cell_type = cell.cell_type }) {
    cell.source = sourceOf(new_source, Array.isArray(cell.source));
    setType(cell, cell_type);
    return true;
  },
};

function setType(cell: NotebookCell, type: unknown): void {
  cell.cell_type = type;
  cell.metadata ??= {};
  if (type === 'code') {
    cell.execution_count = null;
    cell.outputs = [];
  } else {
    delete cell.execution_count;
    delete cell.outputs;
  }
}

function sourceOf(text: string, asLines: boolean): string | string[] {
  return asLines ? (text.match(/[^\n]*\n|[^\n]+$/g) ?? []) : text;
}

/** The id that the tool gives to a new cell. */
function freeId(whole: Notebook): string {
  const names = namesOf(whole);
  let number = 1;
  while (names.includes(`qwen-cell-${number}`)) number += 1;
  return `qwen-cell-${number}`;
}

/** The names by which the model knows the cells. */
function namesOf({ cells }: Notebook): readonly string[] {
  return cells.map(({ id }, at) => (typeof id === 'string' && id !== '' ? id : `cell-${at}`));
}
