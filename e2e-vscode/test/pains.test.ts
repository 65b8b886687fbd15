import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { connectAgent, connectClaude } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const BEFORE = 'one\ntwo\nthree\nfour\nfive\n';
const PROPOSED = 'one\nTWO\nthree\nfour\nfive\n';

const site = useSite();

/** Problems of the official companions, with a test for each. */
describe('with default settings', () => {
  it('Ctrl+S saves the original file while its review is open', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    await desk.openFile('a.txt');
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.tab('change by').waitFor();
    await desk.openFile('a.txt');
    await window.goTo(5, 5);
    await window.page.keyboard.type(' and mine');
    await window.dirtyTab.waitFor();
    await window.page.keyboard.press('Control+S');
    await window.dirtyTab.waitFor({ state: 'detached' });
    await expect.poll(() => desk.read('a.txt')).toBe('one\ntwo\nthree\nfour\nfive and mine\n');
    expect(await desk.companion.isPending(proposed.id)).toBe(true);
    // What the user saved is not undone by accepting.
    await window.tab('change by').click();
    await window.diff.waitForLine('five and mine');
    await window.diff.accept.click();
    expect(await proposed.answer()).toEqual({
      kind: 'accepted',
      content: 'one\nTWO\nthree\nfour\nfive and mine\n',
    });
  });

  it('a change on disk while the user types is merged with what they type', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    const { diff, page } = desk.window;
    await diff.waitForLine('TWO');
    await diff.focusLine('TWO');
    const typed = ' and what takes a user a while to type';
    // The keys follow each other faster than the delay after which input is applied.
    const typing = page.keyboard.type(typed, { delay: 60 });
    await diff.waitForLine('TWO and');
    await writeFile(desk.path('a.txt'), `${BEFORE}six\n`);
    await typing;
    await diff.waitForLine('six');
    await diff.waitForLine(`TWO${typed}`);
    await diff.accept.click();
    expect(await proposed.answer()).toEqual({
      kind: 'accepted',
      content: `one\nTWO${typed}\nthree\nfour\nfive\nsix\n`,
    });
  });

  it('a limit of open editors decides nothing', exhaustive, async () => {
    const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
    const desk = await site.current.share(Object.fromEntries(names.map((name) => [name, BEFORE])), {
      'workbench.editor.limit.enabled': true,
      'workbench.editor.limit.value': 2,
    });
    const claude = await connectClaude(desk.companion);
    const proposed = [];
    for (const name of names) {
      proposed.push(await claude.propose(desk.path(name), PROPOSED));
      await desk.window.tab(`${name} (change`).waitFor();
    }
    await expect.poll(() => desk.window.tab('change by').count()).toBe(2);
    for (const { id } of proposed) expect(await desk.companion.isPending(id)).toBe(true);
    // A diff that the user closes is still rejected.
    await desk.window.closeTab('d.txt (change');
    expect(await proposed.at(-1)?.answer()).toEqual({ kind: 'rejected' });
  });

  it(
    'a change of the same lines on disk is undone only after a question, and conflicts are shown in place',
    exhaustive,
    async () => {
      const desk = await site.current.share({ 'a.txt': BEFORE, 'b.txt': BEFORE });
      const claude = await connectClaude(desk.companion);
      const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
      const { diff } = desk.window;
      await diff.waitForLine('TWO');
      await writeFile(desk.path('a.txt'), 'one\n2\nthree\nfour\nfive\n');
      await diff.original.locator('.view-line').filter({ hasText: '2' }).first().waitFor();
      await diff.accept.click();
      await desk.window.dialog('Overwrite the changes').getByRole('button', { name: 'Cancel' }).click();
      expect(await desk.companion.isPending(proposed.id)).toBe(true);
      // From the list while another file is active: the review is shown.
      await desk.openFile('b.txt');
      await desk.window.showReviews();
      const row = desk.window.treeRow('a.txt').first();
      await desk.window.askInRow(row, 'Accept Proposal', desk.window.dialog('Overwrite the changes'));
      await desk.window
        .dialog('Overwrite the changes')
        .getByRole('button', { name: 'Show Both Versions' })
        .click();
      await diff.waitForLine('<<<<<<< the proposal');
      expect(await desk.companion.isPending(proposed.id)).toBe(true);
      await diff.accept.click();
      const markers = desk.window.dialog('with conflict markers?');
      await markers.getByRole('button', { name: 'Accept with Conflict Markers' }).click();
      expect(await proposed.answer()).toMatchObject({
        content: 'one\n<<<<<<< the proposal\nTWO\n=======\n2\n>>>>>>> the file\nthree\nfour\nfive\n',
      });
    },
  );

  it('unsaved changes of the same file are not lost', exhaustive, async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    await desk.openFile('a.txt');
    await window.goTo(5, 5);
    await window.page.keyboard.type(' unsaved');
    await window.dirtyTab.waitFor();
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.tab('change by').click();
    await window.diff.waitForLine('TWO');
    await window.diff.accept.click();
    await window.dialog('unsaved changes').getByRole('button', { name: 'Save and Accept' }).click();
    expect(await proposed.answer()).toEqual({
      kind: 'accepted',
      content: 'one\nTWO\nthree\nfour\nfive unsaved\n',
    });
    expect(await desk.read('a.txt')).toBe('one\ntwo\nthree\nfour\nfive unsaved\n');
    // VS Code does not ask about changes that were just merged into the proposal.
    await window.tab('change by').waitFor({ state: 'detached' });
  });

  it('keys that the user types while a diff opens go to the editor in which they are typing', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE, 'b.txt': '' });
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    await desk.openFile('b.txt');
    const alphabet = 'abcdefghijklmnopqrstuvwxyz';
    await window.page.keyboard.type(alphabet.slice(0, 8), { delay: 40 });
    const typed = window.page.keyboard.type(alphabet.slice(8), { delay: 40 });
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await typed;
    await window.tab('change by').waitFor();
    await window.tab('b.txt').click();
    expect(await window.text).toBe(alphabet);
    expect(await desk.companion.isPending(proposed.id)).toBe(true);
    // The notification remains after the decision, but opens nothing.
    await window.tab('change by').click();
    await window.diff.waitForLine('TWO');
    await window.diff.accept.click();
    await window.tab('change by').waitFor({ state: 'detached' });
    await window.notification('proposes a change').getByRole('button', { name: 'Show' }).click();
    await window.notification('This review is already decided').waitFor();
    expect(await window.tab('change by').count()).toBe(0);
  });

  it('a diff becomes active while the user is in a terminal, and a key moves the focus to it', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const gemini = await connectAgent(desk.companion, 'gemini');
    const { window } = desk;
    await desk.openFile('b.txt');
    const terminal = await window.openTerminal();
    await terminal.run('true');
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.diff.waitForLine('TWO');
    expect(await terminal.hasFocus()).toBe(true);
    expect(await terminal.run('echo still here')).toBe('still here');
    // To the visible diff, not to the next one.
    const behind = await gemini.propose(desk.path('b.txt'), 'one\nof gemini\n');
    await window.tab('b.txt (change').waitFor();
    await window.page.keyboard.press('Alt+]');
    await window.diff.focusedSide.waitFor();
    await window.diff.waitForLine('TWO');
    await window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED });
    await window.diff.waitForLine('of gemini');
    await window.diff.reject.click();
    expect(await behind.answer()).toEqual({ kind: 'rejected' });
    // After a diff closes, nothing has the focus, so the next one may become the active tab.
    await window.tab('(change').first().waitFor({ state: 'detached' });
    const next = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.diff.waitForLine('TWO');
    await window.diff.reject.click();
    expect(await next.answer()).toEqual({ kind: 'rejected' });
  });

  it('a diff that is not ours is never closed', exhaustive, async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    await desk.openFile('b.txt');
    await window.page.keyboard.type('mine ');
    await window.command('File: Compare Active File with Saved');
    const other = window.tab(/b\.txt.*↔|b\.txt \(in file\)/);
    await other.first().waitFor();
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.tab('change by').waitFor();
    await claude.call('closeAllDiffTabs');
    expect(await desk.companion.outcomeOf(proposed.id)).toBe('withdrawn');
    await window.tab('change by').waitFor({ state: 'detached' });
    expect(await other.count()).toBe(1);
  });
});

