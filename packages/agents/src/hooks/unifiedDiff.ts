import { normalPath, type Path } from '@tandem/core';
import { deletion, type FileEdit } from './fileEdit.js';

/**
 * A change as an agent describes it to its user: the hunks of `diff -u`, whose lines end with LF. Applies it only if it fits exactly. A
 * file that is moved is deleted and created.
 */
export function unifiedDiff(path: Path, diff: string): readonly FileEdit[] {
  const lines = diff.split('\n');
  const apply = (before: string | undefined): string | undefined => applyHunks(lines, before);
  if (lines.includes('+++ b/dev/null')) return [{ path, isDeletion: true, apply }];
  const source = lines.find((line) => line.startsWith('--- a/'))?.slice('--- a'.length) ?? path;
  const from = normalPath(source);
  return source === '/dev/null' || from === path
    ? [{ path, apply }]
    : [deletion(from), { path, from, apply }];
}

function applyHunks(diff: readonly string[], before: string | undefined): string | undefined {
  const present = before === undefined ? [] : before.replaceAll('\r\n', '\n').split('\n');
  const result: string[] = [];
  let next = 0;
  let at = diff.findIndex((line) => line.startsWith('@@ '));
  if (at < 0) return undefined;
  while (diff[at]?.startsWith('@@ ')) {
    const counts = /^@@ -(\d+),(\d+) \+\d+,(\d+) @@/.exec(diff[at] ?? '');
    if (counts === null) return undefined;
    let [start = 0, old = 0, added = 0] = counts.slice(1).map(Number);
    if (start - 1 < next || start - 1 > present.length) return undefined;
    for (const line of present.slice(next, start - 1)) result.push(line);
    next = start - 1;
    for (at += 1; old > 0 || added > 0; at += 1) {
      const [kind, text] = [diff[at]?.[0] ?? '', diff[at]?.slice(1) ?? ''];
      if (!' +-'.includes(kind) || kind === '') return undefined;
      if (kind !== '+' && present[next] !== text) return undefined;
      if (kind !== '-') result.push(text);
      if (kind !== '+') {
        next += 1;
        old -= 1;
      }
      if (kind !== '-') added -= 1;
    }
  }
  return diff.slice(at).every((line) => line === '')
    ? [...result, ...present.slice(next)].join('\n')
    : undefined;
}
