import { visibleName } from '@tandem/core';
import { fileName } from '../app/tabList.js';
import { Button, Dialog, Spacer } from '../primitives/index.js';
import { countOf } from '../review/reviewWords.js';
import styles from './changes.module.css';
import { describeOutcome, planOf, type RestoreQuestion } from './restoring.js';

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
            <strong>{visibleName(labelOf(outcome.path))}</strong> {describeOutcome(outcome)}
          </li>
        ))}
      </ul>
      {written > 0 && <p className="muted">This can be undone.</p>}
    </Dialog>
  );
}
