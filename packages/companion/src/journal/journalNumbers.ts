import type { SavedReview } from '@tandem/reviews';
import type { JournalContents } from './journalContents.js';

/**
 * Gives new numbers to the reviews whose numbers other reviews have: each companion counts from 1, and a number means one
 * review. The first journal keeps its numbers.
 */
export function withOwnNumbers(journals: readonly JournalContents[]): JournalContents[] {
  const taken = { open: new Map<string, SavedReview>(), decided: new Map<string, SavedReview>() };
  const last = { '': lastNumberIn(journals), r: lastNumberIn(journals, 'r') };
  return journals.map((journal) => {
    /** The new numbers of this journal, by the old ones. */
    const renumbered = new Map<string, string>();
    const numberFor = (kind: keyof typeof taken, review: SavedReview, before: string): string => {
      const isFree = (number: string): boolean => {
        // An accepted review whose text is not written is both open and in the history.
        const other = taken[kind === 'open' ? 'decided' : 'open'].get(number);
        return !taken[kind].has(number) && (other === undefined || isSameReview(other, review));
      };
      const known = [before, renumbered.get(before)].find((each) => each !== undefined && isFree(each));
      const prefix = before.startsWith('r') ? 'r' : '';
      const number = known ?? `${prefix}${++last[prefix]}`;
      if (number !== before) renumbered.set(before, number);
      taken[kind].set(number, review);
      return number;
    };
    const withNumber = (review: SavedReview): SavedReview => {
      const { decided, number: before } = review;
      if (decided !== undefined) {
        const id = numberFor('decided', review, decided.id);
        return id === decided.id ? review : { ...review, decided: { ...decided, id } };
      }
      const number = before && numberFor('open', review, before);
      return number === before ? review : { ...review, number };
    };
    const { history, rejected } = journal;
    return {
      ...journal,
      ...(history && { history: history.map(withNumber) }),
      ...(rejected && { rejected: rejected.map(withNumber) }),
      reviews: journal.reviews.map(withNumber),
      interrupted: journal.interrupted.map(withNumber),
    };
  });
}

/** The greatest number of a review in some journals, or with `r` of a restoration; 0 if there is none. */
export function lastNumberIn(journals: readonly JournalContents[], prefix: '' | 'r' = ''): number {
  const all = journals.flatMap(({ reviews, interrupted, rejected = [], history = [] }) => [
    ...reviews,
    ...interrupted,
    ...rejected,
    ...history,
  ]);
  return all.reduce((last, { decided, number }) => {
    const id = decided?.id ?? number ?? '';
    return Math.max(last, id.startsWith(prefix) ? Number(id.slice(prefix.length)) || 0 : 0);
  }, 0);
}

function isSameReview(one: SavedReview, other: SavedReview): boolean {
  return one.agent === other.agent && one.path === other.path && one.proposed === other.proposed;
}
