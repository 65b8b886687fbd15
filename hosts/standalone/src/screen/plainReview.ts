import type { FoundCompanion, ReviewDetails } from '@tandem/companion/control';
import { visibleLines } from '@tandem/core';
import type { ReviewSummary } from '@tandem/rpc';
import { askFirst } from '../askFirst.js';
import { askLine } from '../confirm.js';
import { ask } from '../connectCompanion.js';
import { CommandError } from '../exitCode.js';
import { print, printError } from '../output.js';
import { reviewDiff } from '../reviewDiff.js';

/** Asks for each review in lines: a screen reader reads each once, and nothing is drawn over. */
export async function reviewInLines(companion: FoundCompanion): Promise<void> {
  let at = 0;
  for (;;) {
    const reviews = await ask(companion, 'review.list', {});
    at = Math.max(0, Math.min(at, reviews.length - 1));
    const review = reviews[at];
    if (review === undefined) return print('No pending reviews.');
    const details = await ask(companion, 'review.show', { id: review.id });
    print(`Review ${at + 1} of ${reviews.length}.`);
    print(reviewDiff(details, process.cwd()));
    const typed = await askLine(prompt(review, details.hunkList.length));
    if (typed === undefined) return;
    const word = typed.trim();
    if (word === 'q') return;
    if (word === 'n') at += 1;
    else if (word === 'p') at -= 1;
    else await decide(companion, details, word);
  }
}

/** What the user can type, with the desk's words. */
function prompt({ actions, state }: ReviewSummary, hunks: number): string {
  const words = actions.map((action) => `${wordOf(action)}: ${action.label}`);
  const all = hunks === 1 ? '1: drop or keep the change' : `1 to ${hunks}: drop or keep that change`;
  const own = state === 'pending' && hunks > 0 ? [all] : [];
  return `${[...words, ...own, 'n: next', 'p: previous', 'q: quit'].map(visibleLines).join(', ')} > `;
}

type Action = ReviewSummary['actions'][number];

function wordOf({ id, isPrimary, isDangerous }: Action): string {
  return isPrimary ? 'a' : id === 'reject' || isDangerous ? 'r' : id;
}

async function decide(companion: FoundCompanion, details: ReviewDetails, word: string): Promise<void> {
  const { id, actions, hunkList, version } = details;
  const action = actions.find((each) => wordOf(each) === word);
  const hunk = hunkList[Number(word) - 1];
  try {
    if (hunk !== undefined) {
      await ask(companion, 'review.hunk', { id, hunk: Number(word) - 1, isKept: !hunk.isKept });
      return;
    }
    if (action === undefined) return print('Type one of these letters or numbers, then Enter.');
    const how = { yes: undefined, command: '', ifNot: 'Nothing was decided.' };
    if (action.id !== 'accept') {
      const { note } = await askFirst(
        (answer) => ask(companion, 'review.run', { id, action: action.id, ...answer }),
        how,
      );
      return print(visibleLines(note ?? `${action.label}: done.`));
    }
    const { note, end } = await askFirst(
      (answer) => ask(companion, 'review.accept', { id, version, ...answer }),
      how,
    );
    print(visibleLines(note ?? end?.text ?? ''));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printError(error.message);
  }
}
