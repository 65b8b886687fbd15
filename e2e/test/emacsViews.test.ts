import { readFile, symlink, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmacsWindow, missingEmacs } from '../src/emacs.js';
import { connectGemini } from '../src/emacsClients.js';
import { Sandbox } from '../src/sandbox.js';
import type { SdkAgent } from '../src/sdkClients.js';

/** Where Emacs shows a review, and which buffer belongs to its file. */
describe('Emacs', () => {
  let sandbox: Sandbox;
  let emacs: EmacsWindow;
  let agent: SdkAgent;

  beforeAll(async () => {
    expect(missingEmacs()).toBeUndefined();
    await start();
  });

  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    await dispose();
    await start();
  });

  afterAll(dispose);

  async function start(): Promise<void> {
    sandbox = await Sandbox.create();
    emacs = await EmacsWindow.start(sandbox, await sandbox.folder('workspace'));
    agent = await connectGemini(emacs);
  }

  async function dispose(): Promise<void> {
    await agent?.client.close();
    await emacs?.dispose();
    await sandbox?.dispose();
  }

  async function propose(name: string): Promise<string> {
    const path = await sandbox.write(`${emacs.folder}/${name}`, 'one\n');
    await agent.openDiff(path, 'two\n');
    await emacs.waitForReviews(1);
    return path;
  }

  const layout = (): Promise<string> =>
    emacs.evaluate(`(mapcar (lambda (each) (list (buffer-name (window-buffer each)) (window-edges each)))
      (window-list nil 'nomini (frame-first-window)))`);

  /** The buffers in the windows that are no side windows. */
  const shown = (): Promise<string> =>
    emacs.evaluate(`(delq nil (mapcar (lambda (each) (and (not (window-parameter each 'window-side))
      (buffer-name (window-buffer each)))) (window-list nil 'nomini (frame-first-window))))`);

  const clear = (): Promise<string> =>
    emacs.evaluate(
      '(let ((ignore-window-parameters t)) (delete-other-windows) (switch-to-buffer "*scratch*"))',
    );

  /** As treemacs does. */
  const openSideWindow = (side: string, size: number): Promise<string> =>
    emacs.evaluate(`(display-buffer-in-side-window (get-buffer-create "*tree*")
      '((side . ${side}) (window-width . ${size}) (window-height . ${size})
        (window-parameters . ((no-delete-other-windows . t)))))`);

  it.each(['left', 'top', 'right', 'bottom'])(
    'opens a review beside a side window at the %s, and then restores the windows',
    async (side) => {
      await clear();
      await openSideWindow(side, 9);
      const before = await layout();
      await propose('side.txt');
      await emacs.press('M-x');
      await emacs.terminal.type('tandem-review\r');
      await emacs.waitFor('side.txt by Gemini CLI');
      expect(await shown()).toBe('("*tandem file: side.txt*" "*tandem proposal: side.txt*")');
      expect(await layout()).toContain('*tree*');
      await emacs.press('C-c C-k');
      await emacs.waitForReviews(0);
      expect(await layout()).toBe(before);
      await clear();
    },
  );

  it('shows the proposal alone where both sides have no room', async () => {
    await clear();
    await emacs.evaluate('(setq window-min-height 100 window-min-width 400)');
    await propose('small.txt');
    await emacs.openReview();
    expect(await shown()).toBe('("*tandem proposal: small.txt*")');
    await emacs.evaluate('(setq window-min-height 4 window-min-width 10)');
    await emacs.press('C-c C-k');
    await emacs.waitForReviews(0);
    await clear();
  });

  it('rejects a proposal whose buffer is killed, unless several are killed at once [EDT-31]', async () => {
    await clear();
    const path = await propose('closed.txt');
    await emacs.openReview();
    const since = agent.notifications.length;
    await emacs.press('C-x');
    await emacs.terminal.type('k\r');
    await agent.waitForNotification('ide/diffRejected', path, since);
    await emacs.waitFor('Closing the view rejected');
    await clear();
    await propose('one.txt');
    await agent.openDiff(await sandbox.write(`${emacs.folder}/two.txt`, 'one\n'), 'two\n');
    await emacs.waitForReviews(2);
    await emacs.evaluate('(dolist (view (tandem--pending)) (kill-buffer (tandem--view-proposal view)))');
    await emacs.waitFor('is still pending');
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/one\.txt +pending/);
    await emacs.waitFor(/two\.txt +pending/);
    await emacs.press('K');
    await emacs.waitFor('Reject 2 proposals by Gemini CLI');
    await emacs.terminal.type('reject\r');
    await emacs.waitFor('Rejected 2 proposals.');
    await clear();
  });

  it('shows the path below the folder, and each warning whole, where a review is listed and decided', async () => {
    await clear();
    const path = await sandbox.write(`${sandbox.home}/outside/${'long-'.repeat(9)}name.txt`, 'one\n');
    await agent.openDiff(path, 'two\n');
    await emacs.waitForReviews(1);
    await emacs.openReview();
    // The frame has two windows side by side: the sentence is wider than one of them.
    await emacs.evaluate('(split-window nil 30 t)');
    const above =
      "(overlay-get (car (seq-filter (lambda (each) (overlay-get each 'tandem-warnings)) (overlays-in 1 1))) 'before-string)";
    const width = Number(
      await emacs.evaluate("(apply #'min (mapcar #'window-body-width (get-buffer-window-list)))"),
    );
    await expect
      .poll(() =>
        emacs.evaluate(`(apply #'max (mapcar #'string-width (split-string ${above} "\n")))`).then(Number),
      )
      .toBeLessThan(width);
    expect(await emacs.text(`(string-replace "\n" " " (substring-no-properties ${above}))`)).toContain(
      'outside',
    );
    await emacs.waitFor(/~\/outside\/long-/);
    await emacs.press('C-c C-k');
    await emacs.waitForReviews(0);
    await propose('deep/folder/100%s.txt');
    await emacs.openReview();
    await emacs.waitFor(' deep/folder/100%s.txt by Gemini CLI');
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/deep\/folder\/100%s\.txt +pending/);
    await emacs.press('k');
    await emacs.waitForReviews(0);
    await clear();
  });

  it('lists every warning of a review', async () => {
    await clear();
    const path = await sandbox.write(`${emacs.folder}/emptied.txt`, 'one\n');
    await agent.openDiff(path, '');
    await emacs.waitForReviews(1);
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor('The proposal empties the file.');
    await emacs.press('k');
    await emacs.waitForReviews(0);
    await clear();
  });

  it('accepts what Tandem asks about only when the user types the verb', async () => {
    await clear();
    const path = await propose('.git/hooks/pre-commit');
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/\.git\/hooks\/pre-commit +pending.*\n[^\n]*This file is in a \.git folder\./);
    await emacs.openReview();
    await emacs.press('C-c C-c');
    await emacs.waitFor(/Accept the proposal for\s+\.git\/hooks\/pre-commit\?/);
    await emacs.waitFor('Accept anyway (empty: cancel)');
    await emacs.press('RET');
    await emacs.waitFor((screen) => !screen.includes('Accept anyway'));
    await emacs.waitForReviews(1);
    await emacs.press('C-c C-c');
    await emacs.waitFor('Accept anyway (empty: cancel)');
    await emacs.terminal.type('y\r');
    await emacs.waitFor('[No match]');
    const since = agent.notifications.length;
    await emacs.terminal.type('\x7faccept anyway\r');
    await agent.waitForNotification('ide/diffAccepted', path, since);
    await emacs.waitForReviews(0);
    await clear();
  });

  it('changes no windows of another tab when a review ends there', async () => {
    await clear();
    const path = await propose('tab.txt');
    await emacs.evaluate('(tab-bar-mode 1)');
    await emacs.openReview();
    await emacs.evaluate('(progn (tab-bar-new-tab) (switch-to-buffer "*Messages*") (split-window))');
    const before = await layout();
    const since = agent.notifications.length;
    await emacs.evaluate(
      '(with-current-buffer (tandem--view-proposal (car (tandem--pending))) (tandem-accept))',
    );
    await agent.waitForNotification('ide/diffAccepted', path, since);
    await emacs.waitForReviews(0);
    expect(await layout()).toBe(before);
    await emacs.evaluate('(progn (tab-bar-close-tab) (tab-bar-mode -1))');
    expect(await layout()).not.toContain('*tandem');
    await clear();
  });

  it('counts an indirect buffer as its file', async () => {
    const path = await sandbox.write(`${emacs.folder}/base.txt`, 'one two\n');
    await emacs.evaluate(
      `(progn (find-file "${path}") (switch-to-buffer (make-indirect-buffer (current-buffer) "indirect" t)))`,
    );
    await emacs.evaluate('(progn (goto-char 5) (push-mark 8 t t) (tandem--schedule))');
    await agent.waitForContext(path, 'two');
    await emacs.evaluate('(progn (deactivate-mark) (switch-to-buffer "base.txt"))');
    await agent.openDiff(path, 'three\n');
    await emacs.waitForReviews(1);
    await emacs.openReview();
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    await agent.waitForNotification('ide/diffAccepted', path, since);
    await writeFile(path, 'three\n');
    await expect
      .poll(() => emacs.evaluate('(with-current-buffer "indirect" (buffer-string))'))
      .toContain('three');
    await emacs.evaluate('(progn (kill-buffer "indirect") (kill-buffer "base.txt"))');
    await clear();
  });

  it('reloads a file that its agent names through a link', async () => {
    const path = await sandbox.write(`${emacs.folder}/real/a.txt`, 'one\n');
    const linked = `${emacs.folder}/link.txt`;
    await symlink(path, linked);
    await emacs.evaluate(`(find-file "${path}")`);
    await agent.openDiff(linked, 'two\n');
    await emacs.waitForReviews(1);
    await emacs.openReview();
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    await agent.waitForNotification('ide/diffAccepted', linked, since);
    await writeFile(linked, 'two\n');
    await expect.poll(() => emacs.evaluate('(with-current-buffer "a.txt" (buffer-string))')).toContain('two');
  });

  it('applies and discards edited reviews whose agent is gone', async () => {
    const applied = await propose('applied.txt');
    await agent.openDiff(await sandbox.write(`${emacs.folder}/discarded.txt`, 'one\n'), 'two\n');
    await emacs.waitForReviews(2);
    await emacs.evaluate(`(dolist (view (tandem--pending))
      (with-current-buffer (tandem--proposal-buffer view) (insert "mine ") (tandem--flush view)))`);
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/applied\.txt .*pending .*edited/);
    await emacs.waitFor(/discarded\.txt .*pending .*edited/);
    await agent.client.close();
    await emacs.waitForReviews(0);
    await emacs.waitFor(/applied\.txt .*interrupted/);
    await emacs.evaluate('(progn (goto-char (point-min)) (search-forward "applied.txt"))');
    await emacs.press('RET');
    await emacs.waitFor('+mine two');
    // A list that changes meanwhile stays on its review.
    agent = await connectGemini(emacs);
    await propose('later.txt');
    await emacs.waitFor(/later\.txt .*pending/);
    await emacs.evaluate('(progn (kill-buffer) (pop-to-buffer "*tandem reviews*"))');
    await emacs.press('w');
    await emacs.waitFor('Written to');
    expect(await readFile(applied, 'utf8')).toBe('mine two\n');
    await emacs.evaluate('(progn (goto-char (point-min)) (search-forward "discarded.txt"))');
    await emacs.press('x');
    await emacs.waitFor('Discard the interrupted review of');
    await emacs.terminal.type('Discard\r');
    await emacs.waitFor((screen) => !screen.includes('discarded.txt'));
    await emacs.evaluate('(quit-window)');
    await agent.closeDiff(`${emacs.folder}/later.txt`);
    await emacs.waitForReviews(0);
  });
});
