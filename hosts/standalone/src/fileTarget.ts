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

/** The place behind a file's name. A colon at the end is what compilers leave. */
const place = /^:(\d+)(?::(\d+))?(?:-(\d+)(?::(\d+))?)?:?$/;

/**
 * Reads `FILE[:LINE[:COL][-LINE[:COL]]]`, counted from 1 as people and compilers do. Whole lines are meant where no
 * column is said: `a.ts:3-5` selects lines 3 to 5, `a.ts:3` places the cursor, `a.ts:3:2-5:7` selects up to but
 * not including column 7. Of several readings the one whose file exists is taken, the longest name first, because
 * a name may end like a place. Throws `RangeError`.
 */
export function parseFileTarget(text: string, cwd: string): FileTarget {
  const asName = { path: resolve(cwd, text) };
  if (existsSync(asName.path)) return asName;
  const readings = readingsOf(text);
  const reading = readings.find(({ file }) => existsSync(resolve(cwd, file))) ?? readings.at(-1);
  if (reading === undefined) return asName;
  const [, line, column, lastLine, lastColumn] = reading.place;
  const path = resolve(cwd, reading.file);
  const start = { line: fromOne(line, text), character: column === undefined ? 0 : fromOne(column, text) };
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

/** Every way to part the text into a file's name and a place, the longest name first. */
function readingsOf(text: string): { readonly file: string; readonly place: RegExpExecArray }[] {
  const readings: { file: string; place: RegExpExecArray }[] = [];
  for (let at = text.lastIndexOf(':'); at > 0; at = text.lastIndexOf(':', at - 1)) {
    const match = place.exec(text.slice(at));
    if (match !== null) readings.push({ file: text.slice(0, at), place: match });
  }
  return readings;
}

function fromOne(digits: string | undefined, text: string): number {
  const number = Number(digits);
  if (number < 1) throw new RangeError(`In "${text}" lines and columns count from 1.`);
  return Math.min(number - 1, endOfLine);
}
