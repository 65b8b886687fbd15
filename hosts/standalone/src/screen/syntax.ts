import { LanguageDescription } from '@codemirror/language';
import { highlightTree } from '@lezer/highlight';
import { codeHighlighter } from '@tandem/chat-panel/code';
import { languages } from '@tandem/chat-panel/languages';
import type { Ink } from './cells.js';
import type { Diff } from './diffModel.js';
import type { InkOf } from './diffPane.js';

/** In a larger text, and in one with a longer line, parsing takes too long. */
const longestText = 2 * 1024 * 1024;
const longestLine = 20_000;
/** How long parsing takes at once, in milliseconds: a key waits no longer. */
const workMs = 8;

const inks: Readonly<Record<string, Ink>> = {
  'code-keyword': 'keyword',
  'code-string': 'string',
  'code-number': 'number',
  'code-comment': 'comment',
  'code-name': 'name',
  'code-type': 'type',
  'code-tag': 'tag',
};

type Lines = Diff['old'];
type Inked = ReturnType<InkOf>;

/** The syntax colours of a diff, by the name of its file. `undefined` if there are none. `signal`: they are no longer wanted. */
export async function syntaxOf(path: string, diff: Diff, signal: AbortSignal): Promise<InkOf | undefined> {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const description = LanguageDescription.matchFilename(languages, name);
  if (description === null || diff.longest > longestLine) return undefined;
  const { parser } = (await description.load()).language;
  const read = async (lines: Lines): Promise<((line: number) => Inked) | undefined> => {
    const text = lines.map((line) => line.text).join('\n');
    if (text.length > longestText) return undefined;
    const parse = parser.startParse(text);
    let pausedAt = performance.now();
    for (let tree = parse.advance(); ; tree = parse.advance()) {
      if (tree !== null) return coloursIn(lines, tree);
      if (performance.now() - pausedAt < workMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return undefined;
      pausedAt = performance.now();
    }
  };
  const old = await read(diff.old);
  const current = await read(diff.new);
  return (side, line) => (side === 'old' ? old : current)?.(line) ?? [];
}

/** So many lines are coloured at once: what is before them in the tree is passed over each time. */
const linesAtOnce = 256;

/** Colours lines when they are first shown. */
function coloursIn(lines: Lines, tree: Parameters<typeof highlightTree>[0]): (line: number) => Inked {
  const starts = new Float64Array(lines.length + 1);
  for (const [at, { text }] of lines.entries()) starts[at + 1] = (starts[at] ?? 0) + text.length + 1;
  const startOf = (line: number): number => starts[line] ?? 0;
  const known = new Map<number, { from: number; to: number; ink: Ink }[]>();
  const colour = (first: number): void => {
    const last = Math.min(first + linesAtOnce, lines.length);
    for (let line = first; line < last; line += 1) known.set(line, []);
    let line = first;
    highlightTree(
      tree,
      codeHighlighter,
      (from, to, classes) => {
        const ink = inks[classes.split(' ')[0] ?? ''];
        if (ink === undefined) return;
        while (line < last - 1 && startOf(line + 1) <= from) line += 1;
        // A comment may have several lines.
        for (let at = line; at < last && startOf(at) < to; at += 1)
          known.get(at)?.push({
            from: Math.max(from, startOf(at)) - startOf(at),
            to: Math.min(to, startOf(at + 1) - 1) - startOf(at),
            ink,
          });
      },
      startOf(first),
      startOf(last),
    );
  };
  return (line) => {
    if (!known.has(line)) colour(line - (line % linesAtOnce));
    return known.get(line) ?? [];
  };
}
