import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmacsWindow, missingEmacs } from '../src/emacs.js';
import { connectClaude, connectGemini } from '../src/emacsClients.js';
import { pickList, pickText } from '../src/json.js';
import { announcements, journalOf } from '../src/leftovers.js';
import { Sandbox } from '../src/sandbox.js';
import type { SdkAgent } from '../src/sdkClients.js';

/** A user at a real Emacs. The agent speaks the protocol of Gemini CLI, so it can propose and write at any time. */
describe('Emacs', () => {
  let sandbox: Sandbox;
  let emacs: EmacsWindow;
  let agent: SdkAgent;

  beforeAll(async () => {
    expect(missingEmacs()).toBeUndefined();
    await start();
  });

  // What a test leaves behind that fails must not fail the next one.
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    await dispose();
    await start();
  });

  afterAll(dispose);

  async function dispose(): Promise<void> {
    await agent?.client.close();
    await emacs?.dispose();
    await sandbox?.dispose();
  }

  async function start(): Promise<void> {
    sandbox = await Sandbox.create();
    const folder = await sandbox.folder('workspace');
    emacs = await EmacsWindow.start(sandbox, folder, '(setq tandem-edit-delay 0.05)');
    agent = await connectGemini(emacs);
  }

  async function propose(name: string, before: string, after: string, pending = 1): Promise<string> {
    const path = await sandbox.write(`${emacs.folder}/${name}`, before);
    await agent.openDiff(path, after);
    await emacs.waitForReviews(pending);
    return path;
  }

  /** The lines `line 1` to `line 100`, and the same with two changes. */
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`);
  const changed = lines.with(1, 'two\n').with(90, 'ninety\n').join('');

  /** Evaluates an expression in the buffer of the only proposal. */
  const inProposal = (expression: string): Promise<string> =>
    emacs.evaluate(`(with-current-buffer (tandem--view-proposal (car (tandem--pending))) ${expression})`);

  const layout = (): Promise<string> =>
    emacs.evaluate(`(list (selected-frame) (selected-window) (length (frame-list))
      (and (minibufferp) (minibuffer-contents-no-properties))
      (mapcar (lambda (each) (list (buffer-name (window-buffer each)) (window-point each) (window-edges each)
                                   (window-dedicated-p each))) (window-list)))`);

  /** Shows a file of its own in one of two windows. */
  const arrangeWindows = (): Promise<string> =>
    emacs.evaluate(
      '(progn (delete-other-windows) (find-file (expand-file-name "own.txt")) (split-window) (selected-window))',
    );

  const answer = (path: string, since: number) => agent.waitForNotification('ide/diffAccepted', path, since);

  it('keeps unsaved text of a file that an agent writes, and shows the conflict', async () => {
    const path = await propose('unsaved.txt', 'one\n', 'two\n');
    await emacs.evaluate(`(progn (find-file "${path}") (insert "mine "))`);
    await emacs.openReview();
    await emacs.waitFor(/^one +.two/m);
    await emacs.press('M-x');
    await emacs.terminal.type('tandem-accept-session\r');
    await emacs.waitFor('Stays pending: unsaved.txt (its file has unsaved changes).');
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    await emacs.waitFor('Save and accept / Accept anyway (empty: cancel)');
    await emacs.terminal.type('accept anyway\r');
    await answer(path, since);
    await writeFile(path, 'two\n');
    await emacs.waitFor('[changed on disk]');
    expect(await emacs.text(`(with-current-buffer (get-file-buffer "${path}") (buffer-string))`)).toBe(
      'mine one\n',
    );
    expect(await readFile(path, 'utf8')).toBe('two\n');
    await emacs.evaluate(
      `(with-current-buffer (get-file-buffer "${path}") (set-buffer-modified-p nil) (kill-buffer))`,
    );
  });

  it('asks before it rejects an edited proposal whose buffer is killed, and keeps it otherwise', async () => {
    const path = await propose('killed.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await emacs.evaluate('(progn (goto-char (point-min)) (insert "mine ") (kill-buffer))');
    await emacs.waitForReviews(0);
    await emacs.waitFor(/You edited the proposal by Gemini CLI for\s+killed\.txt/);
    await emacs.press('RET');
    await emacs.waitFor((screen) => !screen.includes('You edited'));
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/Gemini CLI .*killed\.txt .*pending .*edited/);
    await emacs.press('RET');
    await emacs.waitFor('mine two');
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    expect(await answer(path, since)).toMatchObject({ params: { content: 'mine two\n' } });
  });

  it('decides, comments and compares from the list', async () => {
    await propose('listed.txt', 'one\n', 'two\n');
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/listed\.txt .*pending/);
    await emacs.press('c');
    await emacs.waitFor('Comment:');
    await emacs.press('s h o r t e r RET');
    await emacs.waitFor('1 comment');
    await emacs.press('SPC');
    await emacs.waitFor(/; shorter/);
    await emacs.press('e');
    await emacs.waitFor('Type ? for help');
    expect(await emacs.evaluate('(length (frame-list))')).toBe('1');
    // On a graphical display, the other function would open a frame.
    const setup = `(buffer-local-value 'ediff-window-setup-function (tandem--view-ediff (car (tandem--pending))))`;
    expect(await emacs.evaluate(setup)).toBe('ediff-setup-windows-plain');
    await emacs.evaluate('(tandem-reviews)');
    await emacs.press('k');
    await emacs.waitForReviews(0);
    await emacs.waitFor((screen) => !screen.includes('*Ediff Control Panel*'));
    await emacs.evaluate('(delete-other-windows)');
  });

  it('drops, keeps and accepts changes from the list', async () => {
    const path = await propose('lines.txt', lines.join(''), changed);
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/lines\.txt .*pending .*\+2 -2/);
    await emacs.press('u');
    await emacs.waitFor('No change to keep');
    await emacs.press('d');
    await emacs.waitFor('Change:');
    await emacs.terminal.type('line 91\t\r');
    await emacs.waitFor(/lines\.txt .*\+1 -1/);
    await emacs.press('u');
    await emacs.waitFor(/lines\.txt .*\+2 -2/);
    await emacs.press('d');
    await emacs.waitFor('Change:');
    await emacs.terminal.type('line 2\t\r');
    await emacs.waitFor(/lines\.txt .*\+1 -1/);
    const since = agent.notifications.length;
    await emacs.press('a');
    const content = lines.with(90, 'ninety\n').join('');
    expect(await answer(path, since)).toMatchObject({ params: { content } });
    await emacs.waitForReviews(0);
    await emacs.evaluate('(delete-other-windows)');
  });

  it('decides a whole session, shows its changes and undoes them', async () => {
    const path = await propose('session.txt', 'one\n', 'two\n');
    const other = await propose('other.txt', 'one\n', 'two\n', 2);
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/session\.txt .*pending/);
    await emacs.press('A');
    await emacs.waitFor('Accept 2 proposals by Gemini CLI?');
    await emacs.terminal.type('accept\r');
    await emacs.waitFor('Accepted 2 proposals.');
    await writeFile(other, 'two\n');
    await writeFile(path, 'two\n');
    await writeFile(path, 'zero, by the user\n\ntwo\n');
    await emacs.evaluate('(tandem-changes t)');
    const shown = '(with-current-buffer "*tandem changes*" (buffer-string))';
    await expect.poll(() => emacs.evaluate(shown)).toContain('session.txt: The file also has changes');
    const files = "(jsonrpc-request tandem--connection 'changes/list tandem--none)";
    const listed = `(seq-find (lambda (file) (equal (plist-get file :path) "${path}")) ${files})`;
    expect(await emacs.evaluate(`(tandem--changed-lines ${listed})`)).toContain('+1 -1  The file also has');
    await writeFile(path, 'two\n');
    await emacs.press('M-x');
    await emacs.terminal.type('tandem-undo\r');
    await emacs.waitFor('Undo (empty: all files):');
    await emacs.terminal.type(`${path}\r`);
    await emacs.waitFor('(yes or no)');
    await emacs.terminal.type('yes\r');
    await emacs.waitFor('session.txt is back to its earlier text');
    expect(await readFile(path, 'utf8')).toBe('one\n');
    await emacs.evaluate('(tandem-status)');
    await emacs.waitFor(/Gemini CLI +connected/);
    await emacs.evaluate('(tandem-pause-sharing)');
    await emacs.waitFor('[paused]');
    await emacs.evaluate('(tandem-resume-sharing)');
    await emacs.waitFor((screen) => !screen.includes('[paused]'));
    await emacs.evaluate(`(progn (find-file "${path}") (tandem-mention))`);
    await emacs.waitFor('No connected agent supports mentions');
    await emacs.evaluate('(tandem-doctor)');
    await emacs.waitFor(/GNU Emacs \S+ serves/);
  });

  it.each([
    ['only a terminal', '(term "/bin/cat")'],
    ['a folder', '(dired default-directory)'],
    [
      'a dedicated window',
      '(progn (switch-to-buffer "*scratch*") (split-window) (set-window-dedicated-p nil t))',
    ],
    ['a side window', '(display-buffer-in-side-window (get-buffer "*scratch*") nil)'],
    [
      'two frames',
      '(progn (make-frame) (select-frame (make-frame)) (switch-to-buffer (get-buffer-create "notes")))',
    ],
    ['an active minibuffer', undefined],
  ])(
    'takes neither point nor focus nor windows with %s, and restores them after the review',
    async (_, open) => {
      await emacs.evaluate('(progn (delete-other-windows) (find-file (expand-file-name "own.txt")))');
      if (open !== undefined) await emacs.evaluate(open);
      else {
        await emacs.press('M-x t a');
        await emacs.waitFor('M-x ta');
      }
      const before = await layout();
      await propose('layout.txt', 'one\n', 'two\n');
      expect(await layout()).toBe(before);
      if (open === undefined) {
        // Unlike C-g, it cannot quit an evaluation.
        await emacs.terminal.type('\x1b\x1b\x1b');
        await emacs.waitFor((screen) => !screen.includes('M-x ta'));
      }
      const known = await layout();
      await emacs.openReview();
      await emacs.waitFor('layout.txt (current file)');
      await emacs.press('C-c C-k');
      await emacs.waitForReviews(0);
      expect(await layout()).toBe(known);
      await emacs.evaluate('(progn (delete-other-frames) (delete-other-windows (window-main-window)))');
      await emacs.evaluate('(let ((ignore-window-parameters t)) (delete-other-windows))');
    },
  );

  it('restores the windows from before two reviews, in any order', async () => {
    await arrangeWindows();
    const before = await layout();
    const since = agent.notifications.length;
    const first = await propose('order1.txt', 'one\n', 'two\n');
    await emacs.openReview();
    const second = await sandbox.write(`${emacs.folder}/order2.txt`, 'one\n');
    await agent.openDiff(second, 'three\n');
    await emacs.waitForReviews(2);
    const view = (path: string): string =>
      `(seq-find (lambda (view) (equal (tandem--get view :path) "${path}")) (tandem--pending))`;
    await emacs.evaluate(`(tandem-review ${view(second)})`);
    await emacs.waitFor('order2.txt by Gemini CLI');
    await emacs.evaluate(`(with-current-buffer (tandem--view-proposal ${view(first)}) (tandem-accept))`);
    await answer(first, since);
    await emacs.waitForReviews(1);
    await emacs.press('C-c C-q');
    await emacs.waitFor((screen) => !screen.includes('order2.txt by Gemini CLI'));
    expect(await layout()).toBe(before);
    await emacs.waitForReviews(1);
    await emacs.openReview();
    await emacs.press('C-c C-k');
    await emacs.waitForReviews(0);
    expect(await layout()).toBe(before);
  });

  it('keeps the view under the keys of the user when its proposal is withdrawn', async () => {
    await arrangeWindows();
    const before = await layout();
    const path = await propose('withdrawn.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await emacs.evaluate('(setq tandem--pause 60)');
    await emacs.press('m');
    await emacs.waitFor('mtwo');
    await agent.closeDiff(path);
    await emacs.waitForReviews(0);
    await emacs.waitFor('withdrawn, no longer proposed');
    await emacs.press('y');
    await emacs.waitFor('mytwo');
    // Its timer is due when the user pauses, after the next key at the latest.
    await emacs.evaluate(`(dolist (timer timer-idle-list)
      (when (equal (timer--time timer) '(0 60 0 0)) (timer-set-idle-time timer 0.1)))`);
    await emacs.press('C-f');
    await emacs.waitFor((screen) => !screen.includes('withdrawn.txt by'));
    expect(await layout()).toBe(before);
    await emacs.evaluate('(progn (setq tandem--pause 1) (tandem-reviews))');
    await emacs.waitFor(/withdrawn\.txt +interrupted/);
    // What an earlier test accepted and did not write may be listed first.
    await emacs.evaluate('(progn (goto-char (point-min)) (search-forward "withdrawn.txt"))');
    await emacs.press('w');
    await emacs.waitFor('Written to');
    expect(await readFile(path, 'utf8')).toBe('mytwo\n');
    await emacs.evaluate('(delete-other-windows)');
  });

  it('displays a review in another window on request, and keeps the focus', async () => {
    await emacs.evaluate(
      '(progn (delete-other-windows) (switch-to-buffer "*scratch*") (setq tandem-display-reviews t))',
    );
    await propose('displayed.txt', 'one\n', 'two\n');
    await emacs.waitFor('displayed.txt by Gemini CLI');
    expect(await emacs.text('(buffer-name (window-buffer))')).toBe('*scratch*');
    await emacs.evaluate('(setq tandem-display-reviews nil)');
    await emacs.openReview();
    await emacs.press('C-c C-k');
    await emacs.waitForReviews(0);
  });

  it('moves between changes, scrolls both sides, and drops and keeps changes', async () => {
    const path = await propose('hunks.txt', lines.join(''), changed);
    await emacs.openReview();
    const line = (): Promise<string> => emacs.evaluate('(line-number-at-pos)');
    expect(await line()).toBe('2');
    await emacs.press('C-c C-n');
    await emacs.press('C-c C-d');
    await emacs.waitFor(/line 91 +.line 91\b/);
    expect(await line()).toBe('91');
    await emacs.press('C-c C-n');
    await emacs.waitFor('No more changes');
    await emacs.press('C-c C-u');
    await emacs.waitFor(/line 91 +.ninety\b/);
    await emacs.press('M-<');
    await emacs.waitFor(/line 1 +.line 1\b/);
    await emacs.press('M->');
    await emacs.waitFor(/line 100 +.line 100\b/);
    await emacs.press('C-c C-p');
    await emacs.press('C-c C-p');
    expect(await line()).toBe('2');
    await emacs.press('C-c C-d');
    await emacs.waitFor(/line 2 +.line 2\b/);
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    const content = lines.with(90, 'ninety\n').join('');
    expect(await answer(path, since)).toMatchObject({ params: { content } });
  });

  it('drops the change at point right after an edit that moves it', async () => {
    await emacs.evaluate('(setq tandem-edit-delay 60)');
    const path = await propose('moved.txt', lines.join(''), changed);
    await emacs.openReview();
    await inProposal('(save-excursion (goto-char (point-min)) (insert "a\nb\nc\n"))');
    await emacs.press('C-c C-d');
    await emacs.waitFor(/^line 2 +.line 2\b/m);
    await emacs.evaluate('(setq tandem-edit-delay 0.05)');
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    const content = `a\nb\nc\n${lines.with(90, 'ninety\n').join('')}`;
    expect(await answer(path, since)).toMatchObject({ params: { content } });
  });

  it('sends a text again that Tandem has refused, or keeps it if the review is over', async () => {
    await emacs.evaluate('(setq tandem-edit-delay 60)');
    const path = await propose('refused.txt', 'one\n', 'two\n');
    await emacs.openReview();
    const id = await emacs.text('(tandem--get (car (tandem--pending)) :id)');
    const call = (name: string): Promise<string> =>
      inProposal(`(progn (plist-put (tandem--view-review tandem--view) :id "${name}")
        (ignore-errors (tandem-accept)) (plist-put (tandem--view-review tandem--view) :id "${id}"))`);
    await inProposal('(progn (goto-char (point-min)) (insert "mine "))');
    await call('unknown');
    await emacs.waitFor('Review unknown is not pending.');
    const since = agent.notifications.length;
    expect(await inProposal('(tandem--unsent-p tandem--view)')).toBe('t');
    await call(id);
    expect(await answer(path, since)).toMatchObject({ params: { content: 'mine two\n' } });
    await emacs.waitForReviews(0);
    await propose('decided.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await inProposal(`(progn (insert "typed meanwhile")
      (tandem--request 'review/reject (list :id (tandem--get tandem--view :id))))`);
    await emacs.waitFor('Your last edits to decided.txt are in the buffer *tandem kept: decided.txt*');
    await emacs.evaluate(
      '(progn (switch-to-buffer "*tandem kept: decided.txt*") (setq tandem-edit-delay 0.05))',
    );
    await emacs.waitFor('typed meanwhile');
    await emacs.evaluate('(progn (set-buffer-modified-p nil) (kill-buffer) (delete-other-windows))');
  });

  it('gives the diagnostics of Flymake to an agent, and never asks the user to save or open a file', async () => {
    const claude = await connectClaude(emacs);
    const call = async (tool: string, args: unknown): Promise<string> =>
      pickText(pickList((await claude.call(tool, args)).result, 'content')[0], 'text');
    const path = await sandbox.write(`${emacs.folder}/latin.txt`, 'one\ntwo\n');
    await emacs.evaluate(`(progn (delete-other-windows) (find-file "${path}") (split-window)
      (setq-local flymake-diagnostic-functions
        (list (lambda (report &rest _)
          (funcall report (list (flymake-make-diagnostic (current-buffer) 5 8 :warning "not a word"))))))
      (flymake-mode) (flymake-start))`);
    await expect
      .poll(() => call('getDiagnostics', { uri: `file://${path}` }))
      .toMatch(/"not a word".*"line":1,"character":0.*"line":1,"character":3/s);
    await emacs.evaluate(`(progn (set-buffer-file-coding-system 'latin-1) (insert "\u6587"))`);
    const before = await layout();
    expect(JSON.parse(await call('saveDocument', { filePath: path }))).toMatchObject({ saved: false });
    expect(await layout()).toBe(before);
    await emacs.evaluate("(set-buffer-file-coding-system 'utf-8)");
    expect(JSON.parse(await call('saveDocument', { filePath: path }))).toMatchObject({ saved: true });
    expect(await readFile(path, 'utf8')).toBe('\u6587one\ntwo\n');
    const asking = await sandbox.write(`${emacs.folder}/asking.txt`, 'one\n');
    await emacs.evaluate(
      '(progn (delete-other-windows) (defun ask () (y-or-n-p "Sure?")) (add-hook \'find-file-hook #\'ask))',
    );
    await call('openFile', { filePath: asking });
    expect(emacs.terminal.screen()).not.toContain('Sure?');
    await emacs.evaluate("(remove-hook 'find-file-hook #'ask)");
  });

  it('rejects with feedback, which goes to the clipboard where the agent cannot take it', async () => {
    await propose('feedback.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await emacs.press('C-c C-a');
    await emacs.terminal.type('not this\r');
    await emacs.waitFor('; not this');
    await emacs.press('C-c C-f');
    await emacs.terminal.type('use three\r');
    await emacs.waitForReviews(0);
    await emacs.waitFor('could not be put into');
    expect(await emacs.text('(substring-no-properties (current-kill 0))')).toMatch(/not this.*use three/s);
  });

  it('shows a conflict, merges with markers, and accepts over it only on request', async () => {
    const path = await propose('conflict.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await writeFile(path, 'three\n');
    await emacs.waitFor('CONFLICT');
    await emacs.press('C-c C-c');
    await emacs.waitFor('Show both versions / Accept and overwrite (empty: cancel)');
    await emacs.terminal.type('show both versions\r');
    await emacs.waitFor('<<<<<<<');
    expect(await emacs.evaluate('smerge-mode')).toBe('t');
    await emacs.evaluate('(progn (erase-buffer) (insert "two and three\\n"))');
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    expect(await answer(path, since)).toMatchObject({ params: { content: 'two and three\n' } });
  });

  it('undoes the merge of a change of the file, which is one of the actions', async () => {
    const path = await propose('undone.txt', 'one\ntwo\nthree\n', 'ONE\ntwo\nthree\n');
    await emacs.openReview();
    await writeFile(path, 'one\ntwo\nthree\nfour\n');
    await emacs.waitFor('four');
    await emacs.press('M-x');
    await emacs.terminal.type('tandem-action\r');
    await emacs.waitFor('Action:');
    await emacs.terminal.type('undo the merge\r');
    await emacs.waitFor('The merge is undone.');
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    expect(await answer(path, since)).toMatchObject({ params: { content: 'ONE\ntwo\nthree\n' } });
  });

  it('accepts over a conflict with a prefix argument', async () => {
    const path = await propose('over.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await writeFile(path, 'three\n');
    await emacs.waitFor('CONFLICT');
    const since = agent.notifications.length;
    await emacs.press('C-u C-c C-c');
    expect(await answer(path, since)).toMatchObject({ params: { content: 'two\n' } });
  });

  it('starts Tandem again when it dies, with the text that is typed meanwhile', async () => {
    const path = await propose('restarted.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await inProposal('(progn (goto-char (point-min)) (insert "mine "))');
    await inProposal('(tandem--save-edits)');
    // Some command has bound the environment meanwhile.
    await emacs.evaluate(`(let ((process-environment process-environment))
      (signal-process (jsonrpc--process tandem--connection) 9)
      (while tandem--connection (accept-process-output nil 0.1)))`);
    expect(await emacs.evaluate('(getenv "GEMINI_CLI_IDE_SERVER_PORT")')).toBe('nil');
    await inProposal('(progn (end-of-buffer) (insert "three\n"))');
    await emacs.press('C-c C-c');
    await emacs.waitFor('Tandem is not connected');
    await expect.poll(() => inProposal('(tandem--view-lost tandem--view)')).toBe('nil');
    expect(JSON.parse(await inProposal('(buffer-substring-no-properties 1 (point-max))'))).toBe(
      'mine two\nthree\n',
    );
    expect(await emacs.evaluate('(getenv "GEMINI_CLI_IDE_SERVER_PORT")')).toMatch(/\d/);
    await expect.poll(() => journalOf(sandbox)).toContain('mine two\\nthree\\n');
    expect(await readFile(path, 'utf8')).toBe('one\n');
    await emacs.press('C-c C-k');
    await emacs.waitForReviews(0);
    await agent.client.close();
    agent = await connectGemini(emacs);
  });

  it('keeps what was typed when Emacs is killed, and leaves nothing else behind', async () => {
    await propose('kept.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await inProposal('(progn (end-of-buffer) (insert "typed\n") (tandem--save-edits))');
    const files = await announcements(sandbox);
    expect(files.length).toBeGreaterThan(4);
    await emacs.dispose();
    expect(await announcements(sandbox)).toEqual([]);
    emacs = await EmacsWindow.start(sandbox, emacs.folder);
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/kept\.txt .*edited/);
    expect(await journalOf(sandbox)).toContain('two\\ntyped\\n');
  });
});
