import { type KeyPress, matchesKey } from '@tandem/chat-panel/primitives';
import type { ReviewSummary } from '@tandem/rpc';
import { describe, expect, it } from 'vitest';
import { describeRestart, isRestartFelt } from '../src/app/connectionBars.js';
import { describeAdvance, describeArrival, neighbourReview } from '../src/app/reviewArrivals.js';
import { documentTab, reviewTab, tabTitles } from '../src/app/tabList.js';
import type { PageDocument } from '../src/wire/index.js';
import { pageReview } from './support/pageReview.js';

const review = (id: string, more: Partial<ReviewSummary> = {}) =>
  pageReview({ id, path: `/w/${id}.ts`, label: `${id}.ts`, ...more });
const document = (label: string, more: Partial<PageDocument> = {}): PageDocument => ({
  path: `/w/${label}`,
  label,
  kind: 'text',
  isDirty: false,
  hasConflict: false,
  isMissing: false,
  isReadOnly: false,
  lineEnds: 'lf',
  ...more,
});

describe('neighbourReview', () => {
  const reviews = [
    review('a'),
    review('b', { state: 'accepted' }),
    review('c'),
    review('d', { state: 'withdrawn' }),
  ];

  it('goes to the next one that waits, around the ends', () => {
    expect(neighbourReview(reviews, 'a', 1)?.id).toBe('c');
    expect(neighbourReview(reviews, 'c', 1)?.id).toBe('a');
    expect(neighbourReview(reviews, 'a', -1)?.id).toBe('c');
  });

  it('goes on from one that has ended', () => {
    expect(neighbourReview(reviews, 'b', 1)?.id).toBe('c');
    expect(neighbourReview(reviews, 'b', -1)?.id).toBe('a');
  });

  it('begins with the oldest, and knows when there is no other', () => {
    expect(neighbourReview(reviews, undefined, 1)?.id).toBe('a');
    expect(neighbourReview([review('a')], 'a', 1)).toBeUndefined();
    expect(neighbourReview([], undefined, 1)).toBeUndefined();
  });
});

describe('describeArrival', () => {
  it('names who proposes and what', () => {
    expect(describeArrival([review('a')])).toBe('Gemini CLI proposes a change to a.ts');
    expect(describeArrival([review('a', { isNewFile: true })])).toBe('Gemini CLI proposes a new file: a.ts');
    expect(describeArrival([review('a'), review('b')])).toBe(
      '2 new proposals, the latest from Gemini CLI: b.ts',
    );
  });
});

describe('tabTitles', () => {
  it('distinguishes two files with the same name by their folders', () => {
    const documents = [document('src/a.ts'), document('test/a.ts'), document('b.ts')];
    const titles = tabTitles(
      documents.map(({ path }) => documentTab(path)),
      documents,
      [],
    );
    expect([...titles.values()].map(({ name, hint }) => [name, hint])).toEqual([
      ['a.ts', 'src'],
      ['a.ts', 'test'],
      ['b.ts', undefined],
    ]);
  });

  it('says what is unsaved and what has ended', () => {
    const tabs = [documentTab('/w/a.ts'), reviewTab('r')];
    const titles = tabTitles(
      tabs,
      [document('a.ts', { isDirty: true })],
      [review('r', { state: 'rejected' })],
    );
    expect([...titles.values()].map(({ accessibleName }) => accessibleName)).toEqual([
      'a.ts, unsaved changes',
      'Review of r.ts, rejected',
    ]);
  });
});

describe('a tab of a review', () => {
  it('has its outcome once it has ended, and is not struck through like a file that is gone', () => {
    const titles = tabTitles(
      [reviewTab('r'), reviewTab('s')],
      [],
      [review('r', { state: 'rejected' }), review('s')],
    );
    expect([...titles.values()].map(({ outcome, isStruck }) => [outcome, isStruck])).toEqual([
      ['rejected', false],
      [undefined, false],
    ]);
  });
});

describe('the tip of a tab', () => {
  it('ends with what the agent calls the change, as text [CLA-100]', () => {
    const titles = tabTitles(
      [reviewTab('r'), reviewTab('s')],
      [],
      [review('r', { title: 'Fix it\u202e\n' }), review('s', { title: '✻ [Claude Code] s.ts (1a2b3c) ⧉' })],
    );
    // A title with the name of the file is an internal id.
    expect([...titles.values()].map(({ tip }) => tip)).toEqual([
      'Review of r.ts, proposed by Gemini CLI\nFix it⟨202E⟩␊',
      'Review of s.ts, proposed by Gemini CLI',
    ]);
  });
});

