import { describe, expect, it } from 'vitest';
import { notesOn } from '../src/reviews/notesOn.js';
import { Uri } from './support/fakeVscode/index.js';
import { openReviewDesk, pause, settle } from './support/reviewDesk.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

type Desk = ReturnType<typeof openReviewDesk>;

describe('the status bar', () => {
  const items = ({ window }: Desk) =>
    window.statusItems.flatMap(({ isShown, text }) => (isShown ? [text] : []));

  it('accepts and rejects the active review, and shows its position in the session', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE, 'c.txt': BEFORE });
    expect(items(desk)).toEqual([]);
    const first = await desk.propose('a.txt', PROPOSED);
    expect(items(desk)).toEqual(['$(check) Accept', '$(close) Reject', '1 of 1']);
    const second = await desk.propose('b.txt', PROPOSED);
    await desk.propose('c.txt', PROPOSED, 'gemini');
    await desk.window.run('tandem.nextReview');
    expect(items(desk).at(-1)).toBe('2 of 2');
    const [accept, reject] = desk.window.statusItems.map(({ command }) => command);
    for (const [which, label] of [
      [accept, 'Accept the proposal by Claude Code for b.txt'],
      [reject, 'Reject the proposal by Claude Code for b.txt'],
    ] as const) {
      if (typeof which !== 'object') throw new Error('no command');
      expect(which.title).toBe(label);
      await desk.window.run(which.command, ...(which.arguments ?? []));
      expect(second.review.state).toBe('accepted');
    }
    expect(first.review.state).toBe('pending');
  });

  it('shows them only while a review is active', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    const { review } = await desk.propose('a.txt', PROPOSED);
    await desk.window.openFile(desk.path('b.txt'));
    expect(items(desk)).toEqual([]);
    await desk.window.run('tandem.showReview');
    expect(items(desk)).toHaveLength(3);
    review.reject();
    await settle();
    expect(items(desk)).toEqual([]);
  });
});

describe('a file with a pending review', () => {
  const decorationOf = ({ window, path }: Desk, name: string) => {
    const never = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
    return window.fileDecorations[0]?.provideFileDecoration(Uri.file(path(name)), never);
  };

  it('is marked until the review is decided, and leads to it', async () => {
    const desk = openReviewDesk({ 'a b.txt': BEFORE, 'c.txt': BEFORE });
    const changed: string[] = [];
    desk.window.fileDecorations[0]?.onDidChangeFileDecorations?.((uris) => {
      for (const uri of Array.isArray(uris) ? uris : [uris]) if (uri) changed.push(uri.fsPath);
    });
    await desk.window.openFile(desk.path('c.txt'));
    const view = await desk.propose('a b.txt', PROPOSED);
    expect(decorationOf(desk, 'a b.txt')).toMatchObject({
      badge: '±',
      tooltip: 'Pending review of a change by Claude Code',
    });
    expect(decorationOf(desk, 'c.txt')).toBeUndefined();
    expect(desk.window.contexts.get('tandem.filesUnderReview')).toEqual([view.fileInWindow.uri.fsPath]);
    await desk.window.run('tandem.showReviewOfFile', Uri.file(desk.path('a b.txt')));
    expect(view.isActive).toBe(true);
    view.review.reject();
    await settle();
    expect(decorationOf(desk, 'a b.txt')).toBeUndefined();
    expect(desk.window.contexts.get('tandem.filesUnderReview')).toEqual([]);
    expect(changed).toEqual([desk.path('a b.txt'), desk.path('a b.txt')]);
    void desk.window.run('tandem.showReviewOfFile');
    await desk.window.dialogs.message('No review of this file is pending');
  });

  it('of two agents names both, and asks which one to open', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    await desk.propose('a.txt', PROPOSED);
    const second = await desk.propose('a.txt', PROPOSED, 'gemini');
    expect(decorationOf(desk, 'a.txt')).toMatchObject({
      tooltip: 'Pending review of a change by Claude Code, Gemini CLI',
    });
    const opening = desk.window.run('tandem.showReviewOfFile', Uri.file(desk.path('a.txt')));
    (await desk.window.dialogs.shownInput()).choose('Gemini CLI');
    await opening;
    expect(second.isActive).toBe(true);
  });
});

describe('what the user changed in a proposal', () => {
  const marks = ({ window }: Desk) =>
    window.tabs.activeEditor?.decorations.map(({ range, hoverMessage }) => [
      range.start.line,
      range.end.line,
      hoverMessage,
    ]);

  it('is marked, and counted in words', async () => {
    const desk = openReviewDesk({ 'a.txt': BEFORE });
    const view = await desk.propose('a.txt', 'one\nTWO\nthree\nfour\nfive\nsix\n');
    expect([marks(desk), notesOn(view)]).toEqual([[], []]);
    desk.window.type('TWO', 'TWO and mine');
    await pause(desk);
    expect(marks(desk)).toEqual([[1, 1, 'You changed this. Claude Code proposed something else.']]);
    expect(notesOn(view)).toEqual(['1 line differs from the proposal']);
    desk.window.type('four\nfive\n', '');
    desk.window.type('one\n', 'zero\nmine\none\n');
    await pause(desk);
    expect(marks(desk)).toEqual([
      [0, 1, 'You added this. Claude Code did not propose it.'],
      [3, 3, 'You changed this. Claude Code proposed something else.'],
      [4, 4, 'Here you removed 2 lines that Claude Code proposed.'],
    ]);
    expect(notesOn(view)).toEqual(['5 lines differ from the proposal']);
    desk.window.type('zero\nmine\none\nTWO and mine\nthree\n', 'one\nTWO\nthree\nfour\nfive\n');
    await pause(desk);
    expect(marks(desk)).toEqual([]);
  });
});
