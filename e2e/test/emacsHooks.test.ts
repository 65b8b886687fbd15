import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EmacsWindow } from '../src/emacs.js';
import { HookCaller } from '../src/hookCaller.js';
import { Sandbox } from '../src/sandbox.js';

let sandbox: Sandbox;
let emacs: EmacsWindow;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  emacs = await EmacsWindow.start(sandbox, await sandbox.folder('workspace'));
});

afterAll(async () => {
  await emacs?.dispose();
  await sandbox?.dispose();
});

const textOf = (buffer: string): Promise<string> =>
  emacs.evaluate(`(with-current-buffer "${buffer}" (buffer-substring-no-properties 1 (point-max)))`);

it('gives hooks to agents in the terminals of Emacs, as the user has customized them last', async () => {
  const report = '#!/bin/sh\necho "$TANDEM_HOOK_AGENT $TANDEM_HOOK_MODE $1"; read -r _\n';
  await sandbox.write(`${sandbox.bin}/claude`, report, 0o755);
  await emacs.evaluate(`(tandem-run-agent '("claude"))`);
  await expect.poll(() => textOf('*claude*')).toContain('claude follow --plugin-dir');

  await emacs.evaluate("(customize-set-variable 'tandem-hooks 'before)");
  const folder: string = JSON.parse(await emacs.evaluate('(getenv "TANDEM_PATH")'));
  await expect.poll(() => readFile(`${folder}/claude`, 'utf8')).toContain('TANDEM_HOOK_MODE=before');
  await emacs.evaluate('(term "/bin/bash")');
  await expect.poll(() => textOf('*terminal*')).toMatch(/[#$] /);
  await emacs.evaluate('(term-send-string (get-buffer-process "*terminal*") "claude\\n")');
  await expect.poll(() => textOf('*terminal*')).toContain('claude before --plugin-dir');

  await emacs.evaluate("(customize-set-variable 'tandem-hooks 'off)");
  await expect.poll(() => emacs.evaluate('(getenv "PATH")')).not.toContain(folder);
  await emacs.endTerminals();
});

it('marks what an agent has written, and keeps and undoes it at point', async () => {
  const before = 'one\ntwo\nthree\n';
  const path = await sandbox.write(`${emacs.folder}/written.txt`, before);
  await emacs.evaluate(`(find-file "${path}")`);
  const agent = await HookCaller.of(emacs, 'claude', process.pid);
  const session = { session_id: 's1', cwd: emacs.folder, permission_mode: 'acceptEdits' };
  await agent.call({ ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Write it.' }, 'after');
  const write = async (from: string, to: string) => {
    const text = await readFile(path, 'utf8');
    const call = {
      ...session,
      tool_name: 'Edit',
      tool_use_id: to,
      tool_input: { file_path: path, old_string: from, new_string: to },
    };
    await agent.call({ ...call, hook_event_name: 'PreToolUse' }, 'after');
    await writeFile(path, text.replace(from, to));
    await agent.call(
      { ...call, hook_event_name: 'PostToolUse', tool_response: { originalFile: text } },
      'after',
    );
  };
  const marked = () =>
    emacs.evaluate(`(with-current-buffer "written.txt"
      (mapcar (lambda (each) (line-number-at-pos (overlay-start each))) (tandem--written)))`);
  await write('two', 'TWO');
  await write('three', 'THREE\nfour');
  await expect.poll(marked).toBe('(2)');
  await emacs.waitFor('[1 file to review]');
  await emacs.evaluate('(progn (goto-char (point-max)) (tandem-next-change))');
  await emacs.evaluate('(tandem-show-change)');
  await emacs.waitFor(/Claude Code, Turn 1: Write it\./);
  await emacs.waitFor(/Claude Code changed this \(Edit/);
  await emacs.evaluate('(tandem-undo-change)');
  await expect.poll(() => readFile(path, 'utf8')).toBe(before);
  await expect.poll(marked).toBe('nil');
  await emacs.evaluate('(tandem-redo)');
  await expect.poll(() => readFile(path, 'utf8')).toBe('one\nTWO\nTHREE\nfour\n');
  await expect.poll(marked).toBe('(2)');
  await emacs.evaluate('(tandem-keep-turn nil)');
  await expect.poll(marked).toBe('nil');
  await emacs.waitFor((screen) => !screen.includes('to review]'));
  expect(await readFile(path, 'utf8')).toBe('one\nTWO\nTHREE\nfour\n');
});
