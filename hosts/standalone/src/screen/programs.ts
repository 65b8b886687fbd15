import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import type { ReviewDetails } from '@tandem/companion/control';
import { visibleName } from '@tandem/core';
import { editorCall } from '../commands/review.js';
import { CommandError } from '../exitCode.js';
import { readContent } from '../readContent.js';
import { isExecutable } from '../runProgram.js';

/** The user's text, and what is to be done with its folder. */
export interface EditedText {
  /** Absent if it is as before. */
  readonly content: string | undefined;
  /** For a message, if the text could not be used. */
  readonly file: string;
  /** Deletes the folder. */
  readonly discard: () => void;
}

/** Opens the text of a review in another program, which has the terminal until it ends. Rejects with `CommandError`. */
export async function editElsewhere(
  review: ReviewDetails,
  how: { readonly line: number; readonly isDiff: boolean },
): Promise<EditedText> {
  const program = how.isDiff ? findDiffTool() : process.env.VISUAL || process.env.EDITOR;
  if (!program) {
    throw new CommandError(
      how.isDiff
        ? 'No diff tool was found. Set TANDEM_DIFF to one, such as "nvim -d".'
        : 'Neither VISUAL nor EDITOR is set. Set one of them to your editor.',
    );
  }
  // mkdtemp creates a private folder.
  const folder = mkdtempSync(join(tmpdir(), 'tandem-review-'));
  const name = basename(review.path);
  const file = join(folder, how.isDiff ? `proposed-${name}` : name);
  writeFileSync(file, review.content, { mode: 0o600 });
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  const names = how.isDiff ? [join(folder, `file-${name}`), file] : [file];
  const [before] = names;
  if (how.isDiff && before !== undefined) writeFileSync(before, review.original ?? '', { mode: 0o400 });
  try {
    await run(how.isDiff ? program : `${program}${lineArgument(program, how.line)}`, names);
    const content = await readContent(file);
    return { content: content === review.content ? undefined : content, file, discard };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const message = `${error.message} Your text is in ${visibleName(file)}.`;
    throw new CommandError(message, error.code, { cause: error });
  }
}

/** The arguments with which a known editor starts at a line. The file follows. */
export function lineArgument(editor: string, line: number): string {
  const name = basename(editor.trim().split(/\s+/)[0] ?? '').replace(/\.(exe|cmd)$/i, '');
  return /^(vim?|nvim|view|nano|pico|emacs|emacsclient|micro|kak|joe|ne|mg|jed)$/.test(name)
    ? ` +${line + 1}`
    : '';
}

const diffTools = ['nvim -d', 'vim -d', 'code --wait --diff', 'meld'];

/** `$TANDEM_DIFF`, otherwise the first that is installed. */
export function findDiffTool(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.TANDEM_DIFF) return env.TANDEM_DIFF;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return diffTools.find((tool) =>
    folders.some((folder) => isExecutable(join(folder, tool.split(' ')[0] ?? ''))),
  );
}

function run(program: string, files: readonly string[]): Promise<void> {
  const { command, args, shell } = editorCall(program, files, process.platform);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { shell, stdio: 'inherit' });
    child.once('error', (error) =>
      reject(
        new CommandError(`${program} could not be started: ${error.message}`, undefined, { cause: error }),
      ),
    );
    child.once('exit', (code) => {
      if (code === 0) return resolve();
      const how = code === null ? 'was killed' : `ended with code ${code}`;
      reject(new CommandError(`${program} ${how}; the review is unchanged.`));
    });
  });
}
