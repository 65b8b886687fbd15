import {
  type ControlContract,
  companionsFor,
  type FoundCompanion,
  findCompanions,
  portVariable,
} from '@tandem/companion/control';
import { type Path, visibleName } from '@tandem/core';
import { type MethodOf, type Params, type Result, type RpcCode, RpcError } from '@tandem/rpc';
import { CommandError, exitCode } from './exitCode.js';
import { commandName } from './output.js';

/** The option with which the user names a companion. */
export interface CompanionChoice {
  /** Its process id, as `tandem status` shows it. */
  readonly companion?: number;
}

/**
 * Finds the companion for a command: the one with the given process id, otherwise the best for `near`. Throws `CommandError` if
 * there is none, and if several are equally good: a decision must not depend on which of them was used last.
 */
export async function chooseCompanion(near: Path, choice: CompanionChoice): Promise<FoundCompanion> {
  const running = await findCompanions();
  if (choice.companion !== undefined) {
    const named = running.find(({ pid }) => pid === choice.companion);
    if (named !== undefined) return named;
    throw new CommandError(
      `No companion is running as process ${choice.companion}.\n${listed(running)}`,
      exitCode.noCompanion,
    );
  }
  const matching = bestFor(running, near);
  if (matching.length === 1 && matching[0] !== undefined) return matching[0];
  if (matching.length === 0) {
    const others = running.length > 0 ? `\n${listed(running)}` : '';
    throw new CommandError(
      `No companion serves ${visibleName(near)}. Start one there: ${commandName}${others}`,
      exitCode.noCompanion,
    );
  }
  throw new CommandError(
    `Several companions serve ${visibleName(near)}. Choose one with --companion PID.\n${listed(matching)}`,
    exitCode.usage,
  );
}

/** Like `chooseCompanion`, but `undefined` if there is none. Of several, returns the one that the user worked in last, as agents do. */
export async function findCompanionFor(near: Path): Promise<FoundCompanion | undefined> {
  return bestFor(await findCompanions(), near).at(-1);
}

/** Like `chooseCompanion`, for a command that decides nothing: of several, returns the one that the user worked in last. */
export async function lastUsedCompanion(near: Path, choice: CompanionChoice): Promise<FoundCompanion> {
  const found = choice.companion === undefined ? await findCompanionFor(near) : undefined;
  return found ?? chooseCompanion(near, choice);
}

/** Calls a companion. Rejects with a `CommandError` that has the right exit code. */
export async function ask<M extends MethodOf<ControlContract>>(
  companion: FoundCompanion,
  method: M,
  params: Params<ControlContract, M>,
): Promise<Result<ControlContract, M>> {
  try {
    return await companion.client.call(method, params);
  } catch (error) {
    throw asCommandError(error, companion);
  }
}

/** A failed call of a companion, as what the user reads and the exit code. */
export function asCommandError(error: unknown, companion: FoundCompanion): CommandError {
  if (!(error instanceof RpcError)) {
    return new CommandError(
      `The companion (process ${companion.pid}) does not answer. Check whether it is still running: ${commandName} status`,
      exitCode.failed,
      { cause: error },
    );
  }
  if (error.code === 'unknown-method' || error.code === 'bad-answer') return otherVersion(companion, error);
  return new CommandError(error.message, exitCodes[error.code] ?? exitCode.failed, { cause: error });
}

/** The exit codes of refusals that are not plain failures. */
const exitCodes: Partial<Record<RpcCode, number>> = {
  'bad-params': exitCode.usage,
  'not-found': exitCode.noSuchReview,
  'already-decided': exitCode.noSuchReview,
};

function otherVersion({ pid, version }: FoundCompanion, cause: unknown): CommandError {
  return new CommandError(
    `The companion (process ${pid}) runs Tandem ${version}, which is incompatible with this command. Stop it with: ${commandName} stop --companion ${pid}\nThen start it again: ${commandName}. If it runs in an editor, restart the editor instead.`,
    exitCode.failed,
    { cause },
  );
}

/** The companions that a command in `near` may mean, the one used last at the end. */
export function bestFor(running: readonly FoundCompanion[], near: Path): readonly FoundCompanion[] {
  return companionsFor(running, near, process.env[portVariable]);
}

function listed(companions: readonly FoundCompanion[]): string {
  if (companions.length === 0) return 'None is running.';
  const lines = companions.map(({ pid, editor, workspaceFolders }) => {
    return `  ${pid}  ${editor}  ${workspaceFolders.map(visibleName).join(', ') || '(no folder)'}`;
  });
  return `Running:\n${lines.join('\n')}`;
}
