import { highlight } from 'fuzzysort';
import { File, FileDiff } from 'lucide-react';
import type { ReactNode } from 'react';
import { joinClasses } from '../app/joinClasses.js';
import { fileName } from '../app/tabTitles.js';
import styles from './quickOpen.module.css';
import type { QuickMatch } from './quickOpenItems.js';

interface QuickOpenRowProps {
  readonly id: string;
  readonly match: QuickMatch;
  readonly isSelected: boolean;
  readonly onOpen: () => void;
}

/** One file or review of the list, with what matched made bold. */
export function QuickOpenRow({ id, match: { item, result }, isSelected, onOpen }: QuickOpenRowProps) {
  const Icon = item.kind === 'review' ? FileDiff : File;
  const parts: readonly ReactNode[] =
    result === undefined
      ? [item.label]
      : highlight<ReactNode>(result, (part, index) => <mark key={`${index} ${part}`}>{part}</mark>);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus and names its active row.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys.
    <div
      id={id}
      className={joinClasses(styles.row, isSelected && styles.selected)}
      role="option"
      aria-selected={isSelected}
      aria-label={item.note === undefined ? item.label : `${item.label}, ${item.note}`}
      onClick={onOpen}
    >
      <Icon size={15} className={styles.icon} aria-hidden="true" />
      <span className={styles.name}>
        {fileName(item.label) === item.label || result !== undefined ? (
          parts
        ) : (
          <SplitName label={item.label} />
        )}
      </span>
      {/* The space is not seen; a voice that reads the row needs it. */}
      {item.note !== undefined && ' '}
      {item.note !== undefined && <span className={styles.note}>{item.note}</span>}
    </div>
  );
}

/** The name first to the eye, the folder after. */
function SplitName({ label }: { readonly label: string }) {
  const name = fileName(label);
  return (
    <>
      <span className={styles.folder}>{label.slice(0, -name.length)}</span>
      {name}
    </>
  );
}
