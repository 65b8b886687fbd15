import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { visibleName } from '@tandem/core';
import { ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { CommandError, exitCode } from '../exitCode.js';
import { commandName, print } from '../output.js';
import { readContent } from '../readContent.js';
import { findReviewId } from '../reviewChoice.js';
import { reviewDiff } from '../reviewDiff.js';

/**
 * `tandem review edit`: opens the text as it stands in the person's editor and puts what they made of it into the
 * review, which goes on waiting. What cannot be put there is kept in its file, and the file named.
 */
export async function editReview(asked: string | undefined, options: CompanionChoice): Promise<void> {
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor) {
    throw new CommandError(
      `Set VISUAL or EDITOR to the editor that should open, or use: ${commandName} review accept --content-file FILE`,
    );
  }
  const companion = await chooseCompanion(process.cwd(), options);
  const id = asked ?? (await findReviewId(companion));
  const before = await ask(companion, 'review.show', { id });
  if (before.state !== 'pending') {
    throw new CommandError(`Review ${id} is already ${before.state}.`, exitCode.noSuchReview);
  }
  // mkdtemp makes the folder for this user alone.
  const folder = mkdtempSync(join(tmpdir(), 'tandem-review-'));
  const file = join(folder, basename(before.path));
  writeFileSync(file, before.content, { mode: 0o600 });
  try {
    openEditor(editor, file);
    const content = await readContent(file);
    await ask(companion, 'review.edit', { id, content });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${error.message}\nYour text is in ${visibleName(file)}`, error.code, {
      cause: error,
    });
  }
  rmSync(folder, { recursive: true, force: true });
  print(reviewDiff(await ask(companion, 'review.show', { id }), process.cwd()));
}

/**
 * EDITOR may carry arguments, such as "code --wait": by convention it is the start of a shell command. The file's
 * name goes in as an argument of the shell, so that nothing in it is read as syntax.
 */
function openEditor(editor: string, file: string): void {
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  if (status === 0) return;
  const how = status === null ? 'was killed' : `ended with code ${status}`;
  throw new CommandError(`The editor (${editor}) ${how}; the review is unchanged.`, exitCode.failed, {
    cause: error,
  });
}
