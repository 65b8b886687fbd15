import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmacsWindow, missingEmacs } from '../src/emacs.js';
import { Sandbox } from '../src/sandbox.js';
import { type SdkAgent, sdkGenerations } from '../src/sdkClients.js';

/** A user at a real Emacs. The agent speaks the protocol of Gemini CLI, so it can propose and write at any time. */
describe('Emacs', () => {
  let sandbox: Sandbox;
  let emacs: EmacsWindow;
  let agent: SdkAgent;

  beforeAll(async () => {
    expect(missingEmacs()).toBeUndefined();
    sandbox = await Sandbox.create();
    emacs = await EmacsWindow.start(
      sandbox,
      await sandbox.folder('workspace'),
      '(setq tandem-edit-delay 0.05)',
    );
    agent = await connect();
  });

  afterAll(async () => {
    await agent?.client.close();
    await emacs?.dispose();
    await sandbox?.dispose();
  });

  async function connect(): Promise<SdkAgent> {
    const { GEMINI_CLI_IDE_SERVER_PORT: port, GEMINI_CLI_IDE_AUTH_TOKEN: token = '' } =
      await emacs.variables();
    const connected = await sdkGenerations.at(-1)?.connect({
      url: `http://127.0.0.1:${port}/mcp`,
      token,
      discovery: [],
    });
    if (connected === undefined) throw new Error('There is no SDK client.');
    await emacs.waitForAgent({ kind: 'gemini' });
    return connected;
  }

  async function propose(name: string, before: string, after: string): Promise<string> {
    const path = await sandbox.write(`${emacs.folder}/${name}`, before);
    await agent.openDiff(path, after);
    await emacs.waitForReviews(1);
    return path;
  }

  const answer = (path: string, since: number) => agent.waitForNotification('ide/diffAccepted', path, since);

  it('keeps unsaved text of a file that an agent writes, and shows the conflict', async () => {
    const path = await propose('unsaved.txt', 'one\n', 'two\n');
    await emacs.evaluate(`(progn (find-file "${path}") (insert "mine "))`);
    await emacs.openReview();
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
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

  it('keeps the review and its text when the proposal is killed', async () => {
    const path = await propose('killed.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await emacs.evaluate('(progn (goto-char (point-min)) (insert "mine ") (kill-buffer))');
    await emacs.waitForReviews(0);
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
    await emacs.evaluate('(tandem-reviews)');
    await emacs.press('k');
    await emacs.waitForReviews(0);
    await emacs.waitFor((screen) => !screen.includes('*Ediff Control Panel*'));
    await emacs.evaluate('(delete-other-windows)');
  });

  it('decides a whole session, shows its changes and restores them', async () => {
    const path = await propose('session.txt', 'one\n', 'two\n');
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/session\.txt .*pending/);
    await emacs.press('A');
    await emacs.waitFor('Accept 1 proposal by Gemini CLI: session.txt?');
    await emacs.press('a');
    await emacs.waitFor('Accepted 1 of 1.');
    await writeFile(path, 'two\n');
    await emacs.evaluate('(tandem-changes)');
    await emacs.waitFor(/\+two/);
    await emacs.press('M-x');
    await emacs.terminal.type('tandem-restore\r');
    await emacs.waitFor('Restore (empty: all files):');
    await emacs.terminal.type(`${path}\r`);
    await emacs.waitFor('(yes or no)');
    await emacs.terminal.type('yes\r');
    await emacs.waitFor('session.txt: restored');
    expect(await readFile(path, 'utf8')).toBe('one\n');
    await emacs.evaluate('(tandem-status)');
    await emacs.waitFor(/Gemini CLI +connected/);
    await emacs.evaluate('(tandem-pause-sharing)');
    await emacs.waitFor('[paused]');
    await emacs.evaluate('(tandem-resume-sharing)');
    await emacs.waitFor((screen) => !screen.includes('[paused]'));
    await emacs.evaluate(`(progn (find-file "${path}") (tandem-mention))`);
    await emacs.waitFor(/Mentioned to \d agent/);
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
      const layout = (): Promise<string> =>
        emacs.evaluate(`(list (selected-frame) (selected-window) (length (frame-list))
        (and (minibufferp) (minibuffer-contents-no-properties))
        (mapcar (lambda (each) (list (buffer-name (window-buffer each)) (window-point each) (window-edges each)
                                     (window-dedicated-p each))) (window-list)))`);
      const before = await layout();
      await propose('layout.txt', 'one\n', 'two\n');
      expect(await layout()).toBe(before);
      if (open === undefined) {
        await emacs.press('C-g');
        await emacs.waitFor((screen) => !screen.includes('M-x ta'));
      }
      const known = await layout();
      await emacs.openReview();
      await emacs.waitFor('layout.txt (as it is)');
      await emacs.press('C-c C-k');
      await emacs.waitForReviews(0);
      expect(await layout()).toBe(known);
      await emacs.evaluate('(progn (delete-other-frames) (delete-other-windows (window-main-window)))');
      await emacs.evaluate('(let ((ignore-window-parameters t)) (delete-other-windows))');
    },
  );

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
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`);
    const path = await propose(
      'hunks.txt',
      lines.join(''),
      lines.with(1, 'two\n').with(90, 'ninety\n').join(''),
    );
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

  it('rejects a whole session', async () => {
    await agent.openDiff(await sandbox.write(`${emacs.folder}/first.txt`, 'one\n'), 'two\n');
    await agent.openDiff(await sandbox.write(`${emacs.folder}/second.txt`, 'one\n'), 'two\n');
    await emacs.waitForReviews(2);
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/first\.txt .*pending/);
    await emacs.press('K');
    await emacs.waitFor(/Reject 2 proposals by .*first\.txt/);
    await emacs.press('r');
    await emacs.waitForReviews(0);
  });

  it('shows a conflict, merges with markers, and accepts over it only on request', async () => {
    const path = await propose('conflict.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await writeFile(path, 'three\n');
    await emacs.waitFor('CONFLICT');
    await emacs.press('C-c C-c');
    await emacs.waitFor('C-c RET merges, C-u');
    await emacs.press('C-c RET');
    await emacs.waitFor('<<<<<<<');
    expect(await emacs.evaluate('smerge-mode')).toBe('t');
    await emacs.evaluate('(progn (erase-buffer) (insert "two and three\\n"))');
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    expect(await answer(path, since)).toMatchObject({ params: { content: 'two and three\n' } });
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

  it('applies and discards edited reviews whose agent is gone', async () => {
    const applied = await propose('applied.txt', 'one\n', 'two\n');
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
    await emacs.evaluate('(progn (kill-buffer) (pop-to-buffer "*tandem reviews*"))');
    await emacs.press('w');
    await emacs.waitFor('Applied to');
    expect(await readFile(applied, 'utf8')).toBe('mine two\n');
    await emacs.evaluate('(progn (goto-char (point-min)) (search-forward "discarded.txt"))');
    await emacs.press('x');
    await emacs.waitFor('Discard the review of');
    await emacs.terminal.type('yes\r');
    await emacs.waitFor((screen) => !screen.includes('discarded.txt'));
    await emacs.evaluate('(quit-window)');
    agent = await connect();
  });

  it('starts Tandem again when it dies, and shows the pending reviews', async () => {
    const path = await propose('restarted.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await emacs.evaluate('(progn (goto-char (point-min)) (insert "mine "))');
    await emacs.evaluate('(tandem--save-edits)');
    await emacs.evaluate('(signal-process (jsonrpc--process tandem--connection) 9)');
    await emacs.waitFor('unexpectedly and restarts');
    await emacs.waitFor('<agents:');
    await expect.poll(() => emacs.evaluate('(buffer-string)')).toContain('mine two');
    expect(await readFile(path, 'utf8')).toBe('one\n');
  });

  it('keeps what was typed when Emacs is killed', async () => {
    await emacs.evaluate('(progn (end-of-buffer) (insert "typed\n") (tandem--save-edits))');
    await emacs.dispose();
    emacs = await EmacsWindow.start(sandbox, emacs.folder);
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor(/restarted\.txt .*edited/);
    expect(await sandboxJournal()).toContain('mine two\\ntyped');
  });

  async function sandboxJournal(): Promise<string> {
    const folder = join(sandbox.state, 'tandem/journal');
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'));
    const texts = names.map((name) => readFile(join(folder, name), 'utf8').catch(() => ''));
    return (await Promise.all(texts)).join('\n');
  }
});
