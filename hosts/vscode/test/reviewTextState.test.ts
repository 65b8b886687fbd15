import { describe, expect, it } from 'vitest';
import {
  mergeTyped,
  type ReviewTextAction,
  type ReviewTextEvent,
  type ReviewTextState,
  startText,
  stepText,
} from '../src/reviews/reviewTextState.js';

const TEXT = 'one\ntwo\nthree\n';
const TYPED = 'one\ntwo!\nthree\n';

/** Sends events to a text whose review and document were equal, and returns the state and all actions. */
function run(...events: readonly ReviewTextEvent[]): ReviewTextState & { actions: ReviewTextAction[] } {
  const actions: ReviewTextAction[] = [];
  let state = startText(TEXT);
  for (const event of events) {
    const step = stepText(state, event);
    state = step.state;
    actions.push(...step.actions);
  }
  return { ...state, actions };
}

const typed: ReviewTextEvent = { kind: 'documentChanged', text: TYPED, shown: TEXT };
const reviewChanged: ReviewTextEvent = { kind: 'reviewChanged' };
const flush: ReviewTextEvent = { kind: 'flush' };
const taken: ReviewTextEvent = { kind: 'taken', text: TYPED, shown: TYPED };
const compare: ReviewTextEvent = { kind: 'compare', document: TEXT, shown: TYPED };
const refused: ReviewTextEvent = { kind: 'applied', text: TYPED, isDone: false };
const applied: ReviewTextEvent = { kind: 'applied', text: TYPED, isDone: true };
const formattedSave: ReviewTextEvent = { kind: 'willSave', isFormatted: true };
const didSave: ReviewTextEvent = { kind: 'didSave' };
const lookedAt: ReviewTextEvent = { kind: 'lookedAt' };
const keepClean = (over: Partial<Extract<ReviewTextEvent, { kind: 'keepClean' }>> = {}): ReviewTextEvent => ({
  kind: 'keepClean',
  isDirty: true,
  isFormatted: false,
  canSkipFormatters: false,
  ...over,
});
const skippable = keepClean({ isFormatted: true, canSkipFormatters: true });

describe('what the user types', () => {
  it('is applied once, after a pause', () => {
    expect(run(typed)).toMatchObject({ sync: { kind: 'typed' }, actions: ['waitForPause'] });
    expect(run(typed, flush)).toMatchObject({
      sync: { kind: 'taking' },
      actions: ['waitForPause', 'cancelPause', 'take'],
    });
    expect(run(typed, flush, taken)).toMatchObject({ sync: { kind: 'idle' }, agreed: TYPED });
    expect(run(typed, flush, taken, flush).actions).toHaveLength(3);
  });

  it('is not written back to the document while it is applied to the review', () => {
    expect(run(typed, flush, reviewChanged).actions.slice(3)).toEqual(['store']);
  });

  it('is shown as the review changed it, if that differs', () => {
    const other: ReviewTextEvent = { kind: 'taken', text: TYPED, shown: 'four\n' };
    expect(run(typed, flush, reviewChanged, other).actions.slice(4)).toEqual(['store', 'show']);
  });

  it('does not include differences in line ends, byte order mark or final newline only', () => {
    const event: ReviewTextEvent = {
      kind: 'documentChanged',
      text: '\uFEFFone\r\ntwo\r\nthree',
      shown: TEXT,
    };
    expect(run(event)).toMatchObject({ sync: { kind: 'idle' }, actions: [] });
  });

  it('is merged with changes of the review meanwhile, and wins on the same lines', () => {
    const state = startText('one\ntwo\nthree\nfour\nfive\n');
    expect(mergeTyped(state, '1\ntwo\nthree\nfour\nfive\n', 'one\ntwo\nthree\nfour\n5\n')).toBe(
      '1\ntwo\nthree\nfour\n5\n',
    );
    expect(mergeTyped(state, '1\ntwo\nthree\nfour\nfive\n', 'I\ntwo\nthree\nfour\nfive\n')).toBe(
      '1\ntwo\nthree\nfour\nfive\n',
    );
  });
});

