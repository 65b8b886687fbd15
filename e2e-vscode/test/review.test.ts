import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { exhaustive } from '../../test/exhaustive.js';
import { agentKinds, connectAgent, connectClaude } from '../src/mcpAgent.js';
import { useSite } from '../src/vscodeSite.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';

const pictures = join(import.meta.dirname, '../../test-results/pictures');
const site = useSite();

/** Two changes, far enough apart to be two hunks. */
function twoHunks(): { before: string; first: string; second: string; both: string } {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
  const [first, second] = [lines.with(1, 'first change\n'), lines.with(17, 'second change\n')];
  const both = first.with(17, 'second change\n');
  return { before: lines.join(''), first: first.join(''), second: second.join(''), both: both.join('') };
}

describeMatrix<(typeof agentKinds)[number]>(
  agentKinds,
  ['claude', 'gemini'],
  'a change that %s proposes',
  (kind) => {
    it('is shown beside the file, and answered as the user decides: accepted, edited, rejected, withdrawn', async () => {
      const desk = await site.current.share({ 'a.txt': BEFORE });
      const agent = await connectAgent(desk.companion, kind);
      const { diff } = desk.window;
      const propose = async () => {
        const proposed = await agent.propose(desk.path('a.txt'), PROPOSED);
        await diff.waitForLine('TWO');
        return proposed;
      };
      const isGone = () => diff.root.waitFor({ state: 'detached' });

      const accepted = await propose();
      await expect.poll(() => diff.originalText()).toBe(BEFORE);
      await expect.poll(() => diff.modifiedText()).toBe(PROPOSED);
      await diff.accept.click();
      expect(await accepted.answer()).toEqual({ kind: 'accepted', content: PROPOSED });
      await isGone();

      const edited = await propose();
      await diff.appendToLine('TWO', ', corrected 文 🦋');
      await diff.accept.click();
      const corrected = 'one\nTWO, corrected 文 🦋\nthree\n';
      const content = agent.writesOwnText ? PROPOSED : corrected;
      expect(await edited.answer()).toEqual({ kind: 'accepted', content });
      await isGone();

      const rejected = await propose();
      await diff.reject.click();
      expect(await rejected.answer()).toEqual({ kind: 'rejected' });
      await isGone();

      const withdrawn = await propose();
      await withdrawn.withdraw();
      expect(await desk.companion.outcomeOf(withdrawn.id)).toBe('withdrawn');
      await isGone();
      // Only the agent writes the file, never the editor.
      expect(await desk.read('a.txt')).toBe(BEFORE);
    });
  },
);

describe('hunks', () => {
  it('are dropped and kept again, where the cursor is', async () => {
    const { before, second, both } = twoHunks();
    const desk = await site.current.share({ 'long.txt': before });
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('long.txt'), both);
    const { diff } = desk.window;
    await diff.dropHunk('first change');
    await diff.waitForNote('A change was dropped here');
    await diff.keepHunk('first change');
    await diff.dropHunkByAction('first change');
    await diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: second });
  });

  it("are reverted by VS Code's own arrows", exhaustive, async () => {
    const { before, first, both } = twoHunks();
    const desk = await site.current.share({ 'long.txt': before });
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('long.txt'), both);
    const { diff } = desk.window;
    await diff.waitForLine('second change');
    await diff.revert('second change');
    await diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: first });
  });
});

describe('keys', () => {
  it('accept with Ctrl+S while the proposal has the focus', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    const { diff } = desk.window;
    await diff.appendToLine('TWO', '!');
    await diff.decideByKey('Control+S');
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: 'one\nTWO!\nthree\n' });
  });

  it('reject with Ctrl+Alt+Backspace', exhaustive, async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    await desk.window.diff.appendToLine('TWO', '!');
    await desk.window.diff.decideByKey('Control+Alt+Backspace');
    expect(await proposed.answer()).toEqual({ kind: 'rejected' });
  });
});

