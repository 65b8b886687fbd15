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

  it('the focus stays where the user has put it while the decision is stored', async () => {
    const { desk } = await openReview();
    const deciding = desk.window.run('tandem.rejectReview');
    await desk.window.openFile(desk.path('b.txt'));
    await deciding;
    await pause(desk);
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

describe('a file that only the extension has opened', () => {
  const openDesk = () => openReviewDesk({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' });

  /** The user accepts the change of a file, whose agent writes it. `isBusy`: the diff closes only after that. */
  async function accept(desk: Desk, name: string, isBusy = false): Promise<void> {
    const { window } = desk;
    await desk.propose(name, 'two\n');
    let close = (): void => {};
    const held = new Promise<void>((resolve) => {
      close = resolve;
    });
    if (isBusy) window.tabs.whenIdle = held;
    await window.run('tandem.acceptReview');
    await window.write(desk.path(name), 'two\n');
    await settle();
    close();
    await pause(desk);
  }

  it.each([
    ['it was written', (desk: Desk) => accept(desk, 'a.txt')],
    ['it was written before the diff closed', (desk: Desk) => accept(desk, 'a.txt', true)],
    ['an agent opened it', (desk: Desk) => desk.documents.open(desk.path('a.txt'))],
    [
      'an agent closed the one before it',
      async (desk: Desk) => {
        for (const name of ['c.txt', 'a.txt']) await desk.documents.open(desk.path(name));
        await desk.documents.close(desk.path('c.txt'));
      },
    ],
    [
      'the user closed the file that was active before',
      async (desk: Desk) => {
        await desk.window.openFile(desk.path('c.txt'));
        const view = await desk.propose('a.txt', 'two\n');
        await desk.views.reveal(view);
        await desk.window.closeTabs('c.txt');
        await accept(desk, 'a.txt');
      },
    ],
  ])('does not hide the next proposal: %s', async (_, open) => {
    const desk = openDesk();
    await open(desk);
    expect(desk.window.tabs.group.activeTab?.label).toBe('a.txt');
    expect(await desk.propose('b.txt', 'two\n')).toMatchObject({ isActive: true });
  });

  it('stays active while the user types in it', async () => {
    const desk = openDesk();
    await accept(desk, 'a.txt');
    press(desk);
    expect(await desk.propose('b.txt', 'two\n')).toMatchObject({ isActive: false });
  });
});
