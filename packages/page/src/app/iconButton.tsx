import type { LucideIcon } from 'lucide-react';
import type { Ref } from 'react';
import styles from './controls.module.css';
import { joinClasses } from './joinClasses.js';

interface IconButtonProps {
  readonly icon: LucideIcon;
  /** The accessible name, and the tooltip. */
  readonly label: string;
  readonly onClick: () => void;
  /** Shown beside the icon where there is room. */
  readonly text?: string;
  /** The key that does the same, such as `Ctrl+P`. */
  readonly keys?: string;
  readonly isPressed?: boolean;
  /** Whether what it shows and hides is shown. */
  readonly isExpanded?: boolean;
  readonly isDisabled?: boolean;
  /** Why it does nothing now. A press is still heard, so that it can be explained. */
  readonly obstacle?: string | undefined;
  readonly className?: string | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A quiet button with an icon. */
export function IconButton(props: IconButtonProps) {
  const { icon: Icon, label, text, keys, obstacle } = props;
  return (
    <button
      ref={props.ref}
      type="button"
      className={joinClasses(styles.icon, text !== undefined && styles.withText, props.className)}
      aria-label={label}
      aria-pressed={props.isPressed}
      aria-expanded={props.isExpanded}
      aria-disabled={obstacle === undefined ? undefined : true}
      disabled={props.isDisabled}
      title={obstacle ?? (keys === undefined ? label : `${label} (${keys})`)}
      onClick={props.onClick}
    >
      <Icon size={16} aria-hidden="true" />
      {text !== undefined && <span className={styles.text}>{text}</span>}
    </button>
  );
}
