import styles from './changeCounts.module.css';
import { lineCountsInWords } from './lineCounts.js';

/** Lines that come and go: `+3 −1`, by sign as well as by colour. */
export function ChangeCounts({
  change,
}: {
  readonly change: { readonly added: number; readonly removed: number };
}) {
  return (
    <span className={styles.counts}>
      <span className={styles.words}>{lineCountsInWords(change)}</span>
      {(change.added > 0 || change.removed === 0) && (
        <span className={styles.added} aria-hidden="true">
          +{change.added}
        </span>
      )}
      {(change.removed > 0 || change.added === 0) && (
        <span className={styles.removed} aria-hidden="true">
          −{change.removed}
        </span>
      )}
    </span>
  );
}