describe('with diffs that take the focus', () => {
  it('an accept key is ignored at the moment when a diff opens at the cursor', exhaustive, async () => {
    const desk = await site.current.share(
      { 'a.txt': BEFORE, 'b.txt': BEFORE },
      { 'tandem.reviews.takeFocus': true },
    );
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    await desk.openFile('b.txt');
    const keys = pressSaveWhenDiffHasFocus(window.page);
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.diff.focusedSide.waitFor();
    await keys;
    expect(await desk.companion.isPending(proposed.id)).toBe(true);
    await window.diff.appendToLine('TWO', '!');
    await window.diff.decideByKey('Control+S');
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED.replace('TWO', 'TWO!') });
  });
});

describe('with auto-save', () => {
  it('nothing is accepted by itself, and what was typed is there', async () => {
    const settings = { 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 50 };
    const desk = await site.current.share({ 'a.txt': BEFORE, 'b.txt': BEFORE }, settings);
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    const { window } = desk;
    await window.diff.appendToLine('TWO', '!');
    await desk.openFile('b.txt');
    // An unrelated file shows that auto-save is active.
    await window.page.keyboard.type('mine ');
    await window.tab('change by').click();
    await expect.poll(() => desk.read('b.txt')).toMatch(/^mine /);
    await window.diff.waitForLine('TWO!');
    expect(await desk.companion.isPending(proposed.id)).toBe(true);
    await window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: PROPOSED.replace('TWO', 'TWO!') });
  });
});

