import type { EditorContext, Path, Range } from '@tandem/core';

/** The notifications of Claude Code's IDE interface that opencode and Kilo CLI also understand. */

/** How a client writes locations. */
export interface Notation {
  /** The number of the first line. */
  readonly firstLine: 0 | 1;
  path(path: Path): string;
}

/** `CodeRange`. */
interface CodeRange {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** `selection_changed`. */
export interface SelectionChanged extends Record<string, unknown> {
  text: string;
  filePath: string;
  selection: CodeRange;
}

const nowhere = { line: 0, character: 0 };

/**
 * The parameters of `selection_changed`. Without an active file, empty strings clear the CLI's selection; with the
 * document's nulls, Claude Code 2.1, opencode 1.18 and Kilo CLI 7.7 would drop the message and keep a stale selection.
 */
export function encodeSelection(context: EditorContext, notation: Notation): SelectionChanged {
  const active = context.openFiles.find((file) => file.path === context.activePath);
  if (active === undefined) return { text: '', filePath: '', selection: { start: nowhere, end: nowhere } };
  return {
    text: active.selection?.text ?? '',
    filePath: notation.path(active.path),
    selection: encodeRange(active.selection?.range, notation.firstLine),
  };
}

export function encodeRange(range: Range | undefined, firstLine = 0): CodeRange {
  const { start, end } = range ?? { start: nowhere, end: nowhere };
  return {
    start: { line: start.line + firstLine, character: start.character },
    end: { line: end.line + firstLine, character: end.character },
  };
}

/** Inclusive lines, the first of which is 0. */
export interface MentionedLines {
  readonly first: number;
  readonly last: number;
}

/** The parameters of `at_mentioned`. Claude Code 2.1 drops a message with a null line, so absent lines are omitted. */
export function encodeMention(
  path: Path,
  lines: MentionedLines | undefined,
  { firstLine, path: wirePath }: Notation,
): Record<string, unknown> {
  const filePath = wirePath(path);
  if (lines === undefined) return { filePath };
  return { filePath, lineStart: lines.first + firstLine, lineEnd: lines.last + firstLine };
}
