import { joinClasses } from './button.js';
import styles from './primitives.module.css';

interface ChangeCountsProps {
  readonly change: { readonly added: number; readonly removed: number; readonly isBinary?: boolean };
}

/** Added and removed lines: `+3 −1`. A binary file has no lines. */
export function ChangeCounts({ change }: ChangeCountsProps) {
  if (change.isBinary) return <span className={styles.counts}>Binary</span>;
  return (
    <span className={joinClasses('line numbers', styles.counts)}>
      <span className="visually-hidden">{lineCountsInWords(change)}</span>
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

/** Added and removed lines in words, for a screen reader. */
export function lineCountsInWords(change: { readonly added: number; readonly removed: number }): string {
  const parts = [
    change.added > 0 ? `${countOf(change.added, 'line')} added` : '',
    change.removed > 0 ? `${countOf(change.removed, 'line')} removed` : '',
  ].filter((part) => part !== '');
  return parts.join(', ') || 'no lines changed';
}

/** `1 line`, `2 lines`. */
export function countOf(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
