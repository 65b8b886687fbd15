import { getChunks } from '@codemirror/merge';
import { Facet, StateEffect, StateField, type Text } from '@codemirror/state';
import { type ChangePlace, changePlaces, type HunkSpan } from './changePlaces.js';

/** What is fixed for the life of a review. */
interface ReviewBasis {
  readonly original: Text;
  readonly spans: readonly HunkSpan[];
}

export const reviewBasis = Facet.define<ReviewBasis, ReviewBasis | undefined>({
  combine: ([basis]) => basis,
});

/** Says of each hunk whether it is kept. */
export const setKeptHunks = StateEffect.define<readonly boolean[]>();

interface PlacesState {
  readonly kept: readonly boolean[];
  readonly places: readonly ChangePlace[];
}

/** The changes of the text that an editor holds, kept in step with every edit. */
export const placesField = StateField.define<PlacesState>({
  create: () => ({ kept: [], places: [] }),
  update(value, transaction) {
    const { state } = transaction;
    const kept = transaction.effects.findLast((effect) => effect.is(setKeptHunks))?.value ?? value.kept;
    const chunks = getChunks(state)?.chunks;
    // A merge view gives the chunks of a new text in a transaction of their own, right after it.
    if (kept === value.kept && chunks === getChunks(transaction.startState)?.chunks) return value;
    const basis = state.facet(reviewBasis);
    if (basis === undefined) return value;
    return { kept, places: changePlaces(basis.spans, kept, chunks ?? [], basis.original, state.doc) };
  },
});
