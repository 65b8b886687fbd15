import { describe, expect, it } from 'vitest';
import { TextEditorSelectionChangeKind } from './support/fakeVscode/index.js';
import { openReviewDesk, pause, settle } from './support/reviewDesk.js';

type Desk = ReturnType<typeof openReviewDesk>;

/** The commands of VS Code that moved the focus. */
const moves = ({ window }: Desk) =>
  window.ran
    .map(([name]) => name)
    .filter((name) => /focus\w+EditorGroup|openEditorAtIndex/.test(String(name)));

/** A review that the user opened from a file. */
async function openReview() {
  const desk = openReviewDesk({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  await desk.window.openFile(desk.path('a.txt'));
  const view = await desk.propose('b.txt', 'two\n');
  await desk.views.reveal(view);
  return { desk, view };
}

function press({ window }: Desk): void {
  const textEditor = window.tabs.activeEditor;
  if (textEditor === undefined) throw new Error('no editor is active');
  const { Keyboard } = TextEditorSelectionChangeKind;
  window.tabs.didChangeSelection.fire({ textEditor: textEditor as never, kind: Keyboard, selections: [] });
}

describe('after the last review', () => {
  it.each([
    ['accepted', 'tandem.acceptReview'],
    ['rejected', 'tandem.rejectReview'],
    ['decided with its session', 'tandem.acceptAllReviews'],
  ])('that is %s, the focus goes back to the file', async (_, command) => {
    const { desk } = await openReview();
    await desk.window.run(command);
    await pause(desk);
    expect([desk.window.labels, moves(desk)]).toEqual([
      ['a.txt'],
      ['workbench.action.focusFirstEditorGroup'],
    ]);
  });

  it('that the agent withdraws, what the user is still typing reaches no other editor', async () => {
    const { desk, view } = await openReview();
    press(desk);
    view.review.withdraw('agent');
    await settle();
    expect(moves(desk)).toEqual([]);
    desk.clock.advance(1000);
    await settle();
    expect(moves(desk)).toEqual(['workbench.action.focusFirstEditorGroup']);
  });

  it('the focus stays where the user has put it in the meantime', async () => {
    const { desk, view } = await openReview();
    press(desk);
    view.review.withdraw('agent');
    await settle();
    await desk.window.openFile(desk.path('b.txt'));
    desk.clock.advance(1000);
    await settle();
    expect(moves(desk)).toEqual([]);
  });

  it('of several, the user goes on in the next one', async () => {
    const { desk } = await openReview();
    const next = await desk.propose('a.txt', 'two\n');
    await desk.window.run('tandem.acceptReview');
    await pause(desk);
    expect([next.isActive, moves(desk)]).toEqual([true, []]);
  });

  it('that the agent withdraws, the focus stays in another review that the user has opened since', async () => {
    const { desk, view } = await openReview();
    const other = await desk.propose('a.txt', 'two\n');
    press(desk);
    view.review.withdraw('agent');
    await settle();
    await desk.views.reveal(other);
    desk.clock.advance(1000);
    await settle();
    expect([other.isActive, moves(desk)]).toEqual([true, ['workbench.action.focusActiveEditorGroup']]);
  });
});