describe('with formatters on save', () => {
  const settings = {
    'editor.formatOnSave': true,
    'files.trimTrailingWhitespace': true,
    'files.insertFinalNewline': true,
    'files.trimFinalNewlines': true,
  };
  const proposal = '{"a":1,   "b": [1,2],   \n\n\n"c":2}';

  it('the agent gets what the user saw, by button and by key', exhaustive, async () => {
    const desk = await site.current.share({ 'a.json': '{}\n' }, settings);
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    const first = await claude.propose(desk.path('a.json'), proposal);
    await window.diff.waitForLine('"c":2}');
    await window.diff.accept.click();
    expect(await first.answer()).toEqual({ kind: 'accepted', content: proposal });
    await window.diff.root.waitFor({ state: 'detached' });

    const second = await claude.propose(desk.path('a.json'), proposal);
    await window.diff.appendToLine('"c":2}', '   ');
    await window.diff.decideByKey('Control+S');
    expect(await second.answer()).toEqual({ kind: 'accepted', content: `${proposal}   ` });
    await window.diff.root.waitFor({ state: 'detached' });

    // Closing an edited diff asks our question only, not also the editor's.
    const other = proposal.replace('[1,2]', '[1,3]');
    const third = await claude.propose(desk.path('a.json'), other);
    await window.diff.appendToLine('"c":2}', '  // mine');
    await window.pause();
    await window.closeTab('change by');
    await window.dialog('You edited').getByRole('button', { name: 'Accept', exact: true }).click();
    expect(await third.answer()).toEqual({ kind: 'accepted', content: `${other}  // mine` });
    await window.tab('change by').waitFor({ state: 'detached' });
    expect(await window.dialog().count()).toBe(0);
  });

  it(
    'a proposal that only the user can save is asked about once, by the editor, and stays pending',
    exhaustive,
    async () => {
      const desk = await site.current.share({ 'a.json': '{}\n' }, settings);
      const claude = await connectClaude(desk.companion);
      const { window } = desk;
      // Saving the diff itself would also save the file beside it.
      await desk.openFile('a.json');
      await window.page.keyboard.type(' ');
      const proposed = await claude.propose(desk.path('a.json'), proposal);
      await window.tab('change by').click();
      await window.diff.appendToLine('"c":2}', '  // mine');
      await window.closeTab('change by');
      await window.dialog('want to save').getByRole('button', { name: 'Save', exact: true }).click();
      const notification = window.notification('The proposal by Claude Code for a.json is still pending');
      await notification.waitFor();
      expect(await window.dialog().count()).toBe(0);
      await notification.getByRole('button', { name: 'Show Again' }).click();
      await window.diff.waitForLine('"c":2}  // mine');
      await window.diff.accept.click();
      await window.dialog('unsaved changes').getByRole('button', { name: 'Accept Anyway' }).click();
      expect(await proposed.answer()).toEqual({ kind: 'accepted', content: `${proposal}  // mine` });
    },
  );
});

describe('with previews from quick open', () => {
  it('no accepted file replaces one', exhaustive, async () => {
    const settings = { 'workbench.editor.enablePreviewFromQuickOpen': true };
    const desk = await site.current.share({ 'a.txt': BEFORE, 'front.txt': BEFORE }, settings);
    const claude = await connectClaude(desk.companion);
    const { window } = desk;
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await window.diff.waitForLine('TWO');
    await desk.openFile('front.txt');
    await window.activeTab.locator('.label-name.italic, .italic .label-name').first().waitFor();
    await window.command('Tandem: Accept All Proposals of a Session');
    await proposed.answer();
    await window.tab('change by').waitFor({ state: 'detached' });
    await writeFile(desk.path('a.txt'), PROPOSED);
    await window.tab('a.txt').waitFor();
    expect(await window.activeTab.textContent()).toContain('front.txt');
  });
});

/**
 * Presses Ctrl+S from within the page in each of the first frames in which a diff has the focus: on a busy machine, a
 * key from outside would be late.
 */
function pressSaveWhenDiffHasFocus(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let [frames, since] = [0, 0];
        const look = (): void => {
          const focused = document.activeElement;
          if (focused?.closest('.monaco-diff-editor .editor.modified')) {
            frames += 1;
            since ||= performance.now();
            const key = {
              key: 's',
              code: 'KeyS',
              keyCode: 83,
              ctrlKey: true,
              bubbles: true,
              cancelable: true,
            };
            focused.dispatchEvent(new KeyboardEvent('keydown', key));
          }
          // Later than that, a slow machine shows a frame that a user has had time to see.
          if (frames < 5 && (frames === 0 || performance.now() - since < 200)) requestAnimationFrame(look);
          else resolve();
        };
        look();
      }),
  );
}
