import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmacsWindow, missingEmacs } from '../src/emacs.js';
import { Sandbox } from '../src/sandbox.js';
import { type SdkAgent, sdkGenerations } from '../src/sdkClients.js';

/** A user at a real Emacs. The agent speaks the protocol of Gemini CLI, and can thus propose and write at any time. */
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
    await emacs.waitFor('<agents:1 ');
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
    await emacs.waitFor('Accept 1 review: session.txt?');
    await emacs.press('y');
    await emacs.waitFor('1 decided');
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
    await emacs.evaluate('(progn (tandem-status) (delete-other-windows))');
    await emacs.evaluate('(switch-to-buffer "*tandem status*")');
    await emacs.waitFor(/Gemini CLI +1 connected/);
    await emacs.evaluate('(tandem-pause-sharing)');
    await emacs.waitFor('[paused]');
    await emacs.evaluate('(tandem-resume-sharing)');
    await emacs.waitFor((screen) => !screen.includes('[paused]'));
    await emacs.evaluate(`(progn (find-file "${path}") (tandem-mention))`);
    await emacs.waitFor(/Mentioned to \d agent/);
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

  it('starts Tandem again when it dies, and shows the pending reviews', async () => {
    const path = await propose('restarted.txt', 'one\n', 'two\n');
    await emacs.openReview();
    await emacs.evaluate('(progn (goto-char (point-min)) (insert "mine "))');
    await emacs.evaluate('(tandem--save-edits)');
    await emacs.evaluate('(signal-process (jsonrpc--process tandem--connection) 9)');
    await emacs.waitFor('started again');
    await emacs.waitFor('<agents:');
    expect(await emacs.evaluate('(buffer-string)')).toContain('mine two');
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
