import { join } from 'node:path';
import type { AgentWork, Machine } from '@tandem/agents';
import {
  type Clock,
  type Disposable,
  describeError,
  type Logger,
  type Path,
  type SharingPolicy,
} from '@tandem/core';
import { lazily } from '@tandem/mcp';
import type { PathMarks, SessionTurn } from '@tandem/reviews';
import type { FolderRecording } from '@tandem/rpc';
import type { CompanionOptions } from '../companionOptions.js';
import { stateFolder } from '../control/thisMachine.js';
import type { CopyOf } from '../files/exactContent.js';
import type { History, SeenEdit } from '../reviews/history.js';
import type { SeenChanges } from './seenChanges.js';
import { SessionTurns } from './sessionTurns.js';

interface Services {
  readonly folders: () => readonly Path[];
  readonly history: () => History;
  readonly marksOf: (edit: SeenEdit) => Promise<PathMarks>;
  readonly machine: Machine;
  readonly policy: Pick<SharingPolicy, 'denyList' | 'onDidChange'>;
  readonly options: Pick<CompanionOptions, 'changes' | 'editor'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What hooks and the editor report of the work on the files. */
export interface WatchedWork extends AgentWork, Disposable {
  /** Records an edit that an agent wrote without a review. */
  record(edit: SeenEdit): Promise<void>;
  /** What is recorded in each folder. Never rejects. */
  recording(): Promise<readonly FolderRecording[]>;
  /** Removes all copies of files that no other process uses. Never rejects. */
  forget(): Promise<void>;
  /** What is kept of a file that is not text. Never rejects. */
  readonly copyOf: CopyOf;
  /** The present turn of a session. */
  readonly turnOf: (session: string) => SessionTurn | undefined;
}

/**
 * Sees what agents write in the folders of the workspace, from the first turn or command that a hook reports. Loads the code for it
 * then. The creator disposes it.
 */
export function watchWork(of: Services): WatchedWork {
  const { clock, logger, folders, machine, policy } = of;
  const { changes, editor } = of.options;
  const turns = new SessionTurns((session) => of.history().lastTurnOf(session));
  let seen: SeenChanges | undefined;
  let isDisposed = false;
  const record = async (edit: SeenEdit): Promise<void> => {
    const marks = await of.marksOf(edit);
    // What the agent did not name itself must not be kept for it.
    const isHidden = edit.evidence !== undefined && marks.heldBack !== undefined;
    const hasContents = edit.unkept === undefined || edit.unkept.why === 'link' || edit.unkept.why === 'mode';
    const unkept = isHidden && hasContents ? { why: 'hidden' as const } : edit.unkept;
    of.history().addWritten({ ...edit, ...marks, ...(unkept && { unkept }) });
  };
  const load = lazily(async () => {
    const { SeenChanges } = await import('./seenChanges.js');
    const scan = {
      workerFile: changes?.workerFile ?? '',
      stateFolder: join(stateFolder(machine), 'changes'),
    };
    const denyList = () => policy.denyList;
    seen = new SeenChanges({ clock, logger, folders, history: of.history(), record, scan, denyList });
    if (isDisposed) seen.dispose();
    return seen;
  });
  const saves = editor.documents.onDidSave?.(({ path, text }) => void seen?.userSaved(path, text));
  /** The file that the user has begun to edit. */
  let edited: Path | undefined;
  const edits = editor.context.onDidChange(() => {
    if (seen === undefined) return;
    const { activePath } = editor.context.snapshot();
    if (activePath === undefined) return;
    if (editor.documents.state(activePath)?.isDirty !== true) edited = undefined;
    else if (edited !== activePath) {
      edited = activePath;
      void seen.userEdits(activePath);
    }
  });
  const withSeen = async (use: (loaded: SeenChanges) => unknown): Promise<void> => {
    if (changes === undefined) return;
    try {
      await use(await load());
    } catch (error) {
      logger.warn('changes of files are not recorded', { error: describeError(error) });
    }
  };
  let { denyList } = policy;
  const changed = policy.onDidChange(() => {
    if (policy.denyList.join('\n') === denyList.join('\n')) return;
    denyList = policy.denyList;
    void withSeen((loaded) => loaded.denyListChanged());
  });
  return {
    record,
    copyOf: async (hash) => {
      let copy: Buffer | undefined;
      await withSeen(async (loaded) => {
        copy = await loaded.copyOf(hash);
      });
      return copy;
    },
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
    recording: async () => (await load()).recording(changes !== undefined),
    forget: async () => (await load()).forget(),
    dispose() {
      isDisposed = true;
      changed.dispose();
      saves?.dispose();
      edits.dispose();
      seen?.dispose();
    },
  };
}