describe('isRestartFelt', () => {
  const report = { reviews: 0, waiting: 1, pendingIds: ['a'], restored: ['b.ts'], failed: [] };
  const nothing = { reviews: [], documents: [], interrupted: [], keptHere: [] };

  it('is true while a review or an unsaved file of the restart is left', () => {
    expect(isRestartFelt(report, { ...nothing, reviews: [review('a')] })).toBe(true);
    expect(isRestartFelt(report, { ...nothing, documents: [document('b.ts', { isDirty: true })] })).toBe(
      true,
    );
  });

  it('is false once they are decided and saved, whatever came after the restart', () => {
    const reviews = [review('a', { state: 'accepted' }), review('later')];
    const documents = [document('b.ts'), document('later.ts', { isDirty: true })];
    expect(isRestartFelt(report, { ...nothing, reviews, documents })).toBe(false);
  });
});

describe('describeRestart', () => {
  it('says that nothing was lost', () => {
    expect(describeRestart({ reviews: 0, waiting: 0, pendingIds: [], restored: [], failed: [] })).toBe(
      'The companion was restarted. Nothing was lost.',
    );
  });

  it('says what ended, what is still there, and where the rest is', () => {
    const failed = [{ label: 'b.ts', message: 'not allowed' }];
    const words = describeRestart({ reviews: 2, waiting: 0, pendingIds: [], restored: ['a.ts'], failed });
    expect(words).toContain('2 proposals have lost their agents. Your edits are kept.');
    expect(words).not.toContain('restored as you left');
    expect(words).toContain('a.ts');
    expect(words).toContain('b.ts could not be reopened: not allowed');
  });
});

describe('describeAdvance', () => {
  it('names what was decided, how, and what is shown now', () => {
    expect(describeAdvance(review('a', { state: 'rejected' }), review('b'))).toBe(
      'Rejected a.ts. Next: b.ts.',
    );
    expect(describeAdvance(review('a', { state: 'accepted' }), review('b'))).toBe(
      'Accepted a.ts. Next: b.ts.',
    );
    expect(describeAdvance(review('a', { state: 'accepted' }), undefined)).toBe('Accepted a.ts.');
  });
});

describe('describeRestart of what waits again', () => {
  it('says so, and not that nothing was lost', () => {
    expect(describeRestart({ reviews: 0, waiting: 1, pendingIds: [], restored: [], failed: [] })).toBe(
      'The companion was restarted. One pending review was restored as you left it.',
    );
    expect(describeRestart({ reviews: 0, waiting: 3, pendingIds: [], restored: [], failed: [] })).toContain(
      '3 pending reviews were restored',
    );
  });
});

describe('matchesKey', () => {
  const press = (key: string, more: Partial<KeyPress> & { readonly altGraph?: boolean } = {}): KeyPress => ({
    key,
    code: '',
    altKey: false,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    getModifierState: (name) => name === 'AltGraph' && more.altGraph === true,
    ...more,
  });

  it('takes Ctrl for Mod, and Cmd on a Mac', () => {
    expect(matchesKey(press('p', { ctrlKey: true }), 'Mod+P', false)).toBe(true);
    expect(matchesKey(press('p', { ctrlKey: true }), 'Mod+P', true)).toBe(false);
    expect(matchesKey(press('p', { metaKey: true }), 'Mod+P', true)).toBe(true);
    expect(matchesKey(press('P', { ctrlKey: true, shiftKey: true }), 'Mod+P', false)).toBe(false);
  });

  it('goes by the place of a letter with Alt', () => {
    expect(matchesKey(press('µ', { altKey: true, code: 'KeyM' }), 'Alt+M', true)).toBe(true);
    expect(matchesKey(press('m', { code: 'KeyM' }), 'Alt+M', true)).toBe(false);
  });

  it('leaves to AltGr the characters that it types', () => {
    const typed = press('µ', { altKey: true, code: 'KeyM', altGraph: true });
    expect(matchesKey(typed, 'Alt+M', false)).toBe(false);
  });

  it('takes a plain character however it is typed', () => {
    expect(matchesKey(press('?', { shiftKey: true }), '?', false)).toBe(true);
    expect(matchesKey(press('?', { ctrlKey: true }), '?', false)).toBe(false);
  });
});
