import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EmacsWindow } from '../src/emacs.js';
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
