import { EditorState } from '@codemirror/state';
import { Review, toDocumentText } from '@tandem/reviews';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setKeptHunks } from '../src/review/changeRanges.js';
import {
  describeOwnEdit,
  nextOwnEdit,
  ownEdits,
  ownEditsOf,
  type ProposalBasis,
} from '../src/review/ownEdits.js';

function reviewOf(original: string, content: string): Review {
  const proposal = { path: '/a', content, agent: 'claude', session: 's' };
  return new Review(
    { id: 'r', proposal, original: { kind: 'text', text: original }, isOutsideWorkspace: false },
    {
      clock: { now: () => 0, setTimeout: () => ({ dispose: () => {} }) },
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    },
  );
}

function basisOf(review: Review, original: string, proposed: string): ProposalBasis {
  const hunks = review.hunks.map((hunk, at) => ({ ...hunk, isKept: review.keptHunks[at] ?? true }));
  return { original, proposed, hunks };
}

function stateOf(original: string, proposed: string, doc: string): EditorState {
  const review = reviewOf(original, proposed);
  return EditorState.create({ doc, extensions: ownEdits(basisOf(review, original, proposed)) });
}

/** The texts of the user's lines; a removal is empty. */
function linesOf(state: EditorState): string[] {
  return ownEditsOf(state).map(({ fromB, endB }) => state.doc.sliceString(fromB, Math.max(fromB, endB)));
}

const original = 'a\nb\nc\nd\ne\n';
const proposed = 'a\nB\nc\nd\nnew\ne\n';

describe('edits of the user', () => {
  it('are none in a proposal, whatever it changes', () => {
    expect(linesOf(stateOf(original, proposed, proposed))).toEqual([]);
  });

  it('are the lines that differ from the proposal, also where they restore the file', () => {
    expect(linesOf(stateOf(original, proposed, 'a\nB\nc\nmine\nd\nnew\ne\n'))).toEqual(['mine']);
    expect(linesOf(stateOf(original, proposed, 'a\nb\nc\nd\nnew\ne\n'))).toEqual(['b']);
  });

  it('follow what is typed and undone', () => {
    let state = stateOf(original, proposed, proposed);
    const at = proposed.indexOf('new');
    state = state.update({ changes: { from: at, insert: 'my ' } }).state;
    expect(linesOf(state)).toEqual(['my new']);
    state = state.update({ changes: { from: at, to: at + 3 } }).state;
    expect(linesOf(state)).toEqual([]);
  });

  it('are not what a dropped change leaves', () => {
    const state = stateOf(original, proposed, original);
    expect(linesOf(state)).toEqual(['b', '']);
    const { state: dropped } = state.update({ effects: setKeptHunks.of([false, false]) });
    expect(linesOf(dropped)).toEqual([]);
  });

  it('are described with their lines and found in turn', () => {
    let state = stateOf(original, proposed, 'mine\nB\nc\nd\ne\n');
    const said: string[] = [];
    for (let count = 0; count < 3; count++) {
      const edit = nextOwnEdit(state);
      if (edit === undefined) throw new Error('No edit is found.');
      said.push(describeOwnEdit(state, edit));
      state = state.update({ selection: { anchor: Math.min(edit.fromB, state.doc.length) } }).state;
    }
    expect(said).toEqual([
      'Your edit 2 of 2: you removed 1 line before line 5.',
      'Your edit 1 of 2, line 1.',
      'Your edit 2 of 2: you removed 1 line before line 5.',
    ]);
  });

  it('are none in any proposal whose hunks are kept or dropped', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', 'a longer line'), { maxLength: 12 })
      .map((lines) => lines.join('\n'));
    void fc.assert(
      fc.property(text, text, fc.infiniteStream(fc.boolean()), (before, after, drops) => {
        const review = reviewOf(before, after);
        for (const { index } of review.hunks) if (drops.next().value) review.dropHunk(index);
        const state = EditorState.create({
          doc: toDocumentText(review.content),
          extensions: ownEdits(basisOf(review, before, after)),
        });
        const { state: decided } = state.update({ effects: setKeptHunks.of(review.keptHunks) });
        expect(linesOf(decided)).toEqual([]);
      }),
    );
  });
});