describe('closing the tab', () => {
  it.each(['claude', 'gemini', 'qwen'] as const)(
    'rejects a proposal of %s that was not edited [CLA-36 GEM-49 QWN-49 QWL-49]',
    async (kind) => {
      const desk = await site.current.share({ 'a.txt': BEFORE });
      const agent = await connectAgent(desk.companion, kind);
      const proposed = await agent.propose(desk.path('a.txt'), PROPOSED);
      await desk.window.diff.waitForLine('TWO');
      await desk.window.closeTab('a.txt');
      expect(await proposed.answer()).toEqual({ kind: 'rejected' });
    },
  );

  it('asks once about a proposal that is closed after the user has typed', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    const { window } = desk;
    await window.diff.focusLine('TWO');
    await window.page.keyboard.type(' and mine');
    // Tandem saves the text in the editor after a short pause; until then, VS Code itself asks.
    await window.page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
    await window.page.keyboard.press('Control+W');
    await window.dialog('You edited').getByRole('button', { name: 'Accept', exact: true }).click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: 'one\nTWO and mine\nthree\n' });
    expect(await window.dialog().count()).toBe(0);
  });
});

it(
  'a list offers all that can be done with a review, such as to undo the merge of its file',
  exhaustive,
  async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('a.txt'), PROPOSED);
    const { window } = desk;
    await window.diff.waitForLine('TWO');
    // VS Code may not watch the file yet.
    const writeAndRead = async (): Promise<string> => {
      await desk.put('a.txt', `${BEFORE}four\n`);
      return window.diff.modifiedText();
    };
    await expect.poll(writeAndRead).toBe(`${PROPOSED}four\n`);
    const actions = window.quickInput.getByRole('option');
    await window.command('Tandem: Review Actions');
    const labels = () => actions.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
    await expect.poll(labels).toEqual(['Accept', 'Reject', 'Undo the Merge']);
    await window.row('Undo the Merge').click();
    await window.notification('The merge is undone.').waitFor();
    await expect.poll(() => window.diff.modifiedText()).toBe(PROPOSED);
    await window.showReviews();
    await window.chooseFromMenu(window.treeRow('a.txt').first(), 'Review Actions');
    await window.row('Reject').click();
    expect(await proposed.answer()).toEqual({ kind: 'rejected' });
  },
);

describe('closing several tabs at once', () => {
  it('decides nothing, reports that, and offers to show the reviews again', exhaustive, async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    const claude = await connectClaude(desk.companion);
    const gemini = await connectAgent(desk.companion, 'gemini');
    const { window } = desk;
    const first = await claude.propose(desk.path('a.txt'), PROPOSED);
    const second = await gemini.propose(desk.path('b.txt'), PROPOSED);
    await window.tab('b.txt (change').waitFor();
    await window.command('View: Close All Editors');
    await window.tab('change by').first().waitFor({ state: 'detached' });
    const notification = window.notification('2 proposals are still pending');
    await notification.waitFor();
    for (const { id } of [first, second]) expect(await desk.companion.isPending(id)).toBe(true);
    await notification.getByRole('button', { name: 'Show Again' }).click();
    await window.tab('b.txt (change').waitFor();
    await window.activeTab.filter({ hasText: 'a.txt (change' }).waitFor();
    // A file that closes with it also counts as a second tab.
    await second.withdraw();
    await window.tab('b.txt (change').waitFor({ state: 'detached' });
    await desk.openFile('b.txt');
    await window.command('View: Close All Editors');
    await window
      .notification(
        /Closing several views rejects nothing: the proposal by Claude Code for (\d+\/)?a\.txt is still pending/,
      )
      .waitFor();
    expect(await desk.companion.isPending(first.id)).toBe(true);
  });
});

