/** An absolute path with the file system's own separators. Where two spellings exist, the real path is meant. */
export type Path = string;

/** A place in a text: 0-based line and 0-based UTF-16 code unit within it. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** A stretch of text, `start` before or equal to `end`; `end` is exclusive. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** Whether nothing lies between the two ends. */
export function isEmptyRange(range: Range): boolean {
  return range.start.line === range.end.line && range.start.character === range.end.character;
}
