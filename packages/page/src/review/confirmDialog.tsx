import { useId } from 'react';
import { joinClasses } from '../app/joinClasses.js';
import { useModal } from '../app/useModal.js';
import buttons from './buttons.module.css';
import styles from './confirmDialog.module.css';

interface ConfirmDialogProps {
  readonly title: string;
  readonly words: string;
  /** What the button says that does it. */
  readonly confirm: string;
  /** Another way that loses nothing. */
  readonly other?: { readonly label: string; readonly onChoose: () => void };
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks once before something is lost. Escape and the first button leave everything as it is. */
export function ConfirmDialog({ title, words, confirm, other, onConfirm, onCancel }: ConfirmDialogProps) {
  const ref = useModal();
  const titleId = useId();
  const wordsId = useId();
  return (
    <dialog
      ref={ref}
      className={styles.dialog}
      aria-labelledby={titleId}
      aria-describedby={wordsId}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      <p id={wordsId}>{words}</p>
      <div className={styles.actions}>
        <button type="button" className={joinClasses(buttons.button, buttons.large)} onClick={onCancel}>
          Cancel
        </button>
        {other !== undefined && (
          <button
            type="button"
            className={joinClasses(buttons.button, buttons.large)}
            onClick={() => {
              onCancel();
              other.onChoose();
            }}
          >
            {other.label}
          </button>
        )}
        <button
          type="button"
          className={joinClasses(buttons.button, buttons.large, buttons.danger)}
          onClick={onConfirm}
        >
          {confirm}
        </button>
      </div>
    </dialog>
  );
}