describe('the text', () => {
  const delicate = {
    'line ends of Windows': 'one\r\ntwo\r\n',
    'a byte order mark': '\uFEFFone\ntwo\n',
    'mixed line ends': 'one\r\ntwo\nthree\r\nfour',
    'no newline at the end': 'one\ntwo',
    'blanks at the ends of lines, and tabs': 'one  \n\ttwo\t\n\n\n',
    'a line separator that is no line end to an editor': 'one\u2028two\n',
    'letters beyond the first plane': '文 🦋 👩‍👩‍👧\n',
    nothing: '',
  };

  it('is accepted exactly as proposed, whatever it contains', exhaustive, async () => {
    const desk = await site.current.share({ 'a.txt': 'before\n' });
    const claude = await connectClaude(desk.companion);
    for (const [what, content] of Object.entries(delicate)) {
      const proposed = await claude.propose(desk.path('a.txt'), content);
      await desk.window.diff.root.waitFor();
      await desk.window.diff.accept.click();
      expect(await proposed.answer(), what).toEqual({ kind: 'accepted', content });
      await desk.window.diff.root.waitFor({ state: 'detached' });
    }
  });

  it('of a large file is shown and accepted whole', exhaustive, async () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} of a file of a megabyte\n`);
    const content = lines.with(20_000, 'changed\n').join('');
    const desk = await site.current.share({ 'large.txt': lines.join('') });
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('large.txt'), content);
    await desk.window.diff.root.waitFor();
    await desk.window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content });
  });

  it(
    'that replaces a file that is not text has a warning, and is accepted after a question',
    exhaustive,
    async () => {
      const desk = await site.current.share({ 'a.txt': Buffer.from('caf\xe9\0\n', 'latin1') });
      const claude = await connectClaude(desk.companion);
      const proposed = await claude.propose(desk.path('a.txt'), 'café\n');
      const { diff } = desk.window;
      await diff.waitForLine('café');
      await diff.warnings.filter({ hasText: 'This file is binary.' }).waitFor();
      await diff.accept.click();
      const question = desk.window.dialog('The proposal replaces all of it with text.');
      await question.getByRole('button', { name: 'Accept anyway' }).click();
      expect(await proposed.answer()).toEqual({ kind: 'accepted', content: 'café\n' });
    },
  );

  it('of a notebook is shown as text', async () => {
    const notebook = (source: string): string =>
      `${JSON.stringify({ cells: [{ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: [source] }], metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
    const desk = await site.current.share({ 'a.ipynb': notebook('print(1)') });
    const claude = await connectClaude(desk.companion);
    const proposed = await claude.propose(desk.path('a.ipynb'), notebook('print(2)'));
    await desk.window.diff.waitForLine('print(2)');
    await desk.window.diff.accept.click();
    expect(await proposed.answer()).toEqual({ kind: 'accepted', content: notebook('print(2)') });
  });
});

describe('several reviews', () => {
  it(
    'of all agents in one window are decided in their tabs, and each agent gets its answer',
    exhaustive,
    async () => {
      const desk = await site.current.share(
        Object.fromEntries(agentKinds.map((kind) => [`${kind}.txt`, 'one\ntwo\n'])),
      );
      const { window } = desk;
      const contentOf = (kind: string) => `one\ntwo by ${kind}\n`;
      const working = [];
      for (const kind of agentKinds) {
        const agent = await connectAgent(desk.companion, kind);
        const proposed = await agent.propose(desk.path(`${kind}.txt`), contentOf(kind));
        working.push({ kind, proposed });
      }
      for (const { kind, proposed } of working) {
        const name = `${kind}.txt`;
        await window.tab(`${name} (change`).click();
        await window.diff.waitForLine(`two by ${kind}`);
        await (kind === 'qwen' ? window.diff.reject : window.diff.accept).click();
        const answer = { kind: 'accepted', content: contentOf(kind) };
        expect(await proposed.answer()).toEqual(kind === 'qwen' ? { kind: 'rejected' } : answer);
        // The tabs behind it move when it closes and when the tab of the written file opens.
        await window.tab(`${name} (change`).waitFor({ state: 'detached' });
        if (kind === 'qwen') continue;
        await desk.put(name, contentOf(kind));
        await window.tab(name).waitFor();
      }
    },
  );

  it('are listed and counted, and accepted all at once', async () => {
    const desk = await site.current.share({ 'a.txt': BEFORE, 'b.txt': BEFORE, 'c.txt': BEFORE });
    const [claude, gemini] = [
      await connectClaude(desk.companion),
      await connectAgent(desk.companion, 'gemini'),
    ];
    const { window } = desk;
    const ofClaude = await claude.propose(desk.path('a.txt'), PROPOSED);
    const first = await gemini.propose(desk.path('b.txt'), PROPOSED);
    const second = await gemini.propose(desk.path('c.txt'), PROPOSED);
    await window.showReviews();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await window.treeRow(name).first().waitFor();
    await window.reviewsBadge('3').waitFor();
    const row = window.treeRow('b.txt').first();
    await expect
      .poll(() => row.getAttribute('aria-label'))
      .toMatch(/^Gemini CLI proposes a change to b\.txt, 1 line added, 1 removed/);
    await window.hover(row, 'Gemini CLI proposes a change to b.txt');
    const [ofReviews, ofBar] = await Promise.all([
      window.page
        .locator('.split-view-view:has(> .pane[aria-label^="Reviews"], .pane [aria-label^="Reviews"])')
        .first()
        .boundingBox(),
      window.page.locator('.part.sidebar .split-view-container').first().boundingBox(),
    ]);
    expect((ofReviews?.height ?? 0) / (ofBar?.height ?? 1)).toBeGreaterThan(0.25);
    await window.command('Tandem: Accept All');
    await window.row('Gemini CLI').first().click();
    await window
      .dialog('Accept 2 proposals by Gemini CLI?')
      .getByRole('button', { name: 'Accept 2 Proposals' })
      .click();
    expect(await first.answer()).toEqual({ kind: 'accepted', content: PROPOSED });
    expect(await second.answer()).toEqual({ kind: 'accepted', content: PROPOSED });
    expect(await desk.companion.isPending(ofClaude.id)).toBe(true);
    await window.reviewsBadge('1').waitFor();
  });

  it(
    'of a session are decided one after the other by key, and the rest from its row',
    exhaustive,
    async () => {
      const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'];
      const desk = await site.current.share(Object.fromEntries(names.map((name) => [name, BEFORE])));
      const gemini = await connectAgent(desk.companion, 'gemini');
      const { window } = desk;
      const proposed = [];
      for (const name of names) proposed.push(await gemini.propose(desk.path(name), PROPOSED));
      await window.statusItem('1 of 5').waitFor();
      // Clicks, after which keys are not ignored.
      await window.diff.focusLine('TWO');
      await window.page.keyboard.press('Control+s');
      await window.statusItem('1 of 4').waitFor();
      await window.diff.focusedSide.waitFor();
      expect(await window.activeTab.textContent()).toContain('b.txt');
      await window.diff.focusLine('TWO');
      await window.page.keyboard.press('Control+Alt+Backspace');
      await window.statusItem('1 of 3').waitFor();
      await window.diff.appendToLine('TWO', ' and mine');
      await window.showReviews();
      await window.treeRow('c.txt').filter({ hasText: 'edited' }).waitFor();
      const row = window.sessionRow('Gemini CLI');
      const question = window.dialog('Accept 3 proposals by Gemini CLI?');
      await window.askInRow(row, 'Accept All', question);
      await question.filter({ hasText: /With your edits: (?:\d+\/)?c\.txt/ }).waitFor();
      await mkdir(pictures, { recursive: true });
      await writeFile(join(pictures, 'session.png'), await window.page.screenshot());
      await question.getByRole('button', { name: 'Accept 3 Proposals' }).click();
      const accepted = { kind: 'accepted', content: PROPOSED };
      expect(await Promise.all(proposed.map((each) => each.answer()))).toEqual([
        accepted,
        { kind: 'rejected' },
        { kind: 'accepted', content: 'one\nTWO and mine\nthree\n' },
        accepted,
        accepted,
      ]);
      await expect.poll(() => window.tab('change by').count()).toBe(0);
    },
  );
});
