import { join } from 'node:path';
import type { AgentWork, Machine } from '@tandem/agents';
import { type Clock, type Disposable, describeError, type Logger, type Path } from '@tandem/core';
import { lazily } from '@tandem/mcp';
import type { PathMarks, SessionTurn } from '@tandem/reviews';
import type { CompanionOptions } from '../companionOptions.js';
import { stateFolder } from '../control/thisMachine.js';
import type { History, SeenEdit } from '../reviews/history.js';
import type { SeenChanges } from './seenChanges.js';
import { SessionTurns } from './sessionTurns.js';

interface Services {
  readonly folders: () => readonly Path[];
  readonly history: () => History;
  readonly marksOf: (edit: SeenEdit) => Promise<PathMarks>;
  readonly machine: Machine;
  readonly options: Pick<CompanionOptions, 'changes' | 'denyList' | 'editor'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What hooks and the editor report of the work on the files. */
export interface WatchedWork extends AgentWork, Disposable {
  /** Records an edit that an agent wrote without a review. */
  record(edit: SeenEdit): Promise<void>;
  /** The present turn of a session. */
  readonly turnOf: (session: string) => SessionTurn | undefined;
}

/**
 * Sees what agents write in the folders of the workspace, from the first turn or command that a hook reports. Loads the code for it
 * then. The creator disposes it.
 */
export function watchWork(of: Services): WatchedWork {
  const { clock, logger, folders, machine } = of;
  const { changes, denyList, editor } = of.options;
  const turns = new SessionTurns((session) => of.history().lastTurnOf(session));
  let seen: SeenChanges | undefined;
  let isDisposed = false;
  const record = async (edit: SeenEdit): Promise<void> =>
    of.history().addWritten({ ...edit, ...(await of.marksOf(edit)) });
  const load = lazily(async () => {
    const { SeenChanges } = await import('./seenChanges.js');
    const scan = {
      workerFile: changes?.workerFile ?? '',
      stateFolder: join(stateFolder(machine), 'changes'),
      ...(denyList && { denyList }),
    };
    seen = new SeenChanges({ clock, logger, folders, history: of.history(), record, scan });
    if (isDisposed) seen.dispose();
    return seen;
  });
  const saves = editor.documents.onDidSave?.(({ path, text }) => void seen?.userSaved(path, text));
  const withSeen = async (use: (loaded: SeenChanges) => unknown): Promise<void> => {
    if (changes === undefined) return;
    try {
      await use(await load());
    } catch (error) {
      logger.warn('changes of files are not recorded', { error: describeError(error) });
    }
  };
  return {
    record,
    turnOf: (session) => turns.of(session),
    turnBegan(author, { prompt, isContinued }) {
      const at = clock.now();
      if (!isContinued) turns.begin(author.session, prompt);
      void withSeen((loaded) => loaded.turnBegan(author, at));
    },
    turnEnded(session) {
      const at = clock.now();
      void withSeen((loaded) => loaded.turnEnded(session, at));
    },
    commandBegan: (author, id, command) => withSeen((loaded) => loaded.commandBegan(author, id, command)),
    commandEnded(session, id) {
      const at = clock.now();
      return withSeen((loaded) => loaded.commandEnded(session, id, at));
    },
    dispose() {
      isDisposed = true;
      saves?.dispose();
      seen?.dispose();
    },
  };
}
