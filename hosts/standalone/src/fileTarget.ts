import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Path, Range } from '@tandem/core';

/** A file and, if said, a place in it. */
export interface FileTarget {
  readonly path: Path;
  readonly range?: Range;
}

/** Beyond the end of any line: editors cut it down to the line's length. */
const endOfLine = Number.MAX_SAFE_INTEGER;

/**
 * Reads `FILE[:LINE[:COL][-LINE[:COL]]]`, counted from 1 as people and compilers do. Whole lines are meant where no
 * column is said: `a.ts:3-5` selects lines 3 to 5, `a.ts:3` places the cursor, `a.ts:3:2-5:7` selects up to but
 * not including column 7. A file whose name looks like that and exists is taken as a name. Throws `RangeError`.
 */
export function parseFileTarget(text: string, cwd: string): FileTarget {
  const match = /^(.+?):(\d+)(?::(\d+))?(?:-(\d+)(?::(\d+))?)?$/s.exec(text);
  if (match?.[1] === undefined || match[2] === undefined || existsSync(resolve(cwd, text))) {
    return { path: resolve(cwd, text) };
  }
  const [, file, line, column, lastLine, lastColumn] = match;
  const start = { line: fromOne(line, text), character: column === undefined ? 0 : fromOne(column, text) };
  const path = resolve(cwd, file);
  if (lastLine === undefined) return { path, range: { start, end: start } };
  const end = {
    line: fromOne(lastLine, text),
    character: lastColumn === undefined ? endOfLine : fromOne(lastColumn, text),
  };
  if (end.line < start.line || (end.line === start.line && end.character < start.character)) {
    throw new RangeError(`In "${text}" the selection ends before it starts.`);
  }
  return { path, range: { start, end } };
}

function fromOne(digits: string, text: string): number {
  const number = Number(digits);
  if (number < 1) throw new RangeError(`In "${text}" lines and columns count from 1.`);
  return number - 1;
}
