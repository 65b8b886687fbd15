import { describeObstacle, type SessionDecision, type SessionOutcome } from '@tandem/rpc';
import { Button, Dialog } from '../primitives/index.js';
import styles from './review.module.css';
import { countOf } from './reviewWords.js';

/** Accept All or Reject All, and what it would do. */
export interface SessionQuestion {
  readonly decision: 'accept' | 'reject';
  readonly preview: readonly SessionDecision[];
}

interface DecideSessionProps {
  readonly question: SessionQuestion;
  readonly agentName: string;
  readonly labelOf: (path: string) => string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks once before all pending reviews of a session are decided, and names edited texts and what stays pending. */
export function DecideSession({ question, agentName, labelOf, onConfirm, onCancel }: DecideSessionProps) {
  const { decision, preview } = question;
  const staying = decision === 'accept' ? preview.filter(({ obstacle }) => obstacle !== undefined) : [];
  const decided = preview.filter((each) => !staying.includes(each));
  const edited = decided.filter(({ isEdited }) => isEdited);
  const verb = decision === 'accept' ? 'Accept' : 'Reject';
  const proposals = countOf(decided.length, 'proposal');
  return (
    <Dialog
      title={
        decided.length === 0 ? 'No proposal can be accepted now' : `${verb} ${proposals} by ${agentName}?`
      }
      size="small"
      onClose={onCancel}
      actions={
        <>
          <Button isFirst onClick={onCancel}>
            {decided.length === 0 ? 'Close' : 'Cancel'}
          </Button>
          {decided.length > 0 && (
            <Button kind={decision === 'accept' ? 'primary' : 'danger'} onClick={onConfirm}>
              {`${verb} ${proposals}`}
            </Button>
          )}
        </>
      }
    >
      {edited.length > 0 && (
        <>
          <p>
            {decision === 'accept'
              ? 'These are accepted with your edits:'
              : 'You edited these. Your edits are rejected too. You can still read them under Decided:'}
          </p>
          <ul className={styles.named}>
            {edited.map(({ id, path }) => (
              <li key={id}>{labelOf(path)}</li>
            ))}
          </ul>
        </>
      )}
      {staying.length > 0 && (
        <>
          <p>These stay pending:</p>
          <ul className={styles.named}>
            {staying.map(({ id, path, obstacle }) => (
              <li key={id}>
                {labelOf(path)}
                {obstacle !== undefined && `: ${describeObstacle(obstacle)}`}
              </li>
            ))}
          </ul>
        </>
      )}
      {edited.length === 0 && staying.length === 0 && (
        <p>{decision === 'accept' ? 'None of them is edited or in conflict.' : 'None of them is edited.'}</p>
      )}
    </Dialog>
  );
}

/** What was decided, and why the others stay pending. */
export function describeDecided(
  decision: SessionQuestion['decision'],
  { decided, pending }: SessionOutcome,
  labelOf: (path: string) => string,
): string {
  const done = `${decision === 'accept' ? 'Accepted' : 'Rejected'} ${countOf(decided.length, 'proposal')}.`;
  if (pending.length === 0) return done;
  const first = pending
    .slice(0, 3)
    .map(({ path, obstacle }) => `${labelOf(path)}: ${describeObstacle(obstacle)}`);
  const more = pending.length > first.length ? [`${pending.length - first.length} more`] : [];
  return `${done} Still pending: ${[...first, ...more].join('; ')}.`;
}
