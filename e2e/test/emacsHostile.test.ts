import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmacsWindow, missingEmacs } from '../src/emacs.js';
import { connectClaude, connectGemini } from '../src/emacsClients.js';
import { Sandbox } from '../src/sandbox.js';
import type { SdkAgent } from '../src/sdkClients.js';

/** Nothing from an agent starts a program, asks a question or is evaluated in Emacs before the user has decided. */
describe('Emacs', () => {
  let sandbox: Sandbox;
  let emacs: EmacsWindow;
  let agent: SdkAgent;
  /** What a text names as something to load; counts the requests. */
  let server: Server;
  let requests = 0;

  beforeAll(async () => {
    expect(missingEmacs()).toBeUndefined();
    server = createServer((_, response) => {
      requests += 1;
      response.end('#+TITLE: loaded\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await start();
  });

  // An Emacs that asks a question must not fail the next test.
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    await dispose();
    await start();
  });

  afterAll(async () => {
    await dispose();
    server?.close();
  });

  async function start(): Promise<void> {
    requests = 0;
    sandbox = await Sandbox.create();
    emacs = await EmacsWindow.start(sandbox, await sandbox.folder('workspace'), init);
    agent = await connectGemini(emacs);
  }

  async function dispose(): Promise<void> {
    await agent?.client.close();
    await emacs?.dispose();
    await sandbox?.dispose();
  }

  /** Records each operation on a name that contains `handled`, as TRAMP would carry it out. */
  const init = `
    (defvar test-handled nil)
    (defun test-handler (operation &rest arguments)
      (push (cons operation arguments) test-handled)
      (let ((inhibit-file-name-handlers '(test-handler))
            (inhibit-file-name-operation operation))
        (apply operation arguments)))
    (push '("handled" . test-handler) file-name-handler-alist)
    (define-minor-mode test-checker-mode "Check the text.")
    (define-globalized-minor-mode global-test-checker-mode test-checker-mode test-checker-mode)
    (global-test-checker-mode 1)
    (defvar test-hooks nil)
    (add-hook 'prog-mode-hook (lambda () (push (buffer-name) test-hooks)))
    (add-hook 'text-mode-hook (lambda () (push (buffer-name) test-hooks)))`;

  async function propose(name: string, after: string): Promise<string> {
    const path = `${emacs.folder}/${name}`;
    await agent.openDiff(path, after);
    await emacs.waitForReviews(1);
    return path;
  }

  async function rejectShown(): Promise<void> {
    await emacs.press('C-c C-k');
    await emacs.waitForReviews(0);
  }

  /** Shows both sides until they are drawn and fontified. */
  async function openAndDraw(): Promise<void> {
    await emacs.openReview();
    await emacs.waitFor('(a new file)');
    await emacs.evaluate('(dolist (window (window-list)) (with-selected-window window (font-lock-ensure)))');
  }

  const inProposal = (expression: string): Promise<string> =>
    emacs.evaluate(`(with-current-buffer (tandem--view-proposal (car (tandem--pending))) ${expression})`);

  const asksNothing = () => emacs.evaluate('(and (active-minibuffer-window) (minibuffer-prompt))');

  it('refuses the name of a remote file with a reason that the agent can read', async () => {
    const path = '/ssh:$(touch owned)@x:/etc/motd';
    const claude = await connectClaude(emacs);
    const answer = await claude.call('openDiff', {
      old_file_path: path,
      new_file_path: path,
      new_file_contents: 'hi\n',
      tab_name: 'motd',
    });
    expect(JSON.stringify(answer)).toContain('its first folder contains a colon');
    const result = await agent.openDiff(`/x/..${path}`, 'hi\n');
    expect(result).toMatchObject({ isError: true });
    expect(await emacs.evaluate('(hash-table-count tandem--views)')).toBe('0');
  });

  it.each(['/ssh:$(touch owned)@x:/etc/motd', '/sudo::/etc/hosts', '/:/etc/motd'])(
    'starts nothing for a review of %s, in any command',
    async (path) => {
      const original = { kind: 'missing' };
      const review = { id: 'r1', agent: 'x', agentName: 'X', session: 's', path, version: 1, original };
      const shown = JSON.stringify({ ...review, proposed: 'hi\n', content: 'hi\n', hunks: [], warnings: [] });
      const handle = (method: string, params: string): Promise<string> =>
        emacs.evaluate(
          `(tandem--dispatch nil '${method} (json-parse-string ${JSON.stringify(params)} :object-type 'plist))`,
        );
      await handle('review/show', `{"review":${shown}}`);
      await openAndDraw();
      expect(await emacs.evaluate('default-directory')).toBe(JSON.stringify(`${sandbox.home}/`));
      expect(await emacs.evaluate(`(tandem--short-name ${JSON.stringify(path)})`)).toBe(JSON.stringify(path));
      await handle('review/changed', `{"review":${shown}}`);
      await emacs.evaluate(
        `(tandem--look-at (json-parse-string ${JSON.stringify(`{"review":${shown}}`)} :object-type 'plist))`,
      );
      await handle('file/written', JSON.stringify({ path }));
      await handle('diagnostics/get', JSON.stringify({ path }));
      await handle('document/save', JSON.stringify({ path }));
      await handle('document/close', JSON.stringify({ path }));
      await expect(handle('document/open', JSON.stringify({ path }))).rejects.toThrow();
      await handle('review/close', '{"id":"r1","outcome":"withdrawn"}');
      expect(await emacs.evaluate('(process-list)')).not.toMatch(/tramp/);
      expect(
        await emacs.evaluate(`(seq-filter (lambda (each) (string-match-p "tramp" (buffer-name each)))
        (buffer-list))`),
      ).toBe('nil');
      expect(await readdir(emacs.folder)).not.toContain('owned');
      await emacs.evaluate('(delete-other-windows)');
    },
  );

  it('applies no handler to the path of a proposal, from its arrival to its end', async () => {
    await mkdir(`${emacs.folder}/handled.tar`);
    const path = await propose('handled.tar/a:b.txt', 'two\n');
    await openAndDraw();
    await emacs.evaluate('(tandem-reviews)');
    await emacs.waitFor('handled.tar/a:b.txt');
    await emacs.press('e');
    await emacs.waitFor('Type ? for help');
    await emacs.evaluate('(tandem-reviews)');
    const since = agent.notifications.length;
    await emacs.press('a');
    await agent.waitForNotification('ide/diffAccepted', path, since);
    await emacs.waitForReviews(0);
    await emacs.evaluate(
      '(setq tandem-file-written-functions (list (lambda (path) (setq test-written path))))',
    );
    await writeFile(path, 'two\n');
    await expect
      .poll(() => emacs.evaluate('(bound-and-true-p test-written)'))
      .toContain('handled.tar/a:b.txt');
    await emacs.evaluate('(progn (delete-other-windows) (tandem-changes t))');
    await emacs.waitFor('+two');
    expect(await emacs.evaluate('test-handled')).toBe('nil');
    await emacs.evaluate('(delete-other-windows)');
  });

  it('shows a name with a colon in its mode, and keeps its folder', async () => {
    await mkdir(`${emacs.folder}/x:y`);
    await propose('x:y/100%s.py', 'import os\n');
    await openAndDraw();
    expect(await emacs.evaluate('(list major-mode default-directory)')).toBe(
      `(python-mode "${emacs.folder}/x:y/")`,
    );
    await emacs.waitFor(' x:y/100%s.py by Gemini CLI');
    await rejectShown();
  });

  it.each([
    ['notes.org', () => `#+SETUPFILE: http://127.0.0.1:${port()}/setup\n* one\n`],
    ['a.patch', () => '--- /ssh:handled@x:/a\n+++ /ssh:handled@x:/a\n@@ -1 +1 @@\n-one\n+two\n'],
    ['a.tex', () => '\\documentclass{article}\n'],
    ['a.xml', () => '<?xml version="1.0"?>\n<a/>\n'],
    ['a.zip', () => 'PK\n'],
  ])('runs no mode for %s that asks, loads or evaluates', async (name, text) => {
    await propose(name, text());
    await openAndDraw();
    expect(await inProposal('major-mode')).toBe('fundamental-mode');
    expect([requests, await asksNothing(), await emacs.evaluate('test-handled')]).toEqual([0, 'nil', 'nil']);
    await rejectShown();
  });

  it.each(['a.el', 'a.py', 'a.txt'])(
    'runs no hook, globalized mode, local variable or completion in a view of %s',
    async (name) => {
      await propose(
        name,
        ';; -*- mode: org; eval: (setq test-hooks t) -*-\n;; Local Variables:\n;; eval: (setq test-hooks t)\n;; End:\n',
      );
      await openAndDraw();
      await emacs.evaluate('(setq test-hooks nil)');
      // Globalized modes are enabled after the next command.
      await emacs.press('C-f');
      await emacs.press('C-f');
      await expect.poll(() => inProposal('(point)')).toBe('3');
      const state = '(list test-hooks (bound-and-true-p test-checker-mode) completion-at-point-functions)';
      expect(await inProposal(state)).toBe('(nil nil nil)');
      await rejectShown();
    },
  );

  it('shows what agents changed without modes that ask, load or evaluate', async () => {
    const path = await propose('accepted.org', `#+SETUPFILE: http://127.0.0.1:${port()}/setup\n* one\n`);
    await emacs.openReview();
    const since = agent.notifications.length;
    await emacs.press('C-c C-c');
    await agent.waitForNotification('ide/diffAccepted', path, since);
    await emacs.waitForReviews(0);
    await writeFile(path, `#+SETUPFILE: http://127.0.0.1:${port()}/setup\n* one\n`);
    await emacs.evaluate('(tandem-changes t)');
    await emacs.waitFor('+* one');
    await emacs.evaluate('(with-current-buffer "*tandem changes*" (font-lock-ensure))');
    expect([requests, await asksNothing()]).toEqual([0, 'nil']);
    await emacs.evaluate('(progn (kill-buffer "*tandem changes*") (delete-other-windows))');
  });

  it('opens a file for an agent without a question or a handler', async () => {
    const claude = await connectClaude(emacs);
    const org = await sandbox.write(
      `${emacs.folder}/opened.org`,
      `# -*- eval: (setq test-hooks 'evaluated) -*-\n#+SETUPFILE: http://127.0.0.1:${port()}/setup\n`,
    );
    const packed = await sandbox.write(`${emacs.folder}/page.html.gz`, 'x');
    await sandbox.write(`${emacs.folder}/handled.txt`, 'x');
    await emacs.evaluate('(setq test-hooks nil)');
    const open = (filePath: string) => claude.call('openFile', { filePath, makeFrontmost: true });
    for (const filePath of [packed, `${emacs.folder}/handled.txt`]) {
      expect(JSON.stringify(await open(filePath))).toContain('Emacs may start a program to open');
    }
    await open(org);
    expect([requests, await asksNothing()]).toEqual([0, 'nil']);
    expect(await emacs.evaluate("(eq test-hooks 'evaluated)")).toBe('nil');
    expect(await emacs.evaluate(`(remq 'find-file-name-handler (mapcar #'car test-handled))`)).toBe('nil');
    await emacs.evaluate('(delete-other-windows)');
  });

  function port(): number {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
    return address.port;
  }
});
