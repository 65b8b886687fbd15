import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claude } from '../src/agents/claude.js';
import { gemini } from '../src/agents/gemini.js';
import { qwen } from '../src/agents/qwen.js';
import { EmacsWindow, missingEmacs } from '../src/emacs.js';
import { say } from '../src/model/turn.js';
import type { RunningAgent } from '../src/runningAgent.js';
import { Sandbox } from '../src/sandbox.js';

/** The real agents, with a user at a real Emacs. All tests share the Emacs; those of an agent share the agent, too. */
describe('Emacs', () => {
  let sandbox: Sandbox;
  let emacs: EmacsWindow;

  beforeAll(async () => {
    expect(missingEmacs()).toBeUndefined();
    sandbox = await Sandbox.create();
    emacs = await EmacsWindow.start(sandbox, await sandbox.folder('workspace'));
  });

  afterAll(async () => {
    await emacs?.dispose();
    await sandbox?.dispose();
  });

  const put = (name: string, text: string): Promise<string> => sandbox.write(`${emacs.folder}/${name}`, text);

  /** What a review that arrives must not change. */
  const view = (): Promise<string> =>
    emacs.evaluate(
      "(list (buffer-name (window-buffer)) (window-point) (mapcar #'buffer-name (mapcar #'window-buffer (window-list))))",
    );

  describe.each([gemini, qwen, claude])('with $name', (agent) => {
    let running: RunningAgent;

    beforeAll(async () => {
      await emacs.terminal.waitFor('<agents:0 ');
      running = await emacs.startAgent(agent);
    }, 90_000);

    afterAll(() => running?.dispose());

    async function proposed(path: string, edit: Parameters<RunningAgent['propose']>[0]): Promise<void> {
      await running.waitUntilIdle();
      await running.propose(edit);
      await emacs.waitForReviews(1);
      expect(await emacs.evaluate('(tandem--get (car (tandem--pending)) :path)')).toBe(JSON.stringify(path));
    }

    it('announces a change without moving anything, and reloads the file once it is accepted', async () => {
      const path = await put(`${agent.kind}.txt`, 'one\ntwo\nthree\n');
      await emacs.evaluate(
        `(progn (delete-other-windows) (find-file "${path}") (forward-line 2) (split-window))`,
      );
      const before = await view();
      await proposed(path, agent.replaceText(path, 'two', 'TWO'));
      expect(await view()).toBe(before);
      await emacs.openReview();
      await emacs.press('C-c C-c');
      await running.waitUntilDone();
      await emacs.terminal.waitFor((screen) => !screen.includes('two') && screen.includes('TWO'));
      expect(await readFile(path, 'utf8')).toBe('one\nTWO\nthree\n');
      expect(await view()).toBe(before);
    });

    it('writes the corrected text, with the bytes that a text editor could lose', async () => {
      const path = await put(`corrected-${agent.kind}.txt`, '\uFEFFone\r\ntwo\r\nthree');
      await proposed(path, agent.replaceText(path, 'two', 'TWO'));
      await emacs.openReview();
      await emacs.evaluate(
        '(with-current-buffer (window-buffer) (goto-char (point-min)) (search-forward "TWO") (insert ", corrected 文 🦋"))',
      );
      await emacs.press('C-x C-s');
      await running.waitUntilDone();
      expect(await readFile(path, 'utf8')).toBe('\uFEFFone\r\nTWO, corrected 文 🦋\r\nthree');
    });

    it('writes only the hunks that are kept', async () => {
      const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
      const path = await put(`long-${agent.kind}.txt`, lines.join(''));
      const both = lines.with(1, 'changed\n').with(17, 'changed\n');
      await proposed(path, agent.overwriteFile(path, both.join('')));
      await emacs.openReview();
      await emacs.press('C-c C-d');
      await emacs.terminal.waitFor(/line 2 +.line 2\b/);
      await emacs.press('C-c C-c');
      await running.waitUntilDone();
      expect(await readFile(path, 'utf8')).toBe(lines.with(17, 'changed\n').join(''));
    });

    it('writes a new file with letters of any script in its path', async () => {
      const path = `${emacs.folder}/größe-${agent.kind}/文件.txt`;
      await running.waitUntilIdle();
      await running.propose(agent.createFile(path, 'new\n'));
      await emacs.waitForReviews(1);
      await emacs.openReview();
      await emacs.terminal.waitFor('(a new file)');
      await emacs.press('C-c C-c');
      await running.waitUntilDone();
      expect(await readFile(path, 'utf8')).toBe('new\n');
    });

    it('writes nothing once rejected', async () => {
      const path = await put(`rejected-${agent.kind}.txt`, 'one\ntwo\n');
      await proposed(path, agent.replaceText(path, 'two', 'TWO'));
      await emacs.openReview();
      await emacs.press('C-c C-k');
      await emacs.waitForReviews(0);
      await running.waitUntilPromptIsBack();
      expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    });

    it('closes the view when the change is accepted in the agent', async () => {
      const path = await put(`there-${agent.kind}.txt`, 'one\ntwo\n');
      await emacs.evaluate('(delete-other-windows)');
      const before = await view();
      await proposed(path, agent.replaceText(path, 'two', 'TWO'));
      await emacs.openReview();
      await running.decideInTerminal('accept');
      await emacs.waitForReviews(0);
      await running.waitUntilDone();
      expect(await readFile(path, 'utf8')).toBe('one\nTWO\n');
      expect(await view()).toBe(before);
    });

    it('closes the view when the agent is gone', async () => {
      const path = await put(`gone-${agent.kind}.txt`, 'one\ntwo\n');
      await proposed(path, agent.replaceText(path, 'two', 'TWO'));
      await running.dispose();
      await emacs.waitForReviews(0);
      expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    });
  });

  it.each([gemini, qwen, claude])('runs $name in a terminal buffer', async (agent) => {
    const path = await put(`term-${agent.kind}.txt`, 'one\ntwo\n');
    await emacs.terminal.waitFor('<agents:0 ');
    const edit = agent.replaceText(path, 'two', 'TWO');
    const model = await emacs.runAgent(agent, 'please edit', ...edit, say('It is done.'));
    await emacs.waitForReviews(1);
    await emacs.openReview();
    await emacs.press('C-c C-c');
    await model.waitForEndOfScript();
    expect(await readFile(path, 'utf8')).toBe('one\nTWO\n');
    await emacs.evaluate('(let ((kill-buffer-query-functions nil)) (kill-buffer (window-buffer)))');
  });
});
