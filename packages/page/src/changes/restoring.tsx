import { Button, countOf, Dialog, Spacer } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import type { ChangeSelection, RestoredFile } from '@tandem/rpc';
import { useCallback, useState } from 'react';
import { type Shell, useShell } from '../app/shell.js';
import { fileName } from '../app/tabList.js';
import styles from './changes.module.css';

/** The question to the user before changes are undone. */
export interface RestoreQuestion {
  readonly selection: ChangeSelection;
  /** What would happen to each file that has the changes. */
  readonly outcomes: readonly RestoredFile[];
  /** The verb on the button. */
  readonly verb: 'Restore' | 'Undo';
}

const isWritten = ({ kind }: RestoredFile): boolean => ['restored', 'merged', 'removed'].includes(kind);

/** How many files would be written, and how many have conflicts. */
function planOf({ outcomes }: RestoreQuestion): {
  readonly written: number;
  readonly conflicts: number;
} {
  const count = (matches: (file: RestoredFile) => boolean): number => outcomes.filter(matches).length;
  return { written: count(isWritten), conflicts: count(({ kind }) => kind === 'conflict') };
}

/** Takes changes back after a question. */
export function useRestoring(): {
  readonly question: RestoreQuestion | undefined;
  ask(selection: ChangeSelection, verb?: RestoreQuestion['verb']): Promise<void>;
  confirm(): Promise<void>;
  cancel(): void;
} {
  const shell = useShell();
  const [question, setQuestion] = useState<RestoreQuestion>();
  // Always the same, so that the files are not drawn again.
  const ask = useCallback(
    async (selection: ChangeSelection, verb: RestoreQuestion['verb'] = 'Restore') => {
      const { host } = shell.services;
      try {
        const previewed = await host.request('changes.restore', { ...selection, previews: true });
        const outcomes = previewed.filter(({ kind }) => kind !== 'nothing');
        if (outcomes.length > 0) setQuestion({ selection, outcomes, verb });
        else shell.notices.info('Nothing to restore: the files no longer contain these changes.');
      } catch (error) {
        shell.notices.failure('Nothing can be restored', error);
      }
    },
    [shell],
  );
  return {
    question,
    ask,
    confirm: async () => {
      setQuestion(undefined);
      if (question !== undefined) await restore(shell, question);
    },
    cancel: () => setQuestion(undefined),
  };
}

/** Takes changes back, and opens the files with conflicts. */
async function restore(
  shell: Shell,
  { selection, verb }: Pick<RestoreQuestion, 'selection' | 'verb'>,
): Promise<void> {
  const { notices, services } = shell;
  const failed = verb === 'Undo' ? 'Not undone' : 'Not restored';
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

function reportWritten(shell: Shell, written: readonly RestoredFile[], verb: RestoreQuestion['verb']): void {
  const [first] = written;
  const what =
    written.length === 1 ? visibleName(fileName(first?.path ?? '')) : countOf(written.length, 'file');
  const ids = written.flatMap(({ restoration }) => restoration ?? []);
  shell.notices.show({
    key: 'restored',
    kind: 'good',
    text: verb === 'Undo' ? `Undid the restoration of ${what}.` : `Restored ${what}.`,
    action: { label: 'Undo', run: () => void restore(shell, { selection: { ids }, verb: 'Undo' }) },
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

interface RestoreDialogProps {
  readonly question: RestoreQuestion;
  /** The name of a file for the user. */
  readonly labelOf: (path: string) => string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Says what taking changes back does to each file, and asks. */
export function RestoreDialog({ question, labelOf, onConfirm, onCancel }: RestoreDialogProps) {
  const { outcomes, verb } = question;
  const { written, conflicts } = planOf(question);
  const [first] = outcomes;
  const what =
    outcomes.length === 1
      ? visibleName(fileName(labelOf(first?.path ?? '')))
      : countOf(outcomes.length, 'file');
  return (
    <Dialog
      title={verb === 'Undo' ? `Undo the restoration of ${what}?` : `Restore ${what}?`}
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
        {outcomes.map((outcome) => (
          <li key={outcome.path}>
            <strong>{visibleName(labelOf(outcome.path))}</strong> {outcome.note}
          </li>
        ))}
      </ul>
      {conflicts > 0 && (
        <p>A file with conflicts opens with both versions. Nothing is written to it until you save.</p>
      )}
      {written > 0 && <p className="muted">This can be undone.</p>}
    </Dialog>
  );
}
