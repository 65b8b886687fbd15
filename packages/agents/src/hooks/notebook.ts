import type { Path } from '@tandem/core';
import * as z from 'zod';
import { type FileEdit, plainText } from './fileEdit.js';

/** A Jupyter notebook. What we do not know of it stays. */
const notebook = z.looseObject({
  cells: z.array(z.looseObject({ source: z.union([z.string(), z.array(z.string())]) })),
});

export type Notebook = z.infer<typeof notebook>;
export type NotebookCell = Notebook['cells'][number];

/** A call of a tool that changes one cell: the agents share its arguments. */
const call = z.object({
  notebook_path: z.string(),
  cell_id: z.string().optional(),
  new_source: z.string().default(''),
  cell_type: z.enum(['code', 'markdown']).optional(),
  edit_mode: z.enum(['replace', 'insert', 'delete']).default('replace'),
});

export type CellEdit = z.infer<typeof call>;

/** In what the tools of the agents differ. */
export interface NotebookTool {
  /** How it indents a notebook that it reads as this text. */
  indent(text: string): string | number | undefined;
  /** Where the cell with this name is; -1 if that is not certain. */
  find(whole: Notebook, name: string): number;
  /** The cell that it inserts at this place; undefined if it refuses to. */
  insert(whole: Notebook, place: number, edit: CellEdit): NotebookCell | undefined;
  /** Replaces the cell in place. False if it refuses to. */
  replace(cell: NotebookCell, edit: CellEdit): boolean;
}

/** The arguments of a call; undefined if they are none. */
export function cellEdit(input: unknown): CellEdit | undefined {
  return call.safeParse(input).data;
}

/** What a call leaves of its file. */
export function cellFileEdit(path: Path, edit: CellEdit, tool: NotebookTool): FileEdit {
  return { path, apply: (before) => (before === undefined ? undefined : changed(before, edit, tool)) };
}

/** The source of the cell that the call is about, in a notebook as the call leaves it; undefined if that is not certain. */
export function sourceIn(
  after: string,
  before: string,
  edit: CellEdit,
  tool: NotebookTool,
): string | undefined {
  const whole = parse(before);
  const source = whole && parse(after)?.cells[placeOf(whole, edit, tool)]?.source;
  return source && [source].flat().join('');
}

/** Whether each cell of the notebook has an id. */
export function hasCellIds({ nbformat, nbformat_minor: minor }: Notebook): boolean {
  return Number(nbformat) > 4 || (nbformat === 4 && Number(minor) >= 5);
}

/** The whole text after a call; undefined if the tool would refuse it. Byte order mark and last line end stay. */
function changed(before: string, edit: CellEdit, tool: NotebookTool): string | undefined {
  const { bom, text } = plainText(before);
  const whole = parse(before);
  const place = whole ? placeOf(whole, edit, tool) : -1;
  if (whole === undefined || place < 0) return undefined;
  const { cells } = whole;
  const cell = edit.edit_mode === 'insert' ? tool.insert(whole, place, edit) : cells[place];
  if (cell === undefined) return undefined;
  if (edit.edit_mode === 'insert') cells.splice(place, 0, cell);
  else if (edit.edit_mode === 'delete') cells.splice(place, 1);
  else if (!tool.replace(cell, edit)) return undefined;
  return bom + JSON.stringify(whole, undefined, tool.indent(text)) + (text.endsWith('\n') ? '\n' : '');
}

/** Where the cell is, or is to be; -1 if there is no such cell. */
function placeOf(whole: Notebook, { cell_id: name, edit_mode: mode }: CellEdit, tool: NotebookTool): number {
  if (mode !== 'insert') return name ? tool.find(whole, name) : -1;
  const before = name ? tool.find(whole, name) : -1;
  return name && before < 0 ? -1 : before + 1;
}

/** Undefined if the text is not that of a notebook. */
function parse(text: string): Notebook | undefined {
  try {
    const whole: unknown = JSON.parse(plainText(text).text);
    // What the schema returns has its keys in another order.
    return isNotebook(whole) ? whole : undefined;
  } catch {
    return undefined;
  }
}

function isNotebook(value: unknown): value is Notebook {
  return notebook.safeParse(value).success;
}
