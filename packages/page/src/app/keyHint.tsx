import { keyLabels } from './keyBinding.js';
import styles from './keyHint.module.css';

/** A key as it stands on the keyboard at hand. */
export function KeyHint({ keys }: { readonly keys: string }) {
  return (
    <span className={styles.keys}>
      {keyLabels(keys).map((part) => (
        <kbd key={part} className={styles.key}>
          {part}
        </kbd>
      ))}
    </span>
  );
}
