import { copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { batchEmacs, emacsPackage, missingEmacs } from '../src/emacs.js';
import { openSandbox } from '../src/stage.js';
import { tandem } from '../src/tandem.js';

/** The Emacs package by itself. `emacsAgents.test.ts` has the agents. */

const peer = fileURLToPath(new URL('../src/editorPeer.mjs', import.meta.url));
const driver = `${emacsPackage}/test/driver.el`;

beforeAll(() => expect(missingEmacs()).toBeUndefined());

it('passes the editor contract in a real Emacs, in less than 20 seconds', async () => {
  const sandbox = await openSandbox();
  const emacs = ['emacs', '-Q', '--batch', '-L', emacsPackage, '-l', driver];
  const { code, stdout, stderr } = await tandem(sandbox, sandbox.root, [
    'editor',
    '--check',
    process.execPath,
    peer,
    ...emacs,
  ]);
  expect(`${stdout}${stderr}`).not.toMatch(/FAIL|does not support/);
  expect(stdout).toMatch(/(\d+) of \1 checks passed/);
  expect(code).toBe(0);
});

it('compiles without a warning', async () => {
  const sandbox = await openSandbox();
  const copy = `${sandbox.root}/tandem.el`;
  await copyFile(`${emacsPackage}/tandem.el`, copy);
  await batchEmacs(
    sandbox,
    '--eval',
    '(setq byte-compile-error-on-warn t)',
    '-f',
    'batch-byte-compile',
    copy,
  );
});

it('has complete documentation strings, as checkdoc requires', async () => {
  const sandbox = await openSandbox();
  const output = await batchEmacs(sandbox, '--eval', `(checkdoc-file "${emacsPackage}/tandem.el")`);
  expect(output).toBe('');
});
