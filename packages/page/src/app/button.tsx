import type { ReactNode, Ref } from 'react';
import styles from './controls.module.css';
import { joinClasses } from './joinClasses.js';

interface ButtonProps {
  readonly children: ReactNode;
  readonly onClick: () => void;
  readonly kind?: 'plain' | 'primary' | 'danger';
  readonly isDisabled?: boolean;
  /** Whether what it shows is shown. */
  readonly isPressed?: boolean;
  /** Its tooltip, such as why it cannot be pressed. */
  readonly tip?: string | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
  /** Where it stands in a dialog, the dialog begins with it. */
  readonly isFirst?: boolean;
}

/** A button with words on it. */
export function Button({
  children,
  onClick,
  kind = 'plain',
  isDisabled,
  isPressed,
  tip,
  ref,
  isFirst,
}: ButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      data-first={isFirst}
      className={joinClasses(styles.button, styles[kind])}
      disabled={isDisabled}
      aria-pressed={isPressed}
      title={tip}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
