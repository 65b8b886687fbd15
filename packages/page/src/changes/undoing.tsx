import { Button, countOf, Dialog, Spacer } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import type { ChangeSelection, RestoredFile } from '@tandem/rpc';
import { useCallback, useState } from 'react';
import { useShell } from '../app/shell.js';
import { fileName } from '../app/tabList.js';
import type { ChosenHunks } from './changeDiff.js';
import styles from './changes.module.css';
import { doneWords, isWritten, reportNothing, reportWritten, undo, type Verb } from './undoChanges.js';

/** The question to the user before changes are undone. */
export interface UndoQuestion {
  readonly selection: ChangeSelection;
  /** What would happen to each file that has the changes. */
  readonly outcomes: readonly RestoredFile[];
  readonly verb: Verb;
}

/** How many files would be written, and how many have conflicts. */
function planOf({ outcomes }: UndoQuestion): {
  readonly written: number;
  readonly conflicts: number;
} {
  const count = (matches: (file: RestoredFile) => boolean): number => outcomes.filter(matches).length;
  return { written: count(isWritten), conflicts: count(({ kind }) => kind === 'conflict') };
}

/** Takes changes back after a question, or a hunk at once. */
export function useUndoing(): {
  readonly question: UndoQuestion | undefined;
  ask(selection: ChangeSelection, verb?: Verb): Promise<void>;
  undoHunk(hunk: ChosenHunks): Promise<void>;
  confirm(): Promise<void>;
  cancel(): void;
} {
  const shell = useShell();
  const [question, setQuestion] = useState<UndoQuestion>();
  // Always the same, so that the files are not drawn again.
  const ask = useCallback(
    async (selection: ChangeSelection, verb: Verb = 'Undo') => {
      const { host } = shell.services;
      try {
        const previewed = await host.request('changes.restore', { ...selection, previews: true });
        const outcomes = previewed.filter(({ kind }) => kind !== 'nothing');
        if (outcomes.length > 0) setQuestion({ selection, outcomes, verb });
        else reportNothing(shell, verb);
      } catch (error) {
        shell.notices.failure(`Nothing can be ${doneWords[verb].toLowerCase()}`, error);
      }
    },
    [shell],
  );
  const undoHunk = useCallback(
    async (hunk: ChosenHunks) => {
      try {
        reportWritten(shell, await shell.services.host.request('changes.restore', hunk), 'Undo');
      } catch (error) {
        shell.notices.failure('Not undone', error);
      }
    },
    [shell],
  );
  return {
    question,
    ask,
    undoHunk,
    confirm: async () => {
      setQuestion(undefined);
      if (question !== undefined) await undo(shell, question);
    },
    cancel: () => setQuestion(undefined),
  };
}

interface UndoDialogProps {
  readonly question: UndoQuestion;
  /** The name of a file for the user. */
  readonly labelOf: (path: string) => string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Says what taking changes back does to each file, and asks. */
export function UndoDialog({ question, labelOf, onConfirm, onCancel }: UndoDialogProps) {
  const { outcomes, verb } = question;
  const { written, conflicts } = planOf(question);
  const [first] = outcomes;
  const what =
    outcomes.length === 1
      ? visibleName(fileName(labelOf(first?.path ?? '')))
      : countOf(outcomes.length, 'file');
  return (
    <Dialog
      title={`${verb} ${what}?`}
      onClose={onCancel}
      actions={
        <>
          <Spacer />
          <Button isFirst onClick={onCancel}>
            {written + conflicts === 0 ? 'Close' : 'Cancel'}
          </Button>
          {written + conflicts > 0 && (
            <Button kind="primary" onClick={onConfirm}>
              {written === 0 ? (conflicts === 1 ? 'Open the conflict' : 'Open the conflicts') : verb}
            </Button>
          )}
        </>
      }
    >
      <ul className={styles.outcomes}>
        {outcomes.map(({ path, note, evidence }) => (
          <li key={path}>
            <strong>{visibleName(labelOf(path))}</strong> {note}
            {evidence.map((sentence) => (
              <p key={sentence} className={`muted small ${styles.evidence}`}>
                {visibleName(sentence)}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {conflicts > 0 && (
        <p>A file with conflicts opens with both versions. Nothing is written to it until you save.</p>
      )}
      {written > 0 && verb === 'Undo' && <p className="muted">You can redo this.</p>}
    </Dialog>
  );
}
