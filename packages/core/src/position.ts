/** An absolute path with the file system's own separators. If several spellings exist, the real path. */
export type Path = string;

/** A position in a text: 0-based line and 0-based UTF-16 code unit within it. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** A range of text. `start` is before or equal to `end`; `end` is exclusive. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** Whether the range contains no text. */
export function isEmptyRange(range: Range): boolean {
  return range.start.line === range.end.line && range.start.character === range.end.character;
}
