import { visibleLines } from '@tandem/core';
import { paint } from './output.js';
import { type Part, wordChanges } from './screen/wordChanges.js';

/** Characters of the heading of a hunk, as in git. */
const headingLength = 80;
/** Words are compared in at most so many lines of a change. */
const comparedLines = 200;

/** The line that a hunk belongs to, as git names it: the last one before `at` that begins with a letter, `_` or `$`. Empty if there is none. */
export function functionBefore(lines: readonly string[], at: number): string {
  const line = lines.slice(0, Math.max(0, at)).findLast((each) => /^[\p{L}_$]/u.test(each)) ?? '';
  return line.slice(0, headingLength).trimEnd();
}

/** Removed lines and the lines that replace them, with their marks. With colours, the words that differ stand out. */
export function paintChange(
  out: readonly string[],
  into: readonly string[],
): { readonly out: string[]; readonly into: string[] } {
  const isPaired = out.length === into.length && out.length <= comparedLines;
  const [old, now] = [out.map(visibleLines), into.map(visibleLines)];
  const pairs = isPaired ? old.map((line, at) => wordChanges(line, now[at] ?? '')) : [];
  return {
    out: old.map((line, at) => paintLine('-', line, pairs[at]?.old)),
    into: now.map((line, at) => paintLine('+', line, pairs[at]?.new)),
  };
}

function paintLine(mark: '-' | '+', line: string, parts: readonly Part[] = []): string {
  const colour = mark === '-' ? 'red' : 'green';
  let painted = paint(colour, mark);
  let at = 0;
  for (const { from, to } of parts) {
    painted += paint(colour, line.slice(at, from)) + paint([colour, 'inverse'], line.slice(from, to));
    at = to;
  }
  return painted + paint(colour, line.slice(at));
}

/** The lines of a unified diff, for a terminal, which would obey control characters. */
export function paintPatch(lines: readonly string[]): string[] {
  const painted: string[] = [];
  let isHead = false;
  const run = (from: number, mark: string): string[] => {
    const end = lines.findIndex((line, at) => at >= from && !line.startsWith(mark));
    return lines.slice(from, end < 0 ? lines.length : end).map((line) => line.slice(1));
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('diff --git ')) isHead = true;
    if (line.startsWith('@@')) isHead = false;
    const isChange = !isHead && /^[-+]/.test(line);
    if (!isChange) {
      painted.push(isHead ? paint('bold', visibleLines(line)) : paintPlain(line));
      continue;
    }
    const out = run(at, '-');
    const into = run(at + out.length, '+');
    const change = paintChange(out, into);
    painted.push(...change.out, ...change.into);
    at += out.length + into.length - 1;
  }
  return painted;
}

function paintPlain(line: string): string {
  const [, span, heading = ''] = /^(@@ .*? @@)(.*)$/s.exec(line) ?? [];
  return span === undefined ? visibleLines(line) : `${paint('cyan', span)}${visibleLines(heading)}`;
}
