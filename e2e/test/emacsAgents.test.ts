import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import { claude } from '../src/agents/claude.js';
import { gemini } from '../src/agents/gemini.js';
import { qwen } from '../src/agents/qwen.js';
import {
  askAboutMention,
  askAboutSelection,
  type EditorUser,
  testOtherAgents,
  testReviews,
} from '../src/editorReviews.js';
import { EmacsWindow, missingEmacs } from '../src/emacs.js';
import { Sandbox } from '../src/sandbox.js';

/** The real agents, with a user at a real Emacs. All tests share the Emacs; those of an agent share the agent, too. */
describe('Emacs', () => {
  let sandbox: Sandbox;
  let emacs: EmacsWindow;
  let user: EditorUser;

  beforeAll(async () => {
    expect(missingEmacs()).toBeUndefined();
    sandbox = await Sandbox.create();
    emacs = await EmacsWindow.start(sandbox, await sandbox.folder('workspace'));
    user = userOf(emacs);
  });

  afterAll(async () => {
    await emacs?.dispose();
    await sandbox?.dispose();
  });

  testReviews(
    () => user,
    qwen,
    (agent, running) => {
      it('shows its model what is selected', async () => {
        await running().waitUntilIdle();
        await askAboutSelection(user, running());
        if (agent === claude) await askAboutMention(user, running(), /@seen-claude\.txt#L?2/);
      });
    },
  );

  testOtherAgents(() => user);

  it.for([gemini, claude, qwen])(
    'runs $name in a terminal buffer, which writes a corrected text and has feedback in its prompt or in the kill ring',
    exhaustive,
    async (agent) => {
      const corrected = await sandbox.write(`${emacs.folder}/term1-${agent.kind}.txt`, 'one\ntwo\n');
      const rejected = await sandbox.write(`${emacs.folder}/term2-${agent.kind}.txt`, 'one\ntwo\n');
      await emacs.waitForAgent(agent, false);
      try {
        const edits = [corrected, rejected].flatMap((path) => agent.replaceText(path, 'two', 'TWO'));
        await emacs.runAgent(agent, 'please edit', ...edits);
        await emacs.waitForReviews(1);
        await emacs.openReview();
        await user.typeBehindTwo(', corrected');
        await user.accept();
        await expect.poll(() => user.reviewedFile()).toBe(rejected);
        expect(await readFile(corrected, 'utf8')).toBe('one\nTWO, corrected\n');
        await emacs.openReview();
        await emacs.press('C-c C-f');
        await emacs.terminal.type('shorter\r');
        const note =
          agent === claude ? 'The feedback is in the prompt of' : 'The feedback could not be put into';
        await emacs.terminal.waitFor(note);
        if (agent !== claude) expect(await emacs.text('(current-kill 0 t)')).toContain('shorter');
        expect(await readFile(rejected, 'utf8')).toBe('one\ntwo\n');
      } finally {
        await emacs.endTerminals();
      }
    },
  );

  it('leaves the decision to the terminal of the agent once Emacs is killed', async () => {
    const path = await sandbox.write(`${emacs.folder}/killed.txt`, 'one\ntwo\n');
    const running = await user.startAgent(claude);
    try {
      await running.propose(claude.replaceText(path, 'two', 'TWO'));
      await emacs.waitForReviews(1);
      await emacs.dispose();
      await running.decideInTerminal('accept');
      await running.waitUntilDone();
    } finally {
      await running.dispose();
    }
    expect(await readFile(path, 'utf8')).toBe('one\nTWO\n');
  });
});

function userOf(emacs: EmacsWindow): EditorUser {
  return {
    sandbox: emacs.sandbox,
    folder: emacs.folder,
    async startAgent(agent) {
      await emacs.waitForAgent(agent, false);
      return emacs.startAgent(agent);
    },
    async openFile(path) {
      await emacs.evaluate(
        `(progn (delete-other-windows) (find-file "${path}") (forward-line 2) (split-window))`,
      );
    },
    situation: () =>
      emacs.evaluate(
        "(list (buffer-name (window-buffer)) (window-point) (mapcar #'buffer-name (mapcar #'window-buffer (window-list))))",
      ),
    waitForReviews: (count) => emacs.waitForReviews(count),
    reviewedFile: async () => JSON.parse(await emacs.evaluate('(tandem--get (car (tandem--pending)) :path)')),
    openReview: () => emacs.openReview(),
    async typeBehindTwo(text) {
      await emacs.evaluate(
        `(with-current-buffer (window-buffer) (goto-char (point-min)) (search-forward "TWO") (insert "${text}"))`,
      );
    },
    async dropHunk() {
      await emacs.press('C-c C-d');
      await emacs.waitFor(/line 2 +.line 2\b/);
    },
    accept: () => emacs.press('C-c C-c'),
    save: () => emacs.press('C-x C-s'),
    reject: () => emacs.press('C-c C-k'),
    async applyInterrupted(path) {
      await emacs.evaluate('(tandem-reviews)');
      await emacs.waitFor(new RegExp(`${basename(path)} +interrupted`));
      await emacs.press('w');
      await emacs.waitFor(`Written to ${basename(path)}`);
    },
    async selectWord() {
      await emacs.evaluate('(progn (goto-char (point-min)) (search-forward "second "))');
      await emacs.press('C-@ M-f M-f');
    },
    comeBack: () => emacs.press('C-g'),
    async mention() {
      await emacs.evaluate(
        '(progn (goto-char (point-min)) (forward-line) (push-mark nil t t) (end-of-line))',
      );
      await emacs.press('M-x');
      await emacs.terminal.type('tandem-mention\r');
    },
    waitFor: (what) => emacs.waitFor(what),
  };
}
