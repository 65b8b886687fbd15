import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Path, Range } from '@tandem/core';

/** A file and, optionally, a range in it. */
export interface FileTarget {
  readonly path: Path;
  readonly range?: Range;
}

/** Beyond any line; editors clip it to the line's length. */
const endOfLine = Number.MAX_SAFE_INTEGER;

/** The range after a file name. Compilers print a colon at the end. */
const rangePattern = /^:(\d+)(?::(\d+))?(?:-(\d+)(?::(\d+))?)?:?$/;

/**
 * Parses `FILE[:LINE[:COL][-LINE[:COL]]]`, counted from 1. Without columns, whole lines: `a.ts:3-5` selects lines 3 to 5,
 * `a.ts:3` places the cursor, `a.ts:3:2-5:7` selects up to, but not including, column 7. A file name may end like a range: the
 * longest name that exists wins. Throws `RangeError`.
 */
export function parseFileTarget(text: string, cwd: string): FileTarget {
  const asName = { path: resolve(cwd, text) };
  if (existsSync(asName.path)) return asName;
  const readings = readingsOf(text);
  const reading = readings.find(({ file }) => existsSync(resolve(cwd, file))) ?? readings.at(-1);
  if (reading === undefined) return asName;
  const [, line, column, lastLine, lastColumn] = reading.range;
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

/** All ways to split the text into a file name and a range, the longest name first. */
function readingsOf(text: string): { readonly file: string; readonly range: RegExpExecArray }[] {
  const readings: { file: string; range: RegExpExecArray }[] = [];
  for (let at = text.lastIndexOf(':'); at > 0; at = text.lastIndexOf(':', at - 1)) {
    const match = rangePattern.exec(text.slice(at));
    if (match !== null) readings.push({ file: text.slice(0, at), range: match });
  }
  return readings;
}

function fromOne(digits: string | undefined, text: string): number {
  const number = Number(digits);
  if (number < 1) throw new RangeError(`In "${text}" lines and columns count from 1.`);
  return Math.min(number - 1, endOfLine);
}
