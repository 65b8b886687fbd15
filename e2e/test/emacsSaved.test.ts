import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmacsWindow, missingEmacs } from '../src/emacs.js';
import { Sandbox } from '../src/sandbox.js';

/** What Emacs reports to Tandem of the files that the user saves. */
describe('Emacs reports a file that the user saves', () => {
  let sandbox: Sandbox;
  let emacs: EmacsWindow;

  beforeAll(async () => {
    expect(missingEmacs()).toBeUndefined();
    sandbox = await Sandbox.create();
    emacs = await EmacsWindow.start(sandbox, await sandbox.folder('workspace'), init);
  });

  beforeEach(() => emacs.evaluate('(setq test-saved nil)'));

  afterAll(async () => {
    await emacs?.dispose();
    await sandbox?.dispose();
  });

  const init = `
    (defvar test-saved nil)
    (defun test-record (method params)
      (when (eq method 'document/saved) (push params test-saved)))
    (with-eval-after-load 'tandem (advice-add 'tandem--notify :before #'test-record))`;

  const saved = async (): Promise<unknown> =>
    JSON.parse(await emacs.text('(json-serialize (vconcat (reverse test-saved)))'));

  /** Evaluates forms in the buffer that visits a file. */
  const inFile = (path: string, forms: string): Promise<string> =>
    emacs.evaluate(
      `(let ((path ${JSON.stringify(path)}))
         (with-current-buffer (or (get-file-buffer path) (find-file-noselect path)) ${forms} t))`,
    );

  it('with the whole text as it was written, also outside the workspace', async () => {
    const path = await sandbox.write(`${emacs.folder}/a.txt`, 'one\r\ntwo\r\n');
    await inFile(path, '(insert "zero\\n") (narrow-to-region 1 3) (save-buffer) (widen)');
    const outside = await sandbox.write('elsewhere/b.txt', 'b\n');
    await inFile(
      outside,
      '(erase-buffer) (insert "no end") (setq-local require-final-newline t) (save-buffer)',
    );
    expect(await saved()).toEqual([
      { path, text: 'zero\none\ntwo\n' },
      { path: outside, text: 'no end\n' },
    ]);
    expect(await readFile(path, 'utf8')).toBe('zero\r\none\r\ntwo\r\n');
  });

  it('without the text if that is too large or is compressed on disk', async () => {
    const path = await sandbox.write(`${emacs.folder}/large.txt`, 'a\n');
    await inFile(path, '(insert (make-string (* 8 1024 1024) ?x)) (save-buffer)');
    const packed = `${emacs.folder}/packed.txt.gz`;
    await inFile(packed, '(insert "text\\n") (save-buffer)');
    expect(await saved()).toEqual([{ path }, { path: packed }]);
  });

  it('and neither one that it reads again nor a part that is written elsewhere', async () => {
    const path = await sandbox.write(`${emacs.folder}/c.txt`, 'c\n');
    await inFile(path, 't');
    await writeFile(path, 'from elsewhere\n');
    await inFile(path, '(revert-buffer t t) (write-region 1 3 (concat buffer-file-name ".part"))');
    expect(await saved()).toEqual([]);
  });

  it('and saves without an error while Tandem does not run', async () => {
    const path = await sandbox.write(`${emacs.folder}/d.txt`, 'd\n');
    await emacs.evaluate('(tandem-mode -1)');
    await inFile(path, '(insert "mine\\n") (save-buffer)');
    expect(await readFile(path, 'utf8')).toBe('mine\nd\n');
    expect(await saved()).toEqual([]);
  });
});
