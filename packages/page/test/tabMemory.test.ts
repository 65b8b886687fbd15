import type { ReviewSummary } from '@tandem/rpc';
import { describe, expect, it } from 'vitest';
import { agentsTab, diffTab, documentTab, interruptedTab, reviewTab, TabList } from '../src/app/tabList.js';
import { rememberTabs, restoredTabs } from '../src/app/tabMemory.js';
import { TextPositions } from '../src/code/textPositions.js';
import { pageReview } from './support/pageReview.js';

const notes = documentTab('/w/notes.txt');

const reviewOf = (id: string, values: Partial<ReviewSummary> = {}) => pageReview({ id, ...values });

function before(tabs: Parameters<typeof rememberTabs>[0]['tabs'], reviews: readonly ReviewSummary[]) {
  return rememberTabs({ tabs, recent: [], preview: undefined, view: 'main', instance: 'one', reviews });
}

describe('the tabs of a page that is loaded again', () => {
  it('are those that it had, without the reviews that the companion no longer has', () => {
    const reviews = [reviewOf('1'), reviewOf('2')];
    const remembered = before([reviewTab('1'), notes, agentsTab, reviewTab('2')], reviews);
    const again = restoredTabs(remembered, {
      instance: 'one',
      interrupted: [],
      reviews: [reviewOf('2', { state: 'accepted' })],
    });
    expect([...again.values()]).toEqual([notes, agentsTab, reviewTab('2')]);
  });

  it('leave out the changes that the chat shows', () => {
    expect(before([diffTab('/w/a.ts'), notes], []).tabs).toEqual([{ kind: 'document', id: notes.id }]);
  });
});

describe('the tabs of a page whose companion was restarted', () => {
  const remembered = before(
    [reviewTab('1'), notes, reviewTab('2')],
    [reviewOf('1'), reviewOf('2', { path: '/w/b.ts' })],
  );

  it('are those of the same reviews under their new numbers', () => {
    const reviews = [reviewOf('1', { path: '/w/b.ts' }), reviewOf('2')];
    const again = restoredTabs(remembered, { instance: 'two', reviews, interrupted: [] });
    expect([...again]).toEqual([
      ['review:1', reviewTab('2')],
      [notes.key, notes],
      ['review:2', reviewTab('1')],
    ]);
  });

  it('leave out a review that is not pending again, whatever has its number now', () => {
    const reviews = [
      reviewOf('1', { agent: 'qwen' }),
      reviewOf('2', { path: '/w/b.ts', state: 'withdrawn' }),
    ];
    expect([...restoredTabs(remembered, { instance: 'two', reviews, interrupted: [] }).values()]).toEqual([
      notes,
    ]);
  });

  it('show the text of a review whose agent is gone, until it is pending again', () => {
    const interrupted = [
      reviewOf('1', { agent: 'qwen', path: '/w/b.ts', state: 'interrupted' }),
      reviewOf('2', { agent: 'gemini', path: '/w/b.ts', state: 'interrupted' }),
    ];
    const now = (...reviews: ReviewSummary[]) =>
      restoredTabs(remembered, { instance: 'two', reviews, interrupted }).get('review:2');
    expect(now()).toEqual(interruptedTab('2'));
    expect(now(reviewOf('7', { path: '/w/b.ts' }))).toEqual(reviewTab('7'));
  });

  it('include a decided review of the history, and no other with its number', () => {
    const decided = { state: 'rejected', openedAt: 3 } as const;
    const tabs = before([reviewTab('1')], [reviewOf('1', decided)]);
    const now = (...reviews: ReviewSummary[]) => [
      ...restoredTabs(tabs, {
        instance: 'two',
        reviews: [reviewOf('2'), ...reviews],
        interrupted: [],
      }).values(),
    ];
    expect(now(reviewOf('1', decided))).toEqual([reviewTab('1')]);
    expect(now(reviewOf('1', { ...decided, openedAt: 4 }))).toEqual([reviewTab('2')]);
  });

  it('distinguish two reviews of one file by their sessions', () => {
    const both = [reviewOf('1', { session: 'a' }), reviewOf('2', { session: 'b' })];
    const now = [reviewOf('1', { session: 'b' }), reviewOf('2', { session: 'a' })];
    const again = restoredTabs(before([reviewTab('1'), reviewTab('2')], both), {
      instance: 'two',
      reviews: now,
      interrupted: [],
    });
    expect([...again.values()]).toEqual([reviewTab('2'), reviewTab('1')]);
  });

  it('follow an agent that came back in another session', () => {
    const reviews = [reviewOf('7', { session: 'new' })];
    const again = restoredTabs(remembered, { instance: 'two', reviews, interrupted: [] });
    expect(again.get('review:1')).toEqual(reviewTab('7'));
  });
});

describe('TabList.restore', () => {
  it('puts the tabs into their order, and activates the latest one that exists', () => {
    const list = new TabList();
    list.add(notes);
    list.restore([agentsTab, reviewTab('1')], ['review:9', 'review:1', 'agents']);
    expect(list.tabs).toEqual([agentsTab, reviewTab('1'), notes]);
    expect(list.active).toEqual(reviewTab('1'));
  });

  it('keeps the active tab if nothing is restored', () => {
    const list = new TabList();
    list.add(notes);
    list.activate(notes.key);
    list.restore([], ['review:9']);
    expect(list.active).toEqual(notes);
  });
});

describe('TextPositions', () => {
  const at = (position: number) => ({
    ranges: [{ anchor: position, head: position }],
    main: 0,
    at: position,
    left: 0,
    top: 0,
  });

  it('keep where the user was when an editor goes, and nothing of one that is hidden', () => {
    const textPositions = new TextPositions();
    const stop = textPositions.follow('a', () => at(5));
    stop();
    textPositions.follow('a', () => undefined)();
    expect(textPositions.get('a')).toEqual(at(5));
  });

  it('forget the oldest of more than 200', () => {
    const textPositions = new TextPositions();
    for (let text = 0; text <= 200; text++) textPositions.set(`${text}`, at(text));
    expect(textPositions.get('0')).toBeUndefined();
    expect(textPositions.get('1')).toEqual(at(1));
  });
});
