import { useModel } from './chatContext.js';
import styles from './messageRow.module.css';

/** Says that a turn runs, and what it does. */
export function WorkingRow() {
  const state = useModel(({ turn }) => turn.state);
  const waiting = useModel(({ pending }) => pending.length);
  const text = state === 'stopping' ? 'Stopping…' : waiting > 0 ? 'Waiting for your answer' : 'Working…';
  return (
    <p className={styles.working}>
      <span className={styles.pulse} data-still={waiting > 0} aria-hidden="true" />
      {text}
    </p>
  );
}
