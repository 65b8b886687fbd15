import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { reviewSummary } from '@tandem/companion';
import { type CompanionChoice, calling, chooseCompanion } from '../connectCompanion.js';
import { CommandError } from '../exitCode.js';
import { print } from '../output.js';
import { reviewDiff } from '../reviewText.js';
import { details, idOf } from './review.js';

/**
 * `tandem review edit`: opens the text as it stands in the person's editor and puts what they made of it into the
 * review, which goes on waiting. When the review ended meanwhile the edited file is kept and named.
 */
export async function editReview(id: string | undefined, options: CompanionChoice): Promise<void> {
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor) throw new CommandError('Set VISUAL or EDITOR to the editor that should open, or use --content-file.');
  const { client } = await chooseCompanion(process.cwd(), options);
  const known = await idOf(client, id);
  const before = await details(client, known);
  // mkdtemp makes the folder for this user alone.
  const folder = mkdtempSync(join(tmpdir(), 'tandem-review-'));
  const file = join(folder, basename(before.path));
  writeFileSync(file, before.content, { mode: 0o600 });
  // EDITOR may carry arguments, such as "code --wait": by convention it is the start of a shell command. The file's
  // name goes in as an argument of the shell, so that nothing in it is read as syntax.
  const result =
    process.platform === 'win32'
      ? spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  if (result.status !== 0) {
    throw new CommandError(`The editor did not end well; nothing was changed. Your text is in ${file}`);
  }
  try {
    const content = readFileSync(file, 'utf8');
    reviewSummary.parse(await calling(client, (each) => each.call('review.edit', { id: known, content })));
  } catch (error) {
    if (error instanceof CommandError) throw new CommandError(`${error.message}\nYour text is in ${file}`, error.code);
    throw error;
  }
  rmSync(folder, { recursive: true, force: true });
  print(reviewDiff(await details(client, known), process.cwd()));
}
