import { realpathSync } from 'node:fs';
import { type ControlClient, ControlError, findCompanions, type FoundCompanion } from '@tandem/companion';
import { isWithin, type Path, pathParts } from '@tandem/core';
import { CommandError, exitCode } from './exitCode.js';

/** The options by which a person says which companion is meant. */
export interface CompanionChoice {
  /** The process id of a companion, as `tandem status` shows it. */
  readonly companion?: string;
}

/**
 * Finds the companion that a command is for: the one named by its process id, else the one whose folder holds
 * `near`, the innermost when several do. Throws `CommandError` when there is none or the choice is not clear.
 */
export async function chooseCompanion(near: Path, choice: CompanionChoice): Promise<FoundCompanion> {
  const running = await findCompanions();
  if (choice.companion !== undefined) {
    const named = running.find(({ pid }) => String(pid) === choice.companion);
    if (named !== undefined) return named;
    throw new CommandError(`No companion runs as process ${choice.companion}.\n${listed(running)}`, exitCode.noCompanion);
  }
  const matching = innermost(running, realPathOf(near));
  if (matching.length === 1 && matching[0] !== undefined) return matching[0];
  if (matching.length === 0) {
    const hint = running.length > 0 ? `\n${listed(running)}` : '';
    throw new CommandError(
      `No companion serves ${near}.\nStart one there with: tandem serve${hint}`,
      exitCode.noCompanion,
    );
  }
  throw new CommandError(
    `Several companions serve ${near}. Say which is meant with --companion PID:\n${listed(matching)}`,
    exitCode.noCompanion,
  );
}

/** Like `chooseCompanion`, and `undefined` where it finds none. */
export async function findCompanionFor(near: Path): Promise<FoundCompanion | undefined> {
  const matching = innermost(await findCompanions(), realPathOf(near));
  // Any of several will do for an agent that is told which one: the latest is the one just started.
  return matching.at(-1);
}

/** Runs one call and turns a companion's refusal into a `CommandError` with the right exit code. */
export async function calling<T>(client: ControlClient, call: (client: ControlClient) => Promise<T>): Promise<T> {
  try {
    return await call(client);
  } catch (error) {
    if (!(error instanceof ControlError)) {
      throw new CommandError('The companion does not answer. Is it still running? See: tandem status', exitCode.failed, {
        cause: error,
      });
    }
    const isAboutReview = error.code === 'not-found' || error.code === 'already-decided';
    throw new CommandError(error.message, isAboutReview ? exitCode.noSuchReview : exitCode.failed, { cause: error });
  }
}

/** A path as the file system knows it, or as it is when it does not exist. */
export function realPathOf(path: Path): Path {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function innermost(running: readonly FoundCompanion[], path: Path): readonly FoundCompanion[] {
  const depths = running.map((companion) => ({ companion, depth: depthAround(companion, path) }));
  const deepest = Math.max(0, ...depths.map(({ depth }) => depth));
  return depths.filter(({ depth }) => depth > 0 && depth === deepest).map(({ companion }) => companion);
}

/** How many parts the innermost of the companion's folders around the path has, plus one; 0 when none is around it. */
function depthAround(companion: FoundCompanion, path: Path): number {
  return Math.max(
    0,
    ...companion.workspaceFolders.filter((folder) => isWithin(folder, path)).map((folder) => pathParts(folder).length + 1),
  );
}

function listed(companions: readonly FoundCompanion[]): string {
  if (companions.length === 0) return 'None is running.';
  const lines = companions.map(
    ({ pid, editor, workspaceFolders }) => `  ${pid}  ${editor}  ${workspaceFolders.join(', ') || '(no folder)'}`,
  );
  return `Running:\n${lines.join('\n')}`;
}
