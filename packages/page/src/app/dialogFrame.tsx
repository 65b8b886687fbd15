import { X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import styles from './dialogFrame.module.css';
import { IconButton } from './iconButton.js';
import { joinClasses } from './joinClasses.js';
import { useModal } from './useModal.js';

interface DialogFrameProps {
  readonly title: string;
  /** The title is said, not shown. */
  readonly hidesTitle?: boolean;
  readonly size?: 'small' | 'medium' | 'large';
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog. Escape and a press beside it close it; the focus returns to where it was. */
export function DialogFrame({ title, hidesTitle, size = 'medium', onClose, children }: DialogFrameProps) {
  const ref = useModal();
  const titleId = useId();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it by Escape; the press is on what lies beside it.
    <dialog
      ref={ref}
      className={joinClasses(styles.dialog, styles[size])}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className={styles.frame}>
        {hidesTitle ? (
          <h2 id={titleId} className="visually-hidden">
            {title}
          </h2>
        ) : (
          <header className={styles.header}>
            <h2 id={titleId} className={styles.title}>
              {title}
            </h2>
            <IconButton icon={X} label="Close" onClick={onClose} />
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