describe('a change of the review', () => {
  it('is written to the document, which is then saved', () => {
    expect(run(reviewChanged).actions).toEqual(['store', 'show']);
    expect(run(compare)).toMatchObject({ sync: { kind: 'showing', text: TYPED }, actions: ['apply'] });
    expect(run(compare, applied)).toMatchObject({
      sync: { kind: 'idle' },
      agreed: TYPED,
      actions: ['apply', 'keepClean'],
    });
  });

  it('does not count as user input when VS Code reports it', () => {
    expect(run(compare, { kind: 'documentChanged', text: TYPED, shown: 'newer\n' })).toMatchObject({
      sync: { kind: 'showing' },
      actions: ['apply'],
    });
  });

  it('waits while the user types', () => {
    expect(run(typed, compare)).toMatchObject({ sync: { kind: 'typed' }, actions: ['waitForPause'] });
  });

  it('needs nothing in a document that is not loaded or has the same text', () => {
    for (const document of [undefined, TYPED]) {
      expect(run({ kind: 'compare', document, shown: TYPED })).toMatchObject({ agreed: TYPED, actions: [] });
    }
  });

  it('is tried three times when VS Code refuses it', () => {
    const { actions, sync } = run(compare, refused, compare, refused, compare, refused);
    expect(actions).toEqual(['apply', 'compare', 'apply', 'compare', 'apply']);
    expect(sync.kind).toBe('idle');
    expect(run(compare, refused, compare, refused, compare, refused, compare, refused).actions.at(-1)).toBe(
      'compare',
    );
  });

  it('keeps what the user types while it is written', () => {
    const more: ReviewTextEvent = { kind: 'documentChanged', text: `${TYPED}more`, shown: TYPED };
    expect(run(compare, more, applied)).toMatchObject({ sync: { kind: 'typed' }, agreed: TYPED });
  });
});

describe('a save with formatters', () => {
  it('is reverted', () => {
    const { sync, actions } = run(typed, formattedSave, typed);
    expect(sync.kind).toBe('formatting');
    expect(actions).toEqual(['waitForPause', 'cancelPause', 'forgetTyped']);
    expect(run(formattedSave, typed, didSave)).toMatchObject({
      sync: { kind: 'idle' },
      actions: ['cancelPause', 'forgetTyped', 'store', 'show'],
    });
  });

  it('delays updates and further saves until it has ended', () => {
    expect(run(formattedSave, compare, lookedAt).actions).toEqual(['cancelPause', 'forgetTyped']);
  });

  it("without an active formatter is an ordinary save: the user's text is applied", () => {
    expect(run(typed, { kind: 'willSave', isFormatted: false }).sync.kind).toBe('taking');
    expect(run(typed, skippable, formattedSave).sync.kind).toBe('taking');
  });
});

describe('a document is kept clean', () => {
  it('by a save after each change', () => {
    expect(run(lookedAt).actions).toEqual(['keepClean']);
    expect(run(keepClean())).toMatchObject({ save: 'saved', actions: ['save'] });
    expect(run(keepClean({ isDirty: false })).actions).toEqual([]);
  });

  it('also if VS Code reports it as clean too early', () => {
    expect(run(typed, keepClean({ isDirty: false })).actions).toEqual(['waitForPause', 'save']);
  });

  it('not in the middle of typing', () => {
    expect(run(typed, lookedAt).actions).toEqual(['waitForPause']);
  });

  it('without formatters, and again if a key came meanwhile', () => {
    expect(run(skippable)).toMatchObject({ save: 'saving', actions: ['saveUnformatted'] });
    expect(run(skippable, skippable).actions).toHaveLength(1);
    expect(run(skippable, { kind: 'savedUnformatted' })).toMatchObject({ save: 'saved' });
    expect(run(skippable, typed, { kind: 'savedUnformatted' })).toMatchObject({
      save: 'changed',
      actions: ['saveUnformatted', 'waitForPause', 'keepClean'],
    });
  });

  it('is left to the user if only a save with formatters is possible', () => {
    const blocked = keepClean({ isFormatted: true });
    expect(run(blocked)).toMatchObject({ save: 'blocked', actions: [] });
    expect(run(blocked, typed)).toMatchObject({ save: 'blocked' });
    expect(run(blocked, skippable)).toMatchObject({ save: 'saving', actions: ['saveUnformatted'] });
  });
});
