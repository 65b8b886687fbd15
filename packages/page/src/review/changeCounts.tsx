import styles from './changeCounts.module.css';
import { lineCountsInWords } from './reviewWords.js';

/** Lines that come and go: `+3 −1`, by sign as well as by colour. A file that is not text has no lines. */
export function ChangeCounts({
  change,
}: {
  readonly change: { readonly added: number; readonly removed: number; readonly isBinary?: boolean };
}) {
  if (change.isBinary) return <span className={styles.counts}>Not text</span>;
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
