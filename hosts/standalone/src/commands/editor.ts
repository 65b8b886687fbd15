import type { Companion } from '@tandem/companion';
import { shellWord } from '@tandem/companion/shell';
import { writeUserFile } from '@tandem/companion/userFile';
import { DisposableStore, type Logger } from '@tandem/core';
import { type EditorServices, serveEditor } from '@tandem/remote';
import { FileWatches } from '../editor/fileWatches.js';
import { followReviewFile } from '../editor/followReviewFile.js';
import { CommandError, exitCode } from '../exitCode.js';
import { findHookProgram, findScanWorker } from '../ourFiles.js';
import { commandName, onOutputEnd, print, stderrLogger } from '../output.js';
import { endDespiteDisk, onEndingSignal, releaseAtAnyEnd } from '../processEnd.js';
import { findProgram } from '../runProgram.js';
import { openJournal } from '../workspaceState.js';

export interface EditorCommandOptions {
  readonly version: string;
  /** A command and its arguments. */
  readonly check?: readonly string[];
}

/**
 * `tandem editor`: the companion of the editor that started this process, over standard input and output. With `check`, checks
 * instead the editor that this command starts.
 */
export async function editor({ version, check }: EditorCommandOptions): Promise<void> {
  const logger = stderrLogger();
  if (check !== undefined) return checkPlugin(check, logger);
  const owned = new DisposableStore();
  const ended = new Promise<number>((resolve) => {
    owned.add(onEndingSignal(resolve));
    onOutputEnd(resolve);
  });
  let code: number = exitCode.ok;
  void ended.then((wanted) => {
    code = wanted;
  });
  const hasStarted = await serveEditor(
    { input: process.stdin, output: process.stdout },
    {
      ...editorServices(version, logger),
      onCompanion: (companion: Companion) => void owned.add(releaseAtAnyEnd(companion)),
    },
    ended,
  );
  owned.dispose();
  if (!hasStarted) code = exitCode.failed;
  process.exitCode = code;
  await endDespiteDisk();
  // The editor may keep its end of the pipes open.
  process.exit(code);
}

/** What the companion of an editor needs from this program. */
export function editorServices(version: string, logger: Logger): Omit<EditorServices, 'onCompanion'> {
  return {
    version,
    logger,
    hookProgram: findHookProgram(),
    command: ownCommand(),
    changes: findScanWorker(),
    openJournal: (folders, window) => openJournal(folders, logger, window),
    writeFile: writeUserFile,
    followFile: (review, folders) =>
      followReviewFile(review, { logger, watches: new FileWatches(logger, folders) }),
    watchFile: (path, folders, onTouched) => new FileWatches(logger, folders).watch(path, onTouched),
  };
}

/** This program as the user runs it: the plugin may name its file, which is not on the PATH. */
function ownCommand(): string {
  const [program = 'node', file] = process.argv;
  return findProgram('tandem') ?? [program, file ?? ''].map(shellWord).join(' ');
}

/** `tandem editor --check`. */
async function checkPlugin([command, ...args]: readonly string[], logger: Logger): Promise<void> {
  if (command === undefined) {
    throw new CommandError(
      `Add the command that starts the plugin's test driver: ${commandName} editor --check COMMAND`,
      exitCode.usage,
    );
  }
  const { checkEditor } = await import('@tandem/remote/check');
  if (!(await checkEditor(command, args, { logger, print }))) process.exitCode = exitCode.failed;
}
