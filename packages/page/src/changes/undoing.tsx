import { Button, countOf, Dialog, Spacer } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import type { ChangeSelection, RestoredFile } from '@tandem/rpc';
import { useCallback, useState } from 'react';
import { type Shell, useShell } from '../app/shell.js';
import { fileName } from '../app/tabList.js';
import type { ChosenHunks } from './changeDiff.js';
import styles from './changes.module.css';

type Verb = 'Undo' | 'Redo';

/** The question to the user before changes are undone. */
export interface UndoQuestion {
  readonly selection: ChangeSelection;
  /** What would happen to each file that has the changes. */
  readonly outcomes: readonly RestoredFile[];
  readonly verb: Verb;
}

const isWritten = ({ kind }: RestoredFile): boolean => ['restored', 'merged', 'removed'].includes(kind);

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
        else
          shell.notices.info(`Nothing to ${verb.toLowerCase()}: the files no longer contain these changes.`);
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

const doneWords: Readonly<Record<Verb, string>> = { Undo: 'Undone', Redo: 'Redone' };

/** Takes changes back, and opens the files with conflicts. */
async function undo(
  shell: Shell,
  { selection, verb }: Pick<UndoQuestion, 'selection' | 'verb'>,
): Promise<void> {
  const { notices, services } = shell;
  const failed = `Not ${doneWords[verb].toLowerCase()}`;
  try {
    const restored = await services.host.request('changes.restore', { ...selection, isPartial: true });
    const written = restored.filter(isWritten);
    const refused = restored.filter(({ kind }) => kind === 'refused');
    if (refused.length > 0) {
      notices.error(`${failed}: ${refused.map(({ reason = '' }) => visibleName(reason)).join(' ')}`);
    }
    if (written.length > 0) reportWritten(shell, written, verb);
    if (restored.some(({ kind }) => kind === 'conflict')) await openConflicts(shell, selection);
  } catch (error) {
    notices.failure(failed, error);
  }
}

function reportWritten(shell: Shell, written: readonly RestoredFile[], verb: Verb): void {
  const [first] = written;
  const what =
    written.length === 1 ? visibleName(fileName(first?.path ?? '')) : countOf(written.length, 'file');
  const ids = written.flatMap(({ restoration }) => restoration ?? []);
  const back = verb === 'Undo' ? 'Redo' : 'Undo';
  shell.notices.show({
    key: 'undone',
    kind: 'good',
    text: `${doneWords[verb]}: ${what}.`,
    action: { label: back, run: () => void undo(shell, { selection: { ids }, verb: back }) },
    staysMs: 15_000,
  });
}

async function openConflicts(shell: Shell, selection: ChangeSelection): Promise<void> {
  const { paths } = await shell.services.host.request('changes.resolve', selection);
  for (const path of paths) await shell.openDocument(path);
  const names = paths.map((path) => visibleName(fileName(path))).join(', ');
  shell.notices.info(
    `Resolve the conflicts in ${names}: keep one side or both, then save. Nothing is written until you save.`,
  );
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
