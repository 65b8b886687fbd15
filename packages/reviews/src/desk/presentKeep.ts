import { type Path, visibleName } from '@tandem/core';
import type { Answer, Question } from './question.js';

/** The words on the buttons of changes that are written. */
export const changeWords = {
  keep: 'Keep',
  keepAll: 'Keep all',
  undo: 'Undo',
  /** Takes a keep back. */
  again: 'Review again',
  /** The heading of what is not waiting. */
  decided: 'Kept and accepted',
} as const;

/** A file of a question lists at most so many names. */
const maxNames = 10;

/** What the user is asked before changes to several files are kept. */
export function askToKeep(
  files: readonly { readonly path: Path; readonly warnings: readonly string[] }[],
  {
    label,
    answer,
    uncertain,
  }: {
    readonly label: (path: Path) => string;
    readonly answer: Answer;
    /** How many files have changes that are perhaps not an agent's: these are not kept. */
    readonly uncertain: number;
  },
): Question {
  const names = files.map(({ path }) => visibleName(label(path)));
  const shown = names.slice(0, maxNames).join(', ');
  const rest = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  const warned = files.flatMap(({ path, warnings }) =>
    warnings.length === 0 ? [] : [`${visibleName(label(path))}: ${warnings.join(' ')}`],
  );
  const left =
    uncertain > 0
      ? [
          `Not kept: changes to ${countFiles(uncertain)} that perhaps no agent made. Keep them in their own list.`,
        ]
      : [];
  return {
    message: `Keep the changes to ${countFiles(files.length)}?`,
    detail: [`Files: ${shown}${rest}.`, ...warned, ...left].join('\n'),
    concerns: [],
    choices: [{ kind: 'confirm', label: `Keep ${countFiles(files.length)}`, answer }],
  };
}

/** What came of keeping changes, or of taking that back. `files`: to how many; `left`: to how many nothing was done. */
export function presentKept(files: number, { isKept, left }: { isKept: boolean; left: number }): string {
  const others = left > 0 ? ` Changes to ${countFiles(left)} wait as before.` : '';
  if (files === 0) return `${isKept ? 'No change waits here.' : 'No change here was kept.'}${others}`;
  const done = isKept
    ? `Kept the changes to ${countFiles(files)}.`
    : `The changes to ${countFiles(files)} wait again.`;
  return `${done}${others}`;
}

/** What keeping did to the changes of one file: the end of a text that begins with its name. */
export const keptNotes = {
  kept: 'is kept as it is.',
  part: 'is kept in these lines; its other changes wait.',
  again: 'waits again.',
  changed: 'has more changes since you were asked: they wait as before.',
  uncertain: 'was perhaps not changed by an agent: keep this by its number, or in its own list.',
} as const;

/** How long changes are listed. */
export function presentLimit(days: number): string {
  return `Changes are listed for ${days === 1 ? '1 day' : `${days} days`}, then kept.`;
}

/** Such as `12 files to review`. */
export function presentWaiting(files: number): string {
  return `${countFiles(files)} to review`;
}

function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}
